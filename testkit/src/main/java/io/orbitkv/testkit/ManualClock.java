package io.orbitkv.testkit;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** A monotonic clock that moves only when told to. Any thread. */
public final class ManualClock implements LongSupplier {
  private final AtomicLong nowNanos;

  /**
   * @param startNanos the first reading; any value, since only differences have a meaning
   */
  public ManualClock(long startNanos) {
    nowNanos = new AtomicLong(startNanos);
  }

  /** The time in nanoseconds. */
  @Override
  public long getAsLong() {
    return nowNanos.get();
  }

  /**
   * Moves the clock.
   *
   * @return the new time in nanoseconds
   * @throws IllegalArgumentException when {@code step} is negative
   */
  public long advance(Duration step) {
    if (step.isNegative()) {
      throw new IllegalArgumentException("a monotonic clock does not go back by [" + step + "]");
    }
    return nowNanos.addAndGet(step.toNanos());
  }
}
