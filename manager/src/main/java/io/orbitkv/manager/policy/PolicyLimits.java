package io.orbitkv.manager.policy;

import java.time.Duration;

/**
 * Limits of one policy instance.
 *
 * @param facts that may wait for the policy
 * @param questions that may be on their way to the policy and back
 * @param timers that may wait
 * @param stuckAfter how long one call may take before the policy is abandoned
 */
public record PolicyLimits(int facts, int questions, int timers, Duration stuckAfter) {
  /** The limits of the specification. */
  public static final PolicyLimits DEFAULT =
      new PolicyLimits(4096, 256, 1024, Duration.ofSeconds(1));
}
