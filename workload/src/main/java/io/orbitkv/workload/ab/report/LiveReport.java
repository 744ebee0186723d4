package io.orbitkv.workload.ab.report;

import io.orbitkv.workload.ab.assign.Arm;
import io.orbitkv.workload.ab.live.PairOutcome;
import io.orbitkv.workload.ab.live.PairedExperiment;
import io.orbitkv.workload.ab.live.PairedJudge;
import io.orbitkv.workload.ab.live.RunOutcome;
import io.orbitkv.workload.ab.report.ExperimentReport.Fact;
import io.orbitkv.workload.ab.report.ExperimentReport.Kind;
import io.orbitkv.workload.ab.report.ExperimentReport.Run;
import io.orbitkv.workload.ab.report.ExperimentReport.Variant;
import io.orbitkv.workload.ab.statistics.PairedT;
import io.orbitkv.workload.ab.verdict.Criteria;
import io.orbitkv.workload.ab.verdict.Judgement;
import io.orbitkv.workload.ab.verdict.Measure;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/** The report on pairs of runs. */
public final class LiveReport {
  private LiveReport() {}

  /**
   * Reports.
   *
   * @param setup what was the same for both
   * @param policies of each variant, as JSON
   * @param prefillTokensPerSecond of the modelled engine
   */
  public static ExperimentReport of(
      String name,
      String trace,
      List<Fact> setup,
      Map<Arm, String> policies,
      double prefillTokensPerSecond,
      Criteria criteria,
      PairedExperiment.Pairs pairs,
      List<String> furtherNotes) {
    Judgement judgement = PairedJudge.judge(criteria, pairs);
    List<PairOutcome> counting = pairs.counting();
    List<String> notes = new ArrayList<>(furtherNotes);
    notes.add(
        String.format(
            Locale.ROOT,
            "Times to first token are modelled in part: the wait for the Manager is measured, the"
                + " prefill of what it did not have is computed at %,.0f tokens a second. They are"
                + " not an engine's.",
            prefillTokensPerSecond));
    notes.add(
        "Bytes of a token are scaled (see bytes_per_token), so bytes a second are not those of"
            + " production; wait, throughput and drain times are measured.");
    if (counting.stream().anyMatch(pair -> !pair.a().turnedOver() || !pair.b().turnedOver())) {
      notes.add(
          "Cold start: timing began before every tier had turned over, so that the figures are"
              + " those of a cache that fills.");
    }
    if (pairs.cancelled()) {
      notes.add("Stopped before its end: the pairs that were complete are shown.");
    }
    notMeasured(criteria, judgement, notes);
    return new ExperimentReport(
        name,
        Kind.LIVE,
        trace,
        setup,
        List.of(
            new Variant(Arm.A, policies.getOrDefault(Arm.A, "{}"), means(counting, Arm.A)),
            new Variant(Arm.B, policies.getOrDefault(Arm.B, "{}"), means(counting, Arm.B))),
        criteria,
        judgement,
        needed(criteria, judgement, counting.size()),
        runs(pairs),
        judgement.primary().flatMap(primary -> PairedJudge.orderEffect(primary, counting)),
        voids(pairs),
        Optional.empty(),
        notes);
  }

  /** A guard that nothing was measured for must not look as if it held. */
  static void notMeasured(Criteria criteria, Judgement judgement, List<String> notes) {
    for (Criteria.Guard guard : criteria.guards()) {
      boolean measured = judgement.guards().stream().anyMatch(state -> state.guard().equals(guard));
      if (!measured && judgement.primary().isPresent() && guard.measure() != criteria.primary()) {
        notes.add(
            "The guard on "
                + guard.measure().key()
                + " was not examined: it is not measured here.");
      }
    }
  }

  private static String needed(Criteria criteria, Judgement judgement, int pairs) {
    if (!judgement.open() || criteria.margin() == 0) {
      return "";
    }
    OptionalInt needed = PairedJudge.pairsForMargin(judgement, criteria.margin(), pairs);
    String margin = criteria.marginText();
    return needed.isPresent()
        ? needed.getAsInt() + " pairs to see a difference of " + margin
        : "too many pairs to see a difference of " + margin + ": choose a steadier measure";
  }

  private static List<Run> runs(PairedExperiment.Pairs pairs) {
    List<Run> runs = new ArrayList<>();
    pairs
        .thrownAway()
        .ifPresent(pair -> {
          runs.add(new Run(0, 0, "AA", Arm.A, false, pair.a().values()));
          runs.add(new Run(1, 0, "AA", Arm.A, false, pair.b().values()));
        });
    for (PairOutcome pair : pairs.pairs()) {
      RunOutcome first = pair.firstIsA() ? pair.a() : pair.b();
      RunOutcome second = pair.firstIsA() ? pair.b() : pair.a();
      runs.add(run(pair, pair.firstRun(), first));
      runs.add(run(pair, pair.firstRun() + 1, second));
    }
    return runs;
  }

  private static Run run(PairOutcome pair, int index, RunOutcome outcome) {
    return new Run(
        index, pair.index() + 1, pair.order(), outcome.arm(), pair.counts(), outcome.values());
  }

  private static List<String> voids(PairedExperiment.Pairs pairs) {
    List<String> voids = new ArrayList<>();
    for (PairOutcome pair : pairs.pairs()) {
      pair.voids().forEach(reason -> voids.add("pair " + (pair.index() + 1) + ", " + reason));
    }
    return voids;
  }

  private static Map<Measure, Double> means(List<PairOutcome> pairs, Arm arm) {
    Map<Measure, Double> means = new EnumMap<>(Measure.class);
    for (Measure measure : Measure.values()) {
      double[] values =
          pairs.stream()
              .map(pair -> arm == Arm.A ? pair.a() : pair.b())
              .filter(run -> run.values().containsKey(measure))
              .mapToDouble(run -> run.values().getOrDefault(measure, 0.0))
              .toArray();
      if (values.length > 0) {
        means.put(measure, PairedT.mean(values));
      }
    }
    return means;
  }
}
