package io.orbitkv.kernel;

import io.orbitkv.api.recovery.RecoveryDemand;
import org.jspecify.annotations.Nullable;

/**
 * A change of one request in an engine's queue.
 *
 * @param requestId the engine's name
 * @param state where it stands now
 * @param groups the groups of the pages it will ask for; empty unless accepted
 * @param pagesOfGroup as many page counts
 * @param keys the keys of the groups one after another, each as (high, low)
 * @param demand of a model with several groups, otherwise null
 */
public record QueuedRequest(
    String requestId,
    State state,
    int[] groups,
    int[] pagesOfGroup,
    long[] keys,
    @Nullable RecoveryDemand demand) {
  /** Where a request stands in the engine's queue. */
  public enum State {
    /** Waiting. */
    ACCEPTED,
    /** Scheduled at least once. */
    EXECUTING,
    /** Finished, aborted or preempted away. */
    GONE
  }
}
