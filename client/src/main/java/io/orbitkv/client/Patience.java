package io.orbitkv.client;

import java.util.concurrent.locks.LockSupport;

/**
 * How a thread waits for what the Manager does at once or much later: first on its core, then
 * giving way to a Manager that shares it, then asleep for short, then for long.
 *
 * <p>An answer from memory is there 50 to 100 microseconds after its question: that long a waiter
 * stays awake. The counts are coarse on purpose.
 */
final class Patience {
  private static final int SPINS = 200;
  private static final int YIELDS = 200;

  /**
   * With what the system adds to each sleep, an answer on the board is seen some 100 microseconds
   * after it was written, for a small part of a core.
   */
  static final long SHORT_PARK_NANOS = 50_000;

  /**
   * That many short sleeps take about 10 ms. What takes longer than that waits for a device or a
   * budget, and a millisecond more is a small part of it.
   */
  static final int SHORT_PARKS = 100;

  /** Longest sleep of somebody whom only a look at the board tells. */
  static final long LONG_PARK_NANOS = 1_000_000;

  /** Longest sleep of somebody who is woken, and looks up only for the limit of the wait. */
  static final long WOKEN_PARK_NANOS = 20_000_000;

  private Patience() {}

  /** Whether a wait in its {@code round}, from 0, still stays awake; then a little has passed. */
  // To give way is the point: on few cores the Manager needs this one to answer.
  @SuppressWarnings("ThreadPriorityCheck")
  static boolean stayAwake(int round) {
    if (round < SPINS) {
      Thread.onSpinWait();
      return true;
    }
    if (round < SPINS + YIELDS) {
      Thread.yield();
      return true;
    }
    return false;
  }

  /**
   * Passes the time until the next look.
   *
   * @param blocker what is waited for, for tools
   * @param round how often it was looked before, from 0
   * @param woken whether somebody unparks this thread when the answer is there
   * @param leftNanos the most that may pass asleep
   */
  static void pass(Object blocker, int round, boolean woken, long leftNanos) {
    if (woken) {
      LockSupport.parkNanos(blocker, Math.min(WOKEN_PARK_NANOS, leftNanos));
    } else if (!stayAwake(round)) {
      LockSupport.parkNanos(blocker, Math.min(parkNanos(round - SPINS - YIELDS), leftNanos));
    }
  }

  /** How long the {@code number}th sleep of a wait is, from 0. */
  static long parkNanos(int number) {
    if (number < SHORT_PARKS) {
      return SHORT_PARK_NANOS;
    }
    int doublings = Math.min(number - SHORT_PARKS + 1, 10);
    return Math.min(SHORT_PARK_NANOS << doublings, LONG_PARK_NANOS);
  }
}
