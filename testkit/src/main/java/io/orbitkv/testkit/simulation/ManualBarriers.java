package io.orbitkv.testkit.simulation;

import io.orbitkv.api.backing.BackingStatus;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;

/** Barriers that a test of the same process arms and lets go. Any thread. */
public final class ManualBarriers implements Barriers {
  private static final long PATIENCE_NANOS = Duration.ofMinutes(2).toNanos();

  // Guarded by this.
  private final Set<String> armed = new HashSet<>();
  private final Map<String, Integer> waiting = new HashMap<>();
  private final Map<String, BackingStatus> ends = new HashMap<>();

  /** Nothing is armed. */
  public ManualBarriers() {}

  /** From now on work waits at the point. */
  public synchronized void arm(String point) {
    armed.add(point);
  }

  /** Lets go what waits at the point and whatever comes. */
  public synchronized void release(String point) {
    armed.remove(point);
    notifyAll();
  }

  /** What becomes of work that passes the point from now on. */
  public synchronized void end(String point, BackingStatus status) {
    ends.put(point, status);
  }

  /**
   * Waits until work waits at the point.
   *
   * @throws AssertionError after two minutes
   */
  public synchronized void awaitReached(String point) {
    await(() -> waiting.getOrDefault(point, 0) > 0, "nothing has come to [" + point + "]");
  }

  /**
   * {@inheritDoc}
   *
   * @throws AssertionError when nobody lets it go within two minutes
   */
  @Override
  public synchronized BackingStatus pass(String point) {
    waiting.merge(point, 1, Integer::sum);
    notifyAll();
    try {
      await(() -> !armed.contains(point), "nobody lets go what waits at [" + point + "]");
    } finally {
      waiting.merge(point, -1, Integer::sum);
    }
    return ends.getOrDefault(point, BackingStatus.DONE);
  }

  /** The caller holds the lock. */
  private void await(BooleanSupplier there, String late) {
    long start = System.nanoTime();
    while (!there.getAsBoolean()) {
      long left = PATIENCE_NANOS - (System.nanoTime() - start);
      if (left <= 0) {
        throw new AssertionError(late);
      }
      try {
        wait(Math.max(1, left / 1_000_000));
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        throw new AssertionError("interrupted: " + late, interrupted);
      }
    }
  }
}
