package io.orbitkv.workload.sim.run;

import io.orbitkv.api.lease.BudgetLimits;
import io.orbitkv.kernel.KernelSettings;
import io.orbitkv.workload.sim.hardware.Arena;
import io.orbitkv.workload.sim.hardware.Chance;
import java.time.Duration;

/** Limits so small that every one of them is reached, different for each seed. */
final class SimulatedSettings {
  /** Frames of the two nodes. */
  static final int[] NODE_FRAMES = {110, 50};

  private SimulatedSettings() {}

  static KernelSettings of(Chance chance) {
    long total = (32 + chance.below(24)) * Arena.FRAME_BYTES;
    long instance = total - chance.below(12) * Arena.FRAME_BYTES;
    KernelSettings usual =
        KernelSettings.of(new BudgetLimits(total, instance), 70 + chance.below(60));
    return new KernelSettings(
        usual.budget(),
        usual.maxPages(),
        5 + chance.below(5),
        12 + chance.below(10),
        2 + chance.below(4),
        48,
        usual.operationLifetime(),
        Duration.ofSeconds(30 + chance.below(60)),
        usual.offerLifetime(),
        Duration.ofSeconds(20 + chance.below(60)));
  }
}
