package io.orbitkv.workload.ab.traffic;

import io.orbitkv.workload.ab.assign.Arm;
import io.orbitkv.workload.ab.report.ExperimentReport;
import io.orbitkv.workload.ab.statistics.Power;
import io.orbitkv.workload.ab.verdict.Compared;
import io.orbitkv.workload.ab.verdict.Criteria;
import io.orbitkv.workload.ab.verdict.Judgement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** The report on an experiment on live traffic. */
public final class TrafficReport {
  private static final double NANOS_AN_HOUR = 3.6e12;

  private TrafficReport() {}

  /** Judges and reports. */
  public static ExperimentReport of(TrafficExperiment experiment) {
    Criteria criteria = TrafficJudge.criteria(experiment);
    Judgement judgement = TrafficJudge.judge(experiment, criteria);
    List<ExperimentReport.Fact> setup = new ArrayList<>();
    experiment.setup().forEach((name, value) -> setup.add(new ExperimentReport.Fact(name, value)));
    return new ExperimentReport(
        experiment.name(),
        ExperimentReport.Kind.TRAFFIC,
        "live traffic since " + Instant.ofEpochMilli(experiment.startedMillis()),
        setup,
        List.of(variant(experiment, Arm.A), variant(experiment, Arm.B)),
        criteria,
        judgement,
        needed(experiment, criteria, judgement),
        runs(experiment),
        Optional.empty(),
        experiment.voids(),
        Optional.empty(),
        notes(experiment, criteria, judgement));
  }

  private static ExperimentReport.Variant variant(TrafficExperiment experiment, Arm arm) {
    List<TrafficExperiment.Block> counting =
        experiment.blocks().stream().filter(block -> block.counts() && !block.same()).toList();
    return new ExperimentReport.Variant(
        arm, experiment.policies().getOrDefault(arm, "{}"), TrafficMeasures.values(counting, arm));
  }

  private static List<ExperimentReport.Run> runs(TrafficExperiment experiment) {
    List<ExperimentReport.Run> runs = new ArrayList<>();
    for (TrafficExperiment.Block block : experiment.blocks()) {
      for (Arm arm : Arm.values()) {
        if (block.arms().containsKey(arm)) {
          runs.add(
              new ExperimentReport.Run(
                  block.index(),
                  block.index() + 1,
                  block.same() ? "AA" : block.half() == 0 ? "AB" : "BA",
                  arm,
                  block.counts() && !block.same(),
                  TrafficMeasures.values(List.of(block), arm)));
        }
      }
    }
    return runs;
  }

  private static List<String> notes(
      TrafficExperiment experiment, Criteria criteria, Judgement judgement) {
    List<String> notes = new ArrayList<>(experiment.notes());
    Optional<Compared> same = TrafficJudge.same(experiment, criteria.primary());
    if (same.isPresent()) {
      Compared found = same.get();
      notes.add(
          String.format(
              Locale.ROOT,
              "Where both variants ran A, %s of B was %s of A (A/A); effects are less that, and"
                  + " their intervals have its error too.",
              found.measure().key(),
              switch (found.scale()) {
                case LOG_RATIO -> String.format(Locale.ROOT, "%+.2f %%", 100 * found.change());
                case DIFFERENCE ->
                    String.format(Locale.ROOT, "%+.4g away from that", found.change());
              }));
    } else {
      notes.add("Not corrected by an A/A difference: too few blocks of that period count.");
    }
    fewBlocks(experiment, notes);
    notes.add(
        "Amounts are those of one query. A query counts in the block in which it began and was"
            + " answered; the wait goes to its last restored byte. A Manager does not see an"
            + " engine's time to first token, and wrong bytes are seen by engines alone.");
    if (experiment.shared()) {
      notes.add(
          "Interference possible: both variants ran at once on one cache and one device. What only"
              + " sums of both are known of (bytes, failures, dropped pages) is not compared.");
    }
    long unmeasured = sum(experiment, "unmeasured");
    if (unmeasured > 0) {
      notes.add("[" + unmeasured + "] queries were not measured: too many were under way at once.");
    }
    for (Criteria.Guard guard : criteria.guards()) {
      boolean examined = judgement.guards().stream().anyMatch(state -> state.guard().equals(guard));
      if (!examined && judgement.primary().isPresent()) {
        notes.add(
            "The guard on "
                + guard.measure().key()
                + " was not examined: it is not measured here.");
      }
    }
    return notes;
  }

  /** The spread of few blocks is itself uncertain, and their bootstrap covers less than it says. */
  private static void fewBlocks(TrafficExperiment experiment, List<String> notes) {
    int compared = TrafficJudge.Sides.of(experiment, false).period().fewest();
    int same = TrafficJudge.Sides.of(experiment, true).period().fewest();
    if (compared >= 2 && compared < TrafficJudge.LEAST_BLOCKS) {
      notes.add(
          "Intervals are narrower than the truth: ["
              + compared
              + "] blocks of a variant count, and below "
              + TrafficJudge.LEAST_BLOCKS
              + " they are wrong more often than one in twenty.");
    }
    if (same >= 2 && same < TrafficJudge.LEAST_BLOCKS) {
      notes.add(
          "The A/A difference is of ["
              + same
              + "] blocks of a variant, fewer than "
              + TrafficJudge.LEAST_BLOCKS
              + ": its error is less certain than it looks; a longer --aa makes it surer.");
    }
  }

  // The error falls with the square root of time, that of the A/A period with its own.
  private static String needed(
      TrafficExperiment experiment, Criteria criteria, Judgement judgement) {
    Optional<Compared> primary = judgement.primary();
    if (!judgement.open() || criteria.margin() == 0 || primary.isEmpty()) {
      return "";
    }
    Compared found = primary.get();
    double seen =
        Power.detectableInErrors(found.estimate().degreesOfFreedom())
            * found.estimate().standardError();
    double wanted = Math.abs(found.scale().ofRelativeChange(criteria.margin(), found.a()));
    double hours = 0;
    for (TrafficExperiment.Block block : experiment.blocks()) {
      if (!block.same()) {
        hours +=
            block.arms().values().stream()
                    .mapToLong(sums -> sums.getOrDefault("nanos", 0L))
                    .max()
                    .orElse(0)
                / NANOS_AN_HOUR;
      }
    }
    return String.format(
        Locale.ROOT,
        "%.1f hours of this traffic, and an A/A period longer in proportion, to see a difference of"
            + " %s",
        hours * (seen / wanted) * (seen / wanted),
        criteria.marginText());
  }

  private static long sum(TrafficExperiment experiment, String column) {
    long sum = 0;
    for (TrafficExperiment.Block block : experiment.blocks()) {
      for (Map<String, Long> sums : block.arms().values()) {
        sum += sums.getOrDefault(column, 0L);
      }
    }
    return sum;
  }
}
