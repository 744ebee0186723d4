package io.orbitkv.workload.ab.report;

import io.orbitkv.workload.ab.assign.Arm;
import io.orbitkv.workload.ab.report.ExperimentReport.Fact;
import io.orbitkv.workload.ab.report.ExperimentReport.Kind;
import io.orbitkv.workload.ab.report.ExperimentReport.Run;
import io.orbitkv.workload.ab.report.ExperimentReport.Variant;
import io.orbitkv.workload.ab.simulate.ReferenceLines;
import io.orbitkv.workload.ab.simulate.SimulatedArm;
import io.orbitkv.workload.ab.simulate.SimulatedExperiment;
import io.orbitkv.workload.ab.simulate.SimulatedRequest;
import io.orbitkv.workload.ab.verdict.Criteria;
import io.orbitkv.workload.ab.verdict.Measure;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** The report on runs of a model. */
public final class SimulatedReport {
  /** Stretches of time that charts show. */
  private static final double STRETCH_SECONDS = 300;

  private SimulatedReport() {}

  /**
   * Reports.
   *
   * @param setup what was the same for both
   * @param policies of each variant, as JSON
   * @param durationSeconds of the trace
   */
  public static ExperimentReport of(
      String name,
      String trace,
      List<Fact> setup,
      Map<Arm, String> policies,
      double durationSeconds,
      Criteria criteria,
      SimulatedExperiment.Result result,
      ReferenceLines references,
      List<String> furtherNotes) {
    List<String> notes = new ArrayList<>(furtherNotes);
    notes.add(
        "All times are modelled. A model gives the same each time: the interval says what another"
            + " stretch of this workload would give, not what another run would.");
    notes.add(
        result.coldStart()
            ? "Cold start: measured from the first request on, since too little of the trace is"
                + " left once every tier has turned over."
            : String.format(
                Locale.ROOT,
                "Measured from %.0f s on, when every tier had turned over in both variants; totals"
                    + " of the variants are of the whole trace.",
                result.measuredFromSeconds()));
    if (criteria.primary().basis() != Measure.Basis.TIME) {
      result
          .longWaits()
          .ifPresent(
              why -> notes.add("Intervals of times are narrower than the truth: " + why + "."));
    }
    LiveReport.notMeasured(criteria, result.judgement(), notes);
    boolean open = result.judgement().open() && Double.isFinite(result.hoursForMargin());
    return new ExperimentReport(
        name,
        Kind.SIMULATION,
        trace,
        setup,
        List.of(
            new Variant(Arm.A, policies.getOrDefault(Arm.A, "{}"), values(result.a())),
            new Variant(Arm.B, policies.getOrDefault(Arm.B, "{}"), values(result.b()))),
        criteria,
        result.judgement(),
        open
            ? String.format(
                Locale.ROOT,
                "%.1f hours of this workload to see a difference of %s",
                result.hoursForMargin(),
                criteria.marginText())
            : "",
        stretches(result, durationSeconds),
        Optional.empty(),
        List.of(),
        Optional.of(references),
        notes);
  }

  private static List<Run> stretches(SimulatedExperiment.Result result, double durationSeconds) {
    List<Run> runs = new ArrayList<>();
    int stretches = Math.max(1, (int) Math.ceil(durationSeconds / STRETCH_SECONDS));
    for (int stretch = 0; stretch < stretches; stretch++) {
      double from = stretch * STRETCH_SECONDS;
      boolean counts = from + STRETCH_SECONDS > result.measuredFromSeconds();
      add(runs, stretch, Arm.A, result.a(), from, counts);
      add(runs, stretch, Arm.B, result.b(), from, counts);
    }
    return runs;
  }

  private static void add(
      List<Run> runs, int stretch, Arm arm, SimulatedArm all, double from, boolean counts) {
    SimulatedArm part =
        new SimulatedArm(
            all.requests().stream()
                .filter(request ->
                    request.arrivalSeconds() >= from
                        && request.arrivalSeconds() < from + STRETCH_SECONDS)
                .toList());
    if (!part.requests().isEmpty()) {
      runs.add(new Run(stretch, stretch + 1, "", arm, counts, values(part)));
    }
  }

  private static Map<Measure, Double> values(SimulatedArm arm) {
    Map<Measure, Double> values = new EnumMap<>(Measure.class);
    values.put(Measure.PREFIX_HIT_RATIO, arm.prefixHitRatio());
    values.put(Measure.SSD_READ_BYTES, (double) arm.ssdReadBytes());
    values.put(Measure.SSD_WRITTEN_BYTES, (double) arm.ssdWrittenBytes());
    if (arm.meanFirstTokenSeconds() > 0) {
      double[] times =
          arm.requests().stream()
              .mapToDouble(SimulatedRequest::firstTokenSeconds)
              .sorted()
              .toArray();
      values.put(Measure.TTFT_MEAN, arm.meanFirstTokenSeconds());
      values.put(Measure.TTFT_P50, percentile(times, 0.50));
      values.put(Measure.TTFT_P95, percentile(times, 0.95));
      values.put(Measure.TTFT_P99, percentile(times, 0.99));
    }
    return values;
  }

  private static double percentile(double[] sorted, double share) {
    return sorted[Math.max(0, (int) Math.ceil(share * sorted.length) - 1)];
  }
}
