package io.orbitkv.workload.report;

import java.time.Duration;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/** Counts latencies of up to an hour with three significant digits. Any number of threads. */
public final class LatencyRecorder {
  private static final int DIGITS = 3;
  private static final long LONGEST_NANOS = Duration.ofHours(1).toNanos();

  private final Histogram histogram = new ConcurrentHistogram(LONGEST_NANOS, DIGITS);

  /** An empty recorder. */
  public LatencyRecorder() {}

  /** Counts one latency; what is longer than an hour counts as an hour. */
  public void record(long nanos) {
    histogram.recordValue(Math.clamp(nanos, 0, LONGEST_NANOS));
  }

  /** Percentiles in units of {@code unitNanos}. No thread may be recording. */
  public Percentiles percentiles(double unitNanos) {
    long samples = histogram.getTotalCount();
    if (samples == 0) {
      return Percentiles.NONE;
    }
    return new Percentiles(
        histogram.getValueAtPercentile(50) / unitNanos,
        histogram.getValueAtPercentile(95) / unitNanos,
        histogram.getValueAtPercentile(99) / unitNanos,
        samples);
  }
}
