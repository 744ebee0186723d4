package io.orbitkv.api.policy;

import java.util.List;

/**
 * Chooses chains to read into the reclaimable class without an owner. The kernel asks only while no
 * foreground byte is owned.
 */
public non-sealed interface WarmingPolicy extends Policy {
  /**
   * Policy thread. The queue changed and no foreground byte is owned.
   *
   * @param queue accepted requests in arrival order
   * @return indices into {@code queue} whose chains to warm, in order of preference
   */
  List<Integer> warm(List<RequestFacts> queue);
}
