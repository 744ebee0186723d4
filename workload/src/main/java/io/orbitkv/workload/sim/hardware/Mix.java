package io.orbitkv.workload.sim.hardware;

/** Hashing of numbers: the same everywhere and always. */
public final class Mix {
  private static final long GOLDEN = 0x9E3779B97F4A7C15L;

  private Mix() {}

  /** Spreads one number over 64 bits. */
  public static long of(long value) {
    long z = value + GOLDEN;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }

  /** Adds one number to a hash. */
  public static long add(long hash, long value) {
    return of(hash * 31 + value);
  }

  /** A hash of several numbers. */
  public static long of(long first, long second, long third) {
    return add(add(of(first), second), third);
  }
}
