package io.orbitkv.workload.ab.verdict;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.orbitkv.workload.ab.statistics.Estimate;
import io.orbitkv.workload.ab.statistics.Scale;
import io.orbitkv.workload.ab.verdict.Criteria.Guard;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class JudgementTest {
  private static final Criteria CRITERIA =
      new Criteria(
          Measure.TTFT_MEAN,
          0.02,
          List.of(new Guard(Measure.TTFT_P95, 0.02), new Guard(Measure.THROUGHPUT, -0.01)));

  @Test
  void of_lowerTimeOfB_isB() {
    Judgement judgement = judge(compared(Measure.TTFT_MEAN, -0.10, 0.01));

    assertThat(judgement.verdict()).isEqualTo(Verdict.B);
    assertThat(judgement.reason()).contains("ttft.mean", "excludes no effect");
  }

  @Test
  void of_lowerTimeOfA_isA() {
    assertThat(judge(compared(Measure.TTFT_MEAN, 0.10, 0.01)).verdict()).isEqualTo(Verdict.A);
  }

  @Test
  void of_moreThroughput_isBetterAlthoughItIsMore() {
    Criteria criteria = new Criteria(Measure.THROUGHPUT, 0.02, List.of());

    Judgement judgement =
        Judgement.of(criteria, List.of(compared(Measure.THROUGHPUT, 0.10, 0.01)), Optional.empty());

    assertThat(judgement.verdict()).isEqualTo(Verdict.B);
  }

  @Test
  void of_intervalInsideTheMargin_isEquivalent() {
    assertThat(judge(compared(Measure.TTFT_MEAN, 0.001, 0.002)).verdict())
        .isEqualTo(Verdict.EQUIVALENT);
  }

  @Test
  void of_wideInterval_showsNoDifference() {
    assertThat(judge(compared(Measure.TTFT_MEAN, -0.03, 0.05)).verdict())
        .isEqualTo(Verdict.NO_DIFFERENCE_SHOWN);
  }

  @Test
  void of_smallButCertainDifference_isAWinnerThatSaysHowSmall() {
    Judgement judgement = judge(compared(Measure.TTFT_MEAN, -0.005, 0.001));

    assertThat(judgement.verdict()).isEqualTo(Verdict.B);
    assertThat(judgement.reason()).contains("smaller than the margin of ± 2");
  }

  @Test
  void of_violatedGuardOfTheWinner_isNoWinner() {
    Judgement judgement =
        judge(compared(Measure.TTFT_MEAN, -0.10, 0.01), compared(Measure.TTFT_P95, 0.09, 0.01));

    assertThat(judgement.verdict()).isEqualTo(Verdict.NO_DIFFERENCE_SHOWN);
    assertThat(judgement.reason()).contains("violates the guard ttft.p95 +2%");
    assertThat(judgement.guards().getFirst().state()).isEqualTo(GuardState.State.VIOLATED);
  }

  @Test
  void of_guardThatBViolates_doesNotHinderA() {
    Judgement judgement =
        judge(compared(Measure.TTFT_MEAN, 0.10, 0.01), compared(Measure.TTFT_P95, 0.09, 0.01));

    assertThat(judgement.verdict()).isEqualTo(Verdict.A);
    assertThat(judgement.guards().getFirst().state()).isEqualTo(GuardState.State.VIOLATED);
  }

  @Test
  void of_guardThatMayBeEitherWay_isNotProvenAndHindersNobody() {
    Judgement judgement =
        judge(compared(Measure.TTFT_MEAN, -0.10, 0.01), compared(Measure.THROUGHPUT, 0, 0.05));

    assertThat(judgement.verdict()).isEqualTo(Verdict.B);
    assertThat(judgement.guards().getFirst().state()).isEqualTo(GuardState.State.UNPROVEN);
  }

  @Test
  void of_measuresBesideTheCriteria_areExploratoryAndCorrected() {
    Judgement judgement =
        judge(
            compared(Measure.TTFT_MEAN, 0, 0.05),
            compared(Measure.PREFIX_HIT_RATIO, 0.02, 0.01),
            compared(Measure.SSD_READ_BYTES, 0.02, 0.01));

    assertThat(judgement.exploratory()).hasSize(2);
    assertThat(judgement.adjusted().getFirst())
        .isEqualTo(2 * judgement.exploratory().getFirst().estimate().pValue());
    assertThat(judgement.verdict()).isEqualTo(Verdict.NO_DIFFERENCE_SHOWN);
  }

  @Test
  void of_tooFewPairs_showsEffectsWithoutAVerdict() {
    Judgement judgement =
        Judgement.of(
            CRITERIA,
            List.of(compared(Measure.TTFT_MEAN, -0.10, 0.01)),
            Optional.of("[4] pairs: a verdict needs 6"));

    assertThat(judgement.verdict()).isEqualTo(Verdict.NONE);
    assertThat(judgement.reason()).isEqualTo("[4] pairs: a verdict needs 6");
    assertThat(judgement.primary()).isPresent();
  }

  @Test
  void of_nothingVaried_saysSo() {
    Judgement judgement = judge(compared(Measure.TTFT_MEAN, -0.10, 0));

    assertThat(judgement.verdict()).isEqualTo(Verdict.NO_DIFFERENCE_SHOWN);
    assertThat(judgement.reason()).contains("nothing varied");
  }

  @Test
  void guard_ofTheWrongSign_isRefusedWithTheRightOne() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Guard(Measure.THROUGHPUT, 0.01))
        .withMessageContaining("[+1%]")
        .withMessageContaining("-1%");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Guard(Measure.TTFT_P95, -0.02))
        .withMessageContaining("+2%");
    assertThat(new Guard(Measure.SSD_WRITTEN_BYTES, 0).limitText()).isEqualTo("+0%");
  }

  @Test
  void parsePercent_reads_signsAndRefusesPlainNumbers() {
    assertThat(Criteria.parsePercent("+2%")).isEqualTo(0.02);
    assertThat(Criteria.parsePercent("-1 %")).isEqualTo(-0.01);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Criteria.parsePercent("2"))
        .withMessageContaining("[2]")
        .withMessageContaining("per cent");
  }

  @Test
  void measure_unknownName_isRefusedWithThoseThatThereAre() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Measure.parse("ttft"))
        .withMessageContaining("[ttft]")
        .withMessageContaining("ttft.mean");
  }

  private static Judgement judge(Compared... compared) {
    return Judgement.of(CRITERIA, List.of(compared), Optional.empty());
  }

  private static Compared compared(Measure measure, double effect, double error) {
    return new Compared(
        measure, 1, Math.exp(effect), Scale.LOG_RATIO, new Estimate(effect, error, 7, "test"));
  }
}
