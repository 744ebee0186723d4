package io.orbitkv.workload.policy;

import io.orbitkv.api.policy.Policy;
import io.orbitkv.api.policy.PolicyContext;
import java.util.function.Function;

/**
 * A policy that is to be measured.
 *
 * @param name in reports
 * @param replayable whether equal inputs give equal decisions
 * @param create makes an instance for one run
 */
public record BenchedPolicy(
    String name, boolean replayable, Function<? super PolicyContext, ? extends Policy> create) {}
