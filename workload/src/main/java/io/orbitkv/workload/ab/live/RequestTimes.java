package io.orbitkv.workload.ab.live;

import io.orbitkv.workload.ab.verdict.Measure;
import io.orbitkv.workload.report.ServedRequest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Gathers the times of a run's requests. Any number of threads add; then one reads. */
final class RequestTimes implements Consumer<ServedRequest> {
  private static final double NANOS_PER_SECOND = 1e9;

  private final int pageTokens;
  private final double prefillTokensPerSecond;
  // Guarded by this.
  private final List<double[]> times = new ArrayList<>();

  RequestTimes(int pageTokens, double prefillTokensPerSecond) {
    this.pageTokens = pageTokens;
    this.prefillTokensPerSecond = prefillTokensPerSecond;
  }

  @Override
  public synchronized void accept(ServedRequest request) {
    long there = (long) (request.deviceHitPages() + request.restoredPages()) * pageTokens;
    double compute =
        request.computeNanos() != ServedRequest.NOT_COMPUTED
            ? request.computeNanos() / NANOS_PER_SECOND
            : Math.max(0, request.promptTokens() - there) / prefillTokensPerSecond;
    double wait = request.waitNanos() / NANOS_PER_SECOND;
    times.add(new double[] {request.slotNanos() / NANOS_PER_SECOND + wait + compute, wait});
  }

  /** Adds what they come to; nothing without requests. */
  synchronized void put(Map<Measure, Double> values) {
    if (times.isEmpty()) {
      return;
    }
    double[] first = times.stream().mapToDouble(time -> time[0]).sorted().toArray();
    double[] wait = times.stream().mapToDouble(time -> time[1]).sorted().toArray();
    values.put(Measure.TTFT_MEAN, Arrays.stream(first).average().orElseThrow());
    values.put(Measure.TTFT_P50, percentile(first, 0.50));
    values.put(Measure.TTFT_P95, percentile(first, 0.95));
    values.put(Measure.TTFT_P99, percentile(first, 0.99));
    values.put(Measure.WAIT_MEAN, Arrays.stream(wait).average().orElseThrow());
    values.put(Measure.WAIT_P95, percentile(wait, 0.95));
  }

  private static double percentile(double[] sorted, double share) {
    return sorted[Math.max(0, (int) Math.ceil(share * sorted.length) - 1)];
  }
}
