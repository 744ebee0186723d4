package io.orbitkv.workload.sim.run;

import io.orbitkv.workload.sim.hardware.StateSketch;
import io.orbitkv.workload.sim.rule.Fault;
import io.orbitkv.workload.sim.rule.Invariant;
import io.orbitkv.workload.sim.rule.InvariantViolation;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What one run did. Its parts are nobody else's.
 *
 * @param seed of the run
 * @param steps of the kernel
 * @param digest over all commands
 * @param faults injected
 * @param checked how often
 * @param states that were visited
 * @param coverage pairs that were visited
 * @param violation how it ended early, or null
 * @param trail the last events before the violation, as text
 */
public record SeedResult(
    long seed,
    long steps,
    long digest,
    Map<Fault, Long> faults,
    Map<Invariant, Long> checked,
    StateSketch states,
    Coverage coverage,
    @Nullable InvariantViolation violation,
    List<String> trail) {}
