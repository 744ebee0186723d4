package io.orbitkv.workload.sim.run;

import io.orbitkv.api.lease.BudgetLimits;
import io.orbitkv.kernel.KernelSettings;
import io.orbitkv.kernel.Lifetimes;
import io.orbitkv.kernel.OperationLimits;
import io.orbitkv.kernel.ReadSettings;
import io.orbitkv.kernel.WriteSettings;
import io.orbitkv.workload.sim.hardware.Arena;
import io.orbitkv.workload.sim.hardware.Chance;
import io.orbitkv.workload.sim.rule.Scenario;
import java.time.Duration;

/** Limits so small that every one of them is reached, different for each seed. */
final class SimulatedSettings {
  /** Frames of the two nodes. */
  static final int[] NODE_FRAMES = {110, 50};

  private static final int LONGEST_QUERY = 48;

  private SimulatedSettings() {}

  static KernelSettings of(Chance chance, Scenario scenario) {
    long total = (32 + chance.below(24)) * Arena.FRAME_BYTES;
    long instance = total - chance.below(12) * Arena.FRAME_BYTES;
    OperationLimits limits =
        new OperationLimits(
            5 + chance.below(5),
            12 + chance.below(10),
            3 + chance.below(3),
            5 + chance.below(4),
            2 + chance.below(2),
            2 + chance.below(4),
            LONGEST_QUERY);
    Lifetimes lifetimes =
        new Lifetimes(
            Lifetimes.DEFAULT.operation(),
            Duration.ofSeconds(30 + chance.below(60)),
            Lifetimes.DEFAULT.offer(),
            Duration.ofSeconds(20 + chance.below(60)),
            Lifetimes.DEFAULT.preparation(),
            Lifetimes.DEFAULT.warming());
    WriteSettings writes =
        scenario.backing()
            ? new WriteSettings(
                (6 + chance.below(40)) * Arena.FRAME_BYTES,
                (1 + chance.below(16)) * Arena.FRAME_BYTES,
                1 << 16)
            : WriteSettings.NONE;
    return KernelSettings.of(new BudgetLimits(total, instance), 70 + chance.below(60))
        .with(limits)
        .with(lifetimes)
        .with(reads(chance), writes)
        .withCertificateEvery(1);
  }

  private static ReadSettings reads(Chance chance) {
    long batch = chance.below(4) * 2L * Arena.FRAME_BYTES;
    int batches = chance.oneIn(3) ? 1 + chance.below(3) : 0;
    Duration timeout =
        chance.oneIn(3) ? Duration.ofMillis(20 + chance.below(2_000)) : Duration.ZERO;
    return new ReadSettings(batch, batches, timeout, 1 + chance.below(3), chance.oneIn(2));
  }
}
