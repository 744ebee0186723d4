package io.orbitkv.workload.sim.run;

import java.util.Arrays;

/**
 * What could have made a page findable. Kept as necessary conditions: the kernel may have given the
 * page up, but it cannot have it without one of these.
 */
final class PageModel {
  private static final long NEVER = -1;

  private final long[] copied;
  private final long[] committed;

  /** The step at which the last slot was copied and committed. */
  private long publishedStep = NEVER;

  /** The step at which a read of it ended well. */
  long readStep = NEVER;

  /** Whether the store has told that it has it. */
  boolean stored;

  PageModel(int worldSize) {
    copied = new long[worldSize];
    committed = new long[worldSize];
    Arrays.fill(copied, NEVER);
    Arrays.fill(committed, NEVER);
  }

  void copied(int rank, long step) {
    copied[rank] = step;
  }

  /** A rank's slot is copied and committed. */
  void committed(int rank, long step) {
    committed[rank] = step;
    if (all(committed)) {
      publishedStep = step;
    }
  }

  boolean findableSince(long evictedStep) {
    return publishedStep > evictedStep || readStep > evictedStep;
  }

  boolean findable() {
    return findableSince(NEVER);
  }

  boolean copiedByAll() {
    return all(copied);
  }

  private static boolean all(long[] steps) {
    for (long step : steps) {
      if (step == NEVER) {
        return false;
      }
    }
    return true;
  }
}
