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

  private long absentStep = NEVER;
  private boolean once;
  private boolean reported;

  /** The step at which a read of it ended well. */
  long readStep = NEVER;

  PageModel(int worldSize) {
    copied = new long[worldSize];
    committed = new long[worldSize];
    Arrays.fill(copied, NEVER);
    Arrays.fill(committed, NEVER);
  }

  /** The kernel fetches the page: so it has not got it at this moment. */
  void absent(long step) {
    once |= findable();
    absentStep = step;
    reported = false;
    publishedStep = NEVER;
    readStep = NEVER;
  }

  /** A rank copies its slot: so the page is not there, and this slot least of all. */
  void copying(int rank, long step) {
    absent(step);
    copied[rank] = NEVER;
    committed[rank] = NEVER;
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

  /** A read of it reported: whatever bytes it brought are checked when somebody gets them. */
  void readReported() {
    reported = true;
  }

  /** Whether a read of it reported since the kernel had it not. */
  boolean reported() {
    return reported;
  }

  /** Whether somebody may hold it who has asked at a step, though it is not findable any more. */
  boolean heldSince(long step) {
    return once && step < absentStep;
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

  @Override
  public String toString() {
    return "published "
        + publishedStep
        + ", read "
        + readStep
        + ", absent "
        + absentStep
        + (once ? " once there" : "");
  }
}
