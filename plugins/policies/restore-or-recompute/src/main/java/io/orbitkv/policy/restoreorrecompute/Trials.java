package io.orbitkv.policy.restoreorrecompute;

/**
 * Small reads that measure a tier: while nobody knows its bandwidth, and again when nothing was
 * read for long, since a tier that once was slow would otherwise stay slow for ever. Policy thread.
 */
final class Trials {
  /** Between two trials of a tier whose bandwidth nobody knows. */
  private static final long FIRST_GAP_NANOS = 100_000_000;

  private static final double DEAREST_TRIAL = 0.05;
  private static final int PATIENCE = 10;

  private final long againNanos;
  private long lastNanos;
  private boolean read;

  Trials(long againNanos) {
    this.againNanos = againNanos;
  }

  /** Pages of the tier are read now. */
  void reading(long nowNanos) {
    lastNanos = nowNanos;
    read = true;
  }

  /** Whether a tier of unknown bandwidth may be tried now. */
  boolean first(long nowNanos) {
    return !read || nowNanos - lastNanos >= FIRST_GAP_NANOS;
  }

  /**
   * Whether a tier is tried again whose last known bandwidth is not worth it.
   *
   * @param extraNanos what the trial costs the request, by that bandwidth
   * @param finishNanos what the request takes without
   */
  boolean again(long nowNanos, double extraNanos, double finishNanos) {
    if (againNanos == 0) {
      return false;
    }
    long silence = read ? nowNanos - lastNanos : Long.MAX_VALUE;
    return silence >= PATIENCE * againNanos
        || (silence >= againNanos && extraNanos <= DEAREST_TRIAL * finishNanos);
  }
}
