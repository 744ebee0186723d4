package io.orbitkv.workload.ab.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.orbitkv.workload.ab.assign.Arm;
import io.orbitkv.workload.ab.verdict.Criteria;
import io.orbitkv.workload.ab.verdict.Judgement;
import io.orbitkv.workload.ab.verdict.Measure;
import io.orbitkv.workload.ab.verdict.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class PairedExperimentTest {
  private static final Criteria CRITERIA = Criteria.byDefault();

  @Test
  void run_eightPairs_throwsOnePairOfAAwayAndBalancesTheOrder() throws Exception {
    ScriptedArms arms = new ScriptedArms(1, 0, 0.01);

    PairedExperiment.Pairs pairs = new PairedExperiment(arms, 8, 42).run();

    assertThat(arms.ran).hasSize(18);
    assertThat(arms.ran.subList(0, 2)).containsExactly(Arm.A, Arm.A);
    assertThat(arms.ran.subList(2, 18).stream().filter(arm -> arm == Arm.A).count()).isEqualTo(8);
    assertThat(pairs.thrownAway()).isPresent();
    assertThat(pairs.pairs()).hasSize(8);
    assertThat(pairs.pairs().stream().filter(PairOutcome::firstIsA).count()).isEqualTo(4);
    for (PairOutcome pair : pairs.pairs()) {
      assertThat(arms.ran.get(pair.firstRun())).isEqualTo(pair.firstIsA() ? Arm.A : Arm.B);
      assertThat(pair.a().arm()).isEqualTo(Arm.A);
      assertThat(pair.b().arm()).isEqualTo(Arm.B);
    }
  }

  @Test
  void draw_otherSeeds_giveOtherOrders() {
    long different =
        LongStream.range(0, 20).mapToObj(seed -> RunOrder.draw(8, seed)).distinct().count();

    assertThat(different).isGreaterThan(5);
    assertThat(RunOrder.draw(8, 3)).isEqualTo(RunOrder.draw(8, 3));
    assertThat(RunOrder.draw(7, 3)).hasSize(7);
  }

  @Test
  void run_fasterB_isNamed() throws Exception {
    Judgement judgement = judge(new ScriptedArms(2, -0.2, 0.02), 8);

    assertThat(judgement.verdict()).isEqualTo(Verdict.B);
    assertThat(judgement.primary().orElseThrow().change()).isCloseTo(-0.18, within(0.03));
    assertThat(judgement.primary().orElseThrow().estimate().degreesOfFreedom()).isEqualTo(7);
  }

  @Test
  void run_slowerB_isAAndBsGuardsHinderNobody() throws Exception {
    assertThat(judge(new ScriptedArms(3, 0.2, 0.02), 8).verdict()).isEqualTo(Verdict.A);
  }

  @Test
  void run_fewerThanSixPairs_showsEffectsWithoutAVerdict() throws Exception {
    Judgement judgement = judge(new ScriptedArms(4, -0.2, 0.001), 4);

    assertThat(judgement.verdict()).isEqualTo(Verdict.NONE);
    assertThat(judgement.reason()).contains("[4] pairs");
    assertThat(judgement.primary()).isPresent();
  }

  @Test
  void run_oneVoidPair_isListedByArmAndLeftOutAndNotRerun() throws Exception {
    ScriptedArms arms = new ScriptedArms(5, -0.2, 0.02).voidRun(5, VoidCause.WRONG_BYTE);

    PairedExperiment.Pairs pairs = new PairedExperiment(arms, 8, 42).run();

    assertThat(pairs.endedByVoids()).isFalse();
    assertThat(pairs.pairs()).hasSize(8);
    assertThat(pairs.counting()).hasSize(7);
    assertThat(pairs.pairs().get(1).voids())
        .containsExactly(arms.ran.get(5) + ": wrong byte (planted)");
    assertThat(PairedJudge.judge(CRITERIA, pairs).verdict()).isEqualTo(Verdict.B);
  }

  @Test
  void run_twoVoidPairs_endsTheExperimentWithoutAVerdict() throws Exception {
    ScriptedArms arms =
        new ScriptedArms(6, -0.2, 0.02).voidRun(15, VoidCause.BUDGET_BREACH).requestsOfRun(16, 63);

    PairedExperiment.Pairs pairs = new PairedExperiment(arms, 20, 42).run();

    assertThat(pairs.pairs()).hasSize(8);
    assertThat(pairs.endedByVoids()).isTrue();
    assertThat(pairs.pairs().get(7).voids().getFirst())
        .startsWith("both: unequal number of completed requests");
    Judgement judgement = PairedJudge.judge(CRITERIA, pairs);
    assertThat(judgement.verdict()).isEqualTo(Verdict.NONE);
    assertThat(judgement.reason()).contains("void pairs ended the experiment");
  }

  @Test
  void run_cancelled_givesThePairsThatWereComplete() throws Exception {
    ScriptedArms arms = new ScriptedArms(7, 0, 0.02);
    PairedExperiment experiment = new PairedExperiment(arms, 8, 42);
    experiment.cancel();

    PairedExperiment.Pairs pairs = experiment.run();

    assertThat(arms.cancels()).isEqualTo(1);
    assertThat(pairs.cancelled()).isTrue();
    assertThat(pairs.pairs()).isEmpty();
    assertThat(PairedJudge.judge(CRITERIA, pairs).verdict()).isEqualTo(Verdict.NONE);
  }

  @Test
  void judge_measureThatNeverVaries_isComparedWithoutAnInterval() throws Exception {
    Judgement judgement = judge(new ScriptedArms(8, -0.2, 0.02), 8);

    assertThat(judgement.exploratory())
        .extracting(compared -> compared.measure())
        .containsExactly(Measure.PREFIX_HIT_RATIO);
    assertThat(judgement.exploratory().getFirst().estimate().interval()).isEmpty();
    assertThat(judgement.adjusted()).containsExactly(1.0);
  }

  @Test
  void pairsForMargin_noDifferenceShown_saysWhatItWouldTake() throws Exception {
    PairedExperiment.Pairs pairs = new PairedExperiment(new ScriptedArms(9, 0, 0.10), 8, 42).run();
    Judgement judgement = PairedJudge.judge(CRITERIA, pairs);

    assertThat(judgement.verdict()).isEqualTo(Verdict.NO_DIFFERENCE_SHOWN);
    assertThat(PairedJudge.pairsForMargin(judgement, 0.02, 8).orElseThrow()).isBetween(100, 1_500);
  }

  @Test
  void orderEffect_secondRunSlower_isFound() {
    List<PairOutcome> pairs = new ArrayList<>();
    for (int pair = 0; pair < 8; pair++) {
      boolean firstIsA = pair % 2 == 0;
      pairs.add(
          new PairOutcome(pair, 2 * pair, firstIsA, run(Arm.A, !firstIsA), run(Arm.B, firstIsA)));
    }
    PairedExperiment.Pairs all = new PairedExperiment.Pairs(Optional.empty(), pairs, false, false);
    Judgement judgement = PairedJudge.judge(CRITERIA, all);

    assertThat(PairedJudge.orderEffect(judgement.primary().orElseThrow(), pairs).orElseThrow())
        .isCloseTo(Math.log(1.1), within(1e-9));
    assertThat(judgement.verdict()).isNotIn(Verdict.A, Verdict.B);
  }

  @Test
  void experiments_ofOneConfiguration_callAWinnerInAtMostNinePerCentOfTwoHundred()
      throws Exception {
    int winners = 0;
    for (int seed = 0; seed < 200; seed++) {
      Verdict verdict = judge(new ScriptedArms(seed, 0, 0.05), 8).verdict();
      winners += verdict == Verdict.A || verdict == Verdict.B ? 1 : 0;
    }

    assertThat(winners).isLessThanOrEqualTo(18);
  }

  private static Judgement judge(ScriptedArms arms, int pairs) throws Exception {
    return PairedJudge.judge(CRITERIA, new PairedExperiment(arms, pairs, 42).run());
  }

  private static RunOutcome run(Arm arm, boolean second) {
    double time = second ? 1.1 : 1;
    return new RunOutcome(arm, Map.of(Measure.TTFT_MEAN, time), 10, List.of(), true, false, 1);
  }
}
