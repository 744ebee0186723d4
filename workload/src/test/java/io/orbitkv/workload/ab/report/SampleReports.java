package io.orbitkv.workload.ab.report;

import io.orbitkv.workload.ab.assign.Arm;
import io.orbitkv.workload.ab.assign.Split;
import io.orbitkv.workload.ab.live.PairedExperiment;
import io.orbitkv.workload.ab.live.ScriptedArms;
import io.orbitkv.workload.ab.live.VoidCause;
import io.orbitkv.workload.ab.report.ExperimentReport.Fact;
import io.orbitkv.workload.ab.simulate.SimulatedExperiment;
import io.orbitkv.workload.ab.simulate.SimulatedExperiment.Resamples;
import io.orbitkv.workload.ab.simulate.SyntheticModel;
import io.orbitkv.workload.ab.verdict.Criteria;
import io.orbitkv.workload.ab.verdict.Measure;
import java.util.List;
import java.util.Map;

/** Reports as experiments make them. */
final class SampleReports {
  private static final Map<Arm, String> POLICIES =
      Map.of(
          Arm.A,
          "{}",
          Arm.B,
          "{\n  \"admission\": {\n    \"ssd\": \"write-on-reuse <script>\"\n  }\n}");

  private SampleReports() {}

  static ExperimentReport live() throws Exception {
    PairedExperiment.Pairs pairs =
        new PairedExperiment(
                new ScriptedArms(2, -0.1, 0.02).voidRun(5, VoidCause.POLICY_FALLBACK), 8, 42)
            .run();
    return LiveReport.of(
        "comeback-1",
        "generated (seed 1)",
        List.of(new Fact("start", "warm"), new Fact("bytes_per_token", "1024")),
        POLICIES,
        40_000,
        Criteria.byDefault(),
        pairs,
        List.of());
  }

  static ExperimentReport simulated() {
    SyntheticModel model = new SyntheticModel(1, 0.02, 3_600);
    Criteria criteria =
        new Criteria(
            Measure.TTFT_MEAN,
            0.02,
            List.of(
                new Criteria.Guard(Measure.SSD_WRITTEN_BYTES, 0),
                new Criteria.Guard(Measure.THROUGHPUT, -0.01)));
    return SimulatedReport.of(
        "write-on-reuse",
        model.trace(),
        List.of(new Fact("isolation", "partition"), new Fact("memory", "64 MiB")),
        POLICIES,
        model.durationSeconds(),
        criteria,
        SimulatedExperiment.partition(model, criteria, new Split(0.5, 7), new Resamples(200, 1)),
        model.references(),
        List.of());
  }
}
