package io.orbitkv.workload.policy;

import io.orbitkv.model.TimedSettings;
import io.orbitkv.workload.report.ColumnTable;
import io.orbitkv.workload.report.JsonReport;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Times to first token with and without a cache.
 *
 * @param none with the engine's own prefix cache alone
 * @param builtIn every slot at what is built in: small, small with a backing tier, large
 * @param defaults the default configuration at the same sizes
 */
public record ModelBenchResult(
    int requests, int seeds, TimedSettings times, Row none, List<Row> builtIn, List<Row> defaults) {
  private static final int DIGITS = 4;
  private static final double GIB = 1L << 30;

  /** Copies the lists. */
  public ModelBenchResult {
    builtIn = List.copyOf(builtIn);
    defaults = List.copyOf(defaults);
  }

  /**
   * One configuration.
   *
   * @param hitRatio pages that were not computed as a share of all
   * @param deviceRatio of them those that the engine had itself
   * @param publishedBytes copied from the device to host memory
   */
  public record Row(
      String name,
      long dramBytes,
      long ssdBytes,
      double requestsPerSecond,
      double meanSeconds,
      double medianSeconds,
      double p95Seconds,
      double hitRatio,
      double deviceRatio,
      long publishedBytes,
      long ssdReadBytes,
      long ssdWrittenBytes) {}

  /**
   * Whether the order is the one that was measured: a small pool that takes everything and a slow
   * disk that everything is read from are worse than no cache, a pool in which all fits is better.
   */
  public boolean orderAsMeasured() {
    return builtIn.getFirst().meanSeconds() > none.meanSeconds()
        && builtIn.get(1).meanSeconds() > none.meanSeconds()
        && builtIn.get(1).p95Seconds() > none.p95Seconds()
        && builtIn.get(2).meanSeconds() < none.meanSeconds();
  }

  /** Whether the default configuration is nowhere worse than no cache, in mean and p95. */
  public boolean defaultNeverWorse() {
    return defaults.stream()
        .allMatch(row ->
            row.meanSeconds() <= none.meanSeconds() && row.p95Seconds() <= none.p95Seconds());
  }

  private List<Row> rows() {
    List<Row> rows = new ArrayList<>(List.of(none));
    rows.addAll(builtIn);
    rows.addAll(defaults);
    return rows;
  }

  /** For programs. */
  public String json() {
    return JsonReport.object(report ->
        report
            .field("workload", "reuse")
            .field("requests", requests)
            .field("seeds", seeds)
            .field("concurrency", times.concurrency())
            .field("prefill_tokens_per_second", times.prefillTokensPerSecond(), 0)
            .field("ssd_bytes_per_second", times.ssdReadBytesPerSecond(), 0)
            .field("link_bytes_per_second", times.linkBytesPerSecond(), 0)
            .field("device_bytes", times.deviceBytes())
            .field("order_as_measured", orderAsMeasured())
            .field("default_never_worse", defaultNeverWorse())
            .objects("rows", rows(), this::row));
  }

  private void row(JsonReport one, Row row) {
    one.field("configuration", row.name())
        .field("capacity_bytes", row.dramBytes())
        .field("ssd_bytes", row.ssdBytes())
        .field("requests_per_second", row.requestsPerSecond(), DIGITS)
        .field("ttft_mean_seconds", row.meanSeconds(), DIGITS)
        .field("ttft_p50_seconds", row.medianSeconds(), DIGITS)
        .field("ttft_p95_seconds", row.p95Seconds(), DIGITS)
        .field("mean_of_none", row.meanSeconds() / none.meanSeconds(), DIGITS)
        .field("p95_of_none", row.p95Seconds() / none.p95Seconds(), DIGITS)
        .field("cached_share", row.hitRatio(), DIGITS)
        .field("device_share", row.deviceRatio(), DIGITS)
        .field("published_bytes", row.publishedBytes())
        .field("ssd_read_bytes", row.ssdReadBytes())
        .field("ssd_written_bytes", row.ssdWrittenBytes());
  }

  /** For people. */
  public String table() {
    ColumnTable table =
        new ColumnTable(
            "configuration",
            "memory",
            "SSD",
            "requests/s",
            "mean ms",
            "p50",
            "p95",
            "of none",
            "p95 of none",
            "cached");
    for (Row row : rows()) {
      table.row(
          row.name(),
          gibibytes(row.dramBytes()),
          gibibytes(row.ssdBytes()),
          number("%.1f", row.requestsPerSecond()),
          number("%.0f", 1e3 * row.meanSeconds()),
          number("%.0f", 1e3 * row.medianSeconds()),
          number("%.0f", 1e3 * row.p95Seconds()),
          number("%.2f", row.meanSeconds() / none.meanSeconds()),
          number("%.2f", row.p95Seconds() / none.p95Seconds()),
          number("%.3f", row.hitRatio()));
    }
    return table.text()
        + String.format(
            Locale.ROOT,
            "%nOrder as it was measured: %s. Default never worse than none: %s.%n",
            orderAsMeasured() ? "yes" : "no",
            defaultNeverWorse() ? "yes" : "no");
  }

  private static String gibibytes(long bytes) {
    return bytes == 0 ? "none" : number("%.0f GiB", bytes / GIB);
  }

  private static String number(String format, double value) {
    return String.format(Locale.ROOT, format, value);
  }
}
