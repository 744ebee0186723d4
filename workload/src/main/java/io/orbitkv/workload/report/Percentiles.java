package io.orbitkv.workload.report;

/**
 * Three percentiles of one distribution, in the unit that the owner names. All 0 without samples.
 *
 * @param p50 median
 * @param p95 95th percentile
 * @param p99 99th percentile
 * @param samples number of samples
 */
public record Percentiles(double p50, double p95, double p99, long samples) {
  /** Of no samples. */
  public static final Percentiles NONE = new Percentiles(0, 0, 0, 0);
}
