package io.orbitkv.workload.sim.run;

import io.orbitkv.workload.sim.InvariantViolation;
import io.orbitkv.workload.sim.hardware.StateSketch;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one run did. The arrays are nobody else's.
 *
 * @param seed of the run
 * @param steps of the kernel
 * @param digest over all commands
 * @param faults injected, by ordinal of {@link io.orbitkv.workload.sim.Fault}
 * @param checked times, by ordinal of {@link io.orbitkv.workload.sim.Invariant}
 * @param states that were visited
 * @param coverage pairs that were visited
 * @param violation how it ended early, or null
 * @param trail the last events before the violation, as text
 */
public record SeedResult(
    long seed,
    long steps,
    long digest,
    long[] faults,
    long[] checked,
    StateSketch states,
    Coverage coverage,
    @Nullable InvariantViolation violation,
    List<String> trail) {}
