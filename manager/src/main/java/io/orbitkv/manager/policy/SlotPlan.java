package io.orbitkv.manager.policy;

import java.util.List;
import java.util.stream.Collectors;

/**
 * What is to serve in one slot.
 *
 * @param builtIn name of the built-in that serves when there is no policy
 * @param policies of plugins: none, one, or several for the cutoff
 */
public record SlotPlan(String builtIn, List<PolicySpec> policies) {
  /** A slot whose default policy is not there, or that has none: what is built in serves. */
  public static final String DEFAULT = "default";

  /** A slot that no policy is to serve: what is built in serves. */
  public static final String NONE = "none";

  /** The kernel's default. */
  public static final SlotPlan KERNEL = builtIn(DEFAULT);

  /** Copies the list. */
  public SlotPlan {
    policies = List.copyOf(policies);
  }

  /** The kernel's default under one of its names. */
  public static SlotPlan builtIn(String name) {
    return new SlotPlan(name, List.of());
  }

  /** Policies of plugins. */
  public static SlotPlan of(List<PolicySpec> policies) {
    return new SlotPlan(DEFAULT, policies);
  }

  /** Names and settings. */
  @Override
  public String toString() {
    return policies.isEmpty()
        ? builtIn
        : policies.stream().map(PolicySpec::toString).collect(Collectors.joining(", "));
  }
}
