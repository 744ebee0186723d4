package io.orbitkv.ssd.sim.run;

import io.orbitkv.ssd.sim.rule.Invariant;
import io.orbitkv.ssd.sim.rule.InvariantViolation;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a run did and found.
 *
 * @param seed of the run
 * @param digest over everything that happened
 * @param crashes of the simulated process or machine
 * @param tally counts
 * @param checked how often each invariant was checked
 * @param violation null when everything held
 * @param trail the last events, when the run was traced
 */
public record SeedResult(
    long seed,
    long digest,
    long crashes,
    Tally tally,
    Map<Invariant, Long> checked,
    @Nullable InvariantViolation violation,
    List<String> trail) {}
