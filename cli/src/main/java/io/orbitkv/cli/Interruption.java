package io.orbitkv.cli;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Lets a long command end by itself on Ctrl-C or SIGTERM: it is told to stop, prints what it has,
 * cleans up, and the process ends with the status of the signal. Covers a whole command; one at a
 * time.
 */
final class Interruption implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final AtomicBoolean UNDER_WAY = new AtomicBoolean();

  private final PrintWriter out;
  private final CountDownLatch finished = new CountDownLatch(1);
  private final Thread hook = new Thread(this::interrupted, "orbitkv-interruption");
  // Guarded by this.
  private Runnable stop = () -> {};
  private boolean requested;

  /**
   * From now on a signal no longer ends the process at once.
   *
   * @param out flushed before the process may end
   */
  Interruption(PrintWriter out) {
    this.out = out;
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /** Whether the process is ending because of a signal. */
  static boolean isUnderWay() {
    return UNDER_WAY.get();
  }

  /** A signal calls {@code action}, on another thread; at once when the signal was there before. */
  synchronized void stopWith(Runnable action) {
    stop = action;
    if (requested) {
      action.run();
    }
  }

  /** The command has printed and cleaned up. */
  @Override
  public void close() {
    out.flush();
    finished.countDown();
    if (!isUnderWay()) {
      try {
        boolean _ = Runtime.getRuntime().removeShutdownHook(hook);
      } catch (IllegalStateException ending) {
        // The signal came in between; the hook finds the latch open.
      }
    }
  }

  private void interrupted() {
    UNDER_WAY.set(true);
    synchronized (this) {
      requested = true;
      stop.run();
    }
    try {
      // Without an end in this time the process ends all the same: whoever asked is waiting.
      boolean _ = finished.await(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException ended) {
      Thread.currentThread().interrupt();
    }
  }
}
