package io.orbitkv.policy.restoreorrecompute;

/**
 * How busy one engine is. Where it tells what it still has to compute, that is the truth. Where it
 * does not, the requests that were asked about stand for all: those without a stored page are never
 * asked about, so it is less than the truth. Policy thread.
 */
final class EngineLoad {
  private static final double NEWEST_SHARE = 0.05;

  /** Demand of this time counts, the older the less. */
  private static final double MEMORY_NANOS = 60e9;

  /** Of its own work, less of which counts as none. */
  private static final double IDLE_SHARE = 0.02;

  private static final double FULL = 0.95;
  private static final double LONGEST_NANOS = 3.6e15;

  /** With more, a tier that is slower by far is read from as soon as the engine is busy. */
  private static final double HIGHEST_PRICE = 5;

  /** No engine has more requests waiting than this. */
  private static final double MOST_QUEUED = 10_000;

  /** For what is never asked about. */
  private static final double UNSEEN = 1.5;

  /** Share of requests that find the engine busy from which on a guessed load counts in full. */
  private static final double SURELY_BUSY = 0.25;

  private final long startNanos;
  private double doneAtNanos;
  private double busyShare;
  private double computeEachNanos;
  private double demandNanos;
  private double lastNanos;

  EngineLoad(long startNanos) {
    this.startNanos = startNanos;
  }

  /** Nanoseconds until the engine has done what it is known to have. */
  double nanosLeft(long nowNanos) {
    return Math.max(0, doneAtNanos - since(nowNanos));
  }

  /** A request was asked about that finds the engine busy for so long, or idle. */
  void met(long nowNanos, double engineNanos, double computeNanos) {
    boolean busy = engineNanos > IDLE_SHARE * computeNanos;
    busyShare += NEWEST_SHARE * ((busy ? 1 : 0) - busyShare);
    double age = Math.max(0, since(nowNanos) - lastNanos);
    demandNanos =
        demandNanos * Math.exp(-age / MEMORY_NANOS) + Math.min(computeNanos, LONGEST_NANOS);
    lastNanos = since(nowNanos);
  }

  /**
   * A request leaves so much to compute. Gaps in which the engine waits for a read are no work: if
   * they counted, a slow tier would look free to read from.
   */
  void add(long nowNanos, double computeNanos) {
    double left = Math.min(LONGEST_NANOS, computeNanos);
    computeEachNanos =
        computeEachNanos == 0 ? left : computeEachNanos + NEWEST_SHARE * (left - computeEachNanos);
    doneAtNanos = since(nowNanos) + Math.min(LONGEST_NANOS, nanosLeft(nowNanos) + left);
  }

  /**
   * What computing for a nanosecond costs those behind, of an engine that tells its queue: as many
   * nanoseconds as there are requests behind. In any stretch of time in which an engine is busy as
   * many come behind a request as wait before it, on the average; those that wait before it are
   * what is queued over what one leaves to compute. Of an engine that idles at the moment it is
   * what it mostly is like that counts; by half, for what is queued now is a part of that.
   *
   * @param engineNanos that the engine has still to compute
   */
  double price(double engineNanos) {
    double queued = computeEachNanos == 0 ? 0 : engineNanos / computeEachNanos;
    return Math.min(HIGHEST_PRICE, odds(busyShare)) / 2 + Math.min(MOST_QUEUED, queued);
  }

  /**
   * The same of an engine that does not tell: as in any queue it grows with the load without bound.
   */
  double guessedPrice() {
    double sure = Math.min(1, busyShare / SURELY_BUSY);
    return Math.min(HIGHEST_PRICE, sure * odds(UNSEEN * demandNanos / MEMORY_NANOS));
  }

  private static double odds(double share) {
    double bounded = Math.min(FULL, share);
    return bounded / (1 - bounded);
  }

  private double since(long nowNanos) {
    return nowNanos - startNanos;
  }
}
