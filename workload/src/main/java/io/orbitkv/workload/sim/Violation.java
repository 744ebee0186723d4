package io.orbitkv.workload.sim;

import io.orbitkv.workload.sim.rule.Invariant;
import io.orbitkv.workload.sim.rule.RecordedAction;
import java.util.List;

/**
 * An invariant that does not hold.
 *
 * @param seed of the run
 * @param step of the kernel at which it was seen
 * @param invariant which
 * @param what does not hold, and for what
 * @param trail the last events
 * @param actions of the shortest run known that shows it
 */
public record Violation(
    long seed,
    long step,
    Invariant invariant,
    String what,
    List<String> trail,
    List<RecordedAction> actions) {}
