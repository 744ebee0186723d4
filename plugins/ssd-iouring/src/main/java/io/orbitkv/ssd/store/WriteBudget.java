package io.orbitkv.ssd.store;

import java.math.BigInteger;

/** A token bucket of bytes: holds a day's writes, fills evenly over a day of monotonic time. */
final class WriteBudget {
  private static final long DAY_NANOS = 24L * 60 * 60 * 1_000_000_000;

  private final long bytesPerDay;
  private long level;
  private long since;
  private long spentBytes;

  /**
   * @param bytesPerDay 0 for no limit
   * @param nowNanos of a monotonic clock
   */
  WriteBudget(long bytesPerDay, long nowNanos) {
    this.bytesPerDay = bytesPerDay;
    this.level = bytesPerDay;
    this.since = nowNanos;
  }

  /** Continues where an earlier opening left off. */
  void restore(long bytes) {
    level = Math.min(bytesPerDay, bytes);
  }

  void tick(long nowNanos) {
    if (bytesPerDay == 0) {
      return;
    }
    long elapsed = nowNanos - since;
    if (elapsed >= DAY_NANOS) {
      level = bytesPerDay;
      since = nowNanos;
      return;
    }
    long earned = share(elapsed, bytesPerDay, DAY_NANOS);
    level = Math.min(bytesPerDay, level + earned);
    // What is less than a byte counts the next time.
    since += share(earned, DAY_NANOS, bytesPerDay);
  }

  private static long share(long amount, long numerator, long denominator) {
    return BigInteger.valueOf(amount)
        .multiply(BigInteger.valueOf(numerator))
        .divide(BigInteger.valueOf(denominator))
        .longValue();
  }

  boolean allows(long bytes) {
    return bytesPerDay == 0 || level >= bytes;
  }

  void spend(long bytes) {
    spentBytes += bytes;
    if (bytesPerDay != 0) {
      level -= bytes;
    }
  }

  /** Bytes spent since this store was opened, limit or not. */
  long spent() {
    return spentBytes;
  }

  /** Bytes left, below zero after headers and footers; the largest number without a limit. */
  long left() {
    return bytesPerDay == 0 ? Long.MAX_VALUE : level;
  }
}
