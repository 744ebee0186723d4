package io.orbitkv.kernel.recovery;

import io.orbitkv.api.page.WorkerLayout;
import io.orbitkv.api.recovery.RecoveryContract;
import java.util.Arrays;

/**
 * What the registration of an instance settled, once and for all of its leases. A check takes it
 * for true; everything else has to agree with it.
 *
 * @param generation the instance's generation
 * @param contract what its model needs
 * @param ranks its world size: how many runs a complete page has
 * @param domains the number of each group's key space, by group; not to be changed
 */
public record SealedModel(long generation, RecoveryContract contract, int ranks, int[] domains) {
  /**
   * @throws IllegalArgumentException when the ranks are out of range, or the key spaces are not one
   *     for each group, all different
   */
  public SealedModel {
    if (ranks < 1 || ranks > WorkerLayout.MAX_RANKS) {
      throw new IllegalArgumentException(
          "[" + ranks + "] ranks: must be 1.." + WorkerLayout.MAX_RANKS);
    }
    int groups = contract.groups().size();
    if (domains.length != groups || Arrays.stream(domains).distinct().count() != groups) {
      throw new IllegalArgumentException(
          "key spaces "
              + Arrays.toString(domains)
              + ": each of the ["
              + groups
              + "] groups has its own");
    }
  }
}
