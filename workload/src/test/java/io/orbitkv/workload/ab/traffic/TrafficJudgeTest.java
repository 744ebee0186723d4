package io.orbitkv.workload.ab.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.workload.ab.assign.Arm;
import io.orbitkv.workload.ab.report.ExperimentReport;
import io.orbitkv.workload.ab.report.ReportCsv;
import io.orbitkv.workload.ab.report.ReportJson;
import io.orbitkv.workload.ab.report.ReportPage;
import io.orbitkv.workload.ab.report.ReportTable;
import io.orbitkv.workload.ab.verdict.Judgement;
import io.orbitkv.workload.ab.verdict.Measure;
import io.orbitkv.workload.ab.verdict.Verdict;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class TrafficJudgeTest {
  private static final int SAME = 12;
  private static final int BLOCKS = 40;

  /**
   * Turns whose hits have noise, a drift over time and a place in the order that matters.
   *
   * @param factor on the hits of B where the variants differ
   */
  private static TrafficExperiment turns(long seed, double factor, String state) {
    SplittableRandom random = new SplittableRandom(seed);
    List<TrafficExperiment.Block> blocks = new ArrayList<>();
    for (int index = 0; index < SAME + BLOCKS; index++) {
      boolean same = index < SAME;
      int within = same ? index : index - SAME;
      int half = within < (same ? SAME : BLOCKS) / 2 ? 0 : 1;
      Arm arm = (within % 2 == 1) != (half == 1) ? Arm.B : Arm.A;
      double hits = 0.4 + 0.002 * index + (within % 2 == 1 ? 0.03 : 0);
      hits *= 1 + 0.05 * (random.nextDouble() - 0.5);
      hits *= arm == Arm.B && !same ? factor : 1;
      blocks.add(block(index, same, half, true, Map.of(arm, hits)));
    }
    return experiment(state, false, blocks);
  }

  private static TrafficExperiment.Block block(
      int index, boolean same, int half, boolean counts, Map<Arm, Double> hits) {
    Map<Arm, Map<String, Long>> arms = new EnumMap<>(Arm.class);
    Map<Arm, Map<Long, Integer>> waits = new EnumMap<>(Arm.class);
    hits.forEach((arm, ratio) -> {
      arms.put(
          arm,
          Map.of(
              "queries", 100L,
              "asked_pages", 10_000L,
              "hit_pages", Math.round(ratio * 10_000),
              "wait_nanos", 100_000_000L + 1_000L * index,
              "nanos", 300_000_000_000L,
              "ssd_read_bytes", 0L));
      waits.put(arm, Map.of(1_000_000L, 96, 9_000_000L, 4));
    });
    return new TrafficExperiment.Block(index, same, half, counts, arms, waits);
  }

  private static TrafficExperiment experiment(
      String state, boolean shared, List<TrafficExperiment.Block> blocks) {
    return new TrafficExperiment(
        "try",
        state,
        state.equals("stopped") ? "it was stopped" : "",
        Map.of("isolation", "time"),
        Map.of(Arm.A, "{}", Arm.B, "{}"),
        shared,
        "prefix_hit_ratio",
        "2%",
        Map.of(),
        List.of(),
        List.of(),
        0,
        blocks);
  }

  private static Judgement judge(TrafficExperiment experiment) {
    return TrafficJudge.judge(experiment, TrafficJudge.criteria(experiment));
  }

  @Test
  void variantWithMoreHits_wins_andTheEffectIsTheTruth() {
    Judgement judgement = judge(turns(1, 1.2, "done"));

    assertThat(judgement.verdict()).isEqualTo(Verdict.B);
    assertThat(judgement.primary().orElseThrow().change()).isBetween(0.15, 0.25);
    assertThat(judgement.primary().orElseThrow().estimate().method()).contains("A/A difference");
  }

  @Test
  void variantWithFewerHits_loses() {
    assertThat(judge(turns(2, 0.8, "done")).verdict()).isEqualTo(Verdict.A);
  }

  @Test
  void noDifference_inManyExperiments_rarelyHasAWinner() {
    int winners = 0;
    for (int seed = 0; seed < 100; seed++) {
      Verdict verdict = judge(turns(1_000 + seed, 1, "done")).verdict();
      winners += verdict == Verdict.A || verdict == Verdict.B ? 1 : 0;
    }

    assertThat(winners).isLessThanOrEqualTo(9);
  }

  @Test
  void horizon_thatIsNotReached_hasEffectsAndNoVerdict() {
    for (String state : List.of("running", "stopped", "interrupted", "voided")) {
      Judgement judgement = judge(turns(3, 1.2, state));

      assertThat(judgement.verdict()).as(state).isEqualTo(Verdict.NONE);
      assertThat(judgement.primary()).as(state).isPresent();
    }
  }

  @Test
  void fewerThanTenCountingBlocksOfAVariant_haveNoVerdict() {
    TrafficExperiment whole = turns(4, 1.2, "done");
    List<TrafficExperiment.Block> blocks = new ArrayList<>();
    for (TrafficExperiment.Block block : whole.blocks()) {
      boolean counts = block.same() || block.index() < SAME + 18;
      blocks.add(
          new TrafficExperiment.Block(
              block.index(), block.same(), block.half(), counts, block.arms(), block.waits()));
    }

    TrafficExperiment few = experiment("done", false, blocks);
    assertThat(judge(few).reason()).contains("[9] blocks");
    assertThat(TrafficReport.of(few).notes())
        .anyMatch(note ->
            note.startsWith("Intervals are narrower than the truth: [9] blocks of a variant count"))
        .anyMatch(note -> note.startsWith("The A/A difference is of [6] blocks of a variant"));
    assertThat(TrafficReport.of(whole).notes())
        .noneMatch(note -> note.startsWith("Intervals are narrower"));
  }

  @Test
  void groupThatIsBetterAnyway_isNoEffectOfItsVariant_whenTheVariantsChangePlaces() {
    SplittableRandom random = new SplittableRandom(5);
    List<TrafficExperiment.Block> blocks = new ArrayList<>();
    for (int index = 0; index < 36; index++) {
      boolean same = index < 12;
      int half = (same ? index < 6 : index < 24) ? 0 : 1;
      double first = 0.6 + 0.02 * random.nextDouble();
      double second = 0.4 + 0.02 * random.nextDouble();
      blocks.add(
          block(
              index,
              same,
              half,
              true,
              Map.of(Arm.A, half == 0 ? first : second, Arm.B, half == 0 ? second : first)));
    }

    Judgement judgement = judge(experiment("done", true, blocks));

    assertThat(judgement.verdict()).isNotIn(Verdict.A, Verdict.B);
    assertThat(judgement.primary().orElseThrow().change()).isBetween(-0.05, 0.05);
  }

  @Test
  void percentile_isThatOfAllBlocks() {
    assertThat(TrafficMeasures.values(turns(6, 1, "done").blocks(), Arm.A).get(Measure.WAIT_P95))
        .isEqualTo(0.001);
  }

  @Test
  void report_withoutAShownDifference_saysHowLongItWouldTake() {
    ExperimentReport report = TrafficReport.of(turns(1_000, 1, "done"));

    assertThat(report.judgement().verdict()).isEqualTo(Verdict.NO_DIFFERENCE_SHOWN);
    assertThat(report.needed()).contains("hours of this traffic", "2 %");
  }

  @Test
  void report_isWrittenInEachForm() {
    ExperimentReport report = TrafficReport.of(turns(7, 1.2, "done"));

    assertThat(ReportJson.of(report)).contains("\"kind\"", "traffic", "\"verdict\"");
    assertThat(ReportTable.of(report)).contains("B: the interval", "A/A");
    assertThat(ReportCsv.of(report).lines()).hasSize(1 + SAME + BLOCKS);
    assertThat(ReportPage.of(report)).contains("live traffic since", "Over time");
  }
}
