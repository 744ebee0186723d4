package io.orbitkv.manager.dispatch;

import io.orbitkv.api.policy.Facts;
import java.util.HashMap;
import java.util.Map;

/**
 * What one direction of a backing tier gives: bytes a second while it is busy, and the time of a
 * page, both as exponentially weighted means. Dispatcher.
 *
 * <p>Time is busy while at least one operation is submitted and not reported. A sample is taken
 * each time that 10 ms of it have gathered, over several bursts when they are short: shorter
 * samples would show how reports come in bundles rather than what the device gives.
 */
final class TierMeter {
  private static final double NEWEST_SHARE = 0.2;
  private static final long SAMPLE_NANOS = 10_000_000;
  private static final double NANOS_A_SECOND = 1e9;

  private final Map<Long, Submitted> open = new HashMap<>();
  private long busySinceNanos;
  private long sampleNanos;
  private long sampleBytes;
  private double bytesPerNano = -1;
  private double latencyNanos = -1;

  private record Submitted(long bytes, long nanos) {}

  /** The tier took an operation. */
  void submitted(long ticket, long bytes, long nowNanos) {
    if (open.isEmpty()) {
      busySinceNanos = nowNanos;
    }
    open.put(ticket, new Submitted(bytes, nowNanos));
  }

  /**
   * The tier reported an operation, or it was reported in the tier's place.
   *
   * @param good whether its bytes moved
   */
  void reported(long ticket, boolean good, long nowNanos) {
    Submitted submitted = open.remove(ticket);
    if (submitted == null) {
      return;
    }
    sampleNanos += nowNanos - busySinceNanos;
    busySinceNanos = nowNanos;
    if (good) {
      sampleBytes += submitted.bytes();
      latencyNanos = mean(latencyNanos, (double) nowNanos - submitted.nanos());
    }
    if (sampleNanos >= SAMPLE_NANOS) {
      if (sampleBytes > 0) {
        bytesPerNano = mean(bytesPerNano, (double) sampleBytes / sampleNanos);
      }
      sampleNanos = 0;
      sampleBytes = 0;
    }
  }

  /** Bytes a second, or {@link Facts#UNKNOWN} before the first sample. */
  long bytesPerSecond() {
    return bytesPerNano < 0 ? Facts.UNKNOWN : Math.round(bytesPerNano * NANOS_A_SECOND);
  }

  /** Mean time of a page, or {@link Facts#UNKNOWN} before the first. */
  long latencyNanos() {
    return latencyNanos < 0 ? Facts.UNKNOWN : Math.round(latencyNanos);
  }

  private static double mean(double before, double newest) {
    return before < 0 ? newest : before + NEWEST_SHARE * (newest - before);
  }
}
