package io.orbitkv.manager.dispatch;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Lets one consumer wait for work without missing any. A producer makes its work visible with a
 * volatile write and then calls {@link #signal}; the consumer announces that it is about to wait
 * and looks once more. Both orders are total, so at least one of them sees the other.
 *
 * <p>Spinning for a moment before parking saves the wake-up (tens of microseconds) when requests
 * follow each other closely; it adapts, so that an idle or oversubscribed machine loses next to
 * nothing.
 */
public final class Parker {
  private static final long LONGEST_SPIN_NANOS = 20_000;
  private static final long SHORTEST_SPIN_NANOS = 1_000;
  private static final int SPINS_A_LOOK = 16;

  private final AtomicBoolean waiting = new AtomicBoolean();
  private volatile @Nullable Thread consumer;
  private long spinNanos = LONGEST_SPIN_NANOS;

  /** Makes a parker without a consumer; the first thread that awaits is it. */
  public Parker() {}

  /** Producer. Wakes the consumer if it waits. */
  public void signal() {
    if (waiting.get() && waiting.compareAndSet(true, false)) {
      LockSupport.unpark(consumer);
    }
  }

  /**
   * Consumer. Waits until {@code ready} holds, somebody signalled or nothing happened for {@code
   * maxNanos}. May return early.
   */
  public void await(BooleanSupplier ready, long maxNanos) {
    if (spin(ready)) {
      return;
    }
    if (consumer == null) {
      consumer = Thread.currentThread();
    }
    waiting.set(true);
    if (!ready.getAsBoolean()) {
      LockSupport.parkNanos(this, maxNanos);
    }
    waiting.set(false);
  }

  private boolean spin(BooleanSupplier ready) {
    long start = System.nanoTime();
    while (System.nanoTime() - start < spinNanos) {
      for (int i = 0; i < SPINS_A_LOOK; i++) {
        if (ready.getAsBoolean()) {
          spinNanos = Math.min(LONGEST_SPIN_NANOS, spinNanos * 2);
          return true;
        }
        Thread.onSpinWait();
      }
    }
    spinNanos = Math.max(SHORTEST_SPIN_NANOS, spinNanos / 2);
    return false;
  }
}
