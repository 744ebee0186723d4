package io.orbitkv.workload.copy;

import io.orbitkv.workload.report.ColumnTable;
import io.orbitkv.workload.report.JsonReport;
import io.orbitkv.workload.report.Percentiles;
import io.orbitkv.workload.report.Quantity;
import io.orbitkv.workload.report.TextTable;
import java.util.List;
import java.util.Locale;

/**
 * What {@link CopyBench} found.
 *
 * @param gpu name of the GPU
 * @param driver version of the driver's API
 * @param rows throughput
 * @param pageToDevice time of a single page of 9 MiB in 72 fragments, submission to report, in
 *     microseconds
 * @param pageToHost the same the other way
 * @param linkPageMicros time of 9 MiB at the rate of a large pinned copy
 * @param arena how fast host memory was ready
 * @param checkedFragments fragments whose bytes the other process compared
 * @param wrongFragments of these, those that were wrong
 */
public record CopyBenchResult(
    String gpu,
    String driver,
    List<CopyBenchRow> rows,
    Percentiles pageToDevice,
    Percentiles pageToHost,
    double linkPageMicros,
    ArenaTimes arena,
    int checkedFragments,
    int wrongFragments) {
  /** Copies the rows. */
  public CopyBenchResult {
    rows = List.copyOf(rows);
  }

  /**
   * When host memory could be copied from, from the start of touching it.
   *
   * @param bytes of the pool
   * @param firstSeconds until the first chunk was pinned
   * @param firstBytes size of that chunk
   * @param wholeSeconds until all were
   */
  public record ArenaTimes(long bytes, double firstSeconds, long firstBytes, double wholeSeconds) {}

  /** Whether every byte that was looked at was right. */
  public boolean sound() {
    return wrongFragments == 0;
  }

  /** One JSON object. */
  public String json() {
    return JsonReport.object(report ->
        report
            .field("gpu", gpu)
            .field("driver", driver)
            .objects("rows", rows, (fields, row) -> row.report(fields))
            .object(
                "page",
                fields ->
                    fields
                        .field("bytes", CopyBenchOptions.PAGE_BYTES)
                        .field("to_device_us", pageToDevice, 1)
                        .field("to_host_us", pageToHost, 1)
                        .field("link_us", linkPageMicros, 1))
            .object(
                "arena",
                fields ->
                    fields
                        .field("bytes", arena.bytes())
                        .field("first_s", arena.firstSeconds(), 3)
                        .field("first_bytes", arena.firstBytes())
                        .field("whole_s", arena.wholeSeconds(), 3))
            .field("checked_fragments", checkedFragments)
            .field("wrong_fragments", wrongFragments));
  }

  /** Tables for people. */
  public String table() {
    TextTable facts = new TextTable();
    facts.row("gpu", gpu + ", CUDA driver " + driver);
    facts.row(
        "host memory",
        String.format(
            Locale.ROOT,
            "%s pinned after %.2f s, all %s after %.2f s",
            Quantity.bytes(arena.firstBytes()),
            arena.firstSeconds(),
            Quantity.bytes(arena.bytes()),
            arena.wholeSeconds()));
    facts.row("a page of 9 MiB to the GPU", micros(pageToDevice));
    facts.row("and to the host", micros(pageToHost));
    facts.row("the link alone", String.format(Locale.ROOT, "%.1f µs", linkPageMicros));
    facts.row("fragments compared", checkedFragments + ", wrong " + wrongFragments);
    ColumnTable table =
        new ColumnTable("fragment", "of a page", "direction", "GB/s", "large copy", "ratio");
    for (CopyBenchRow row : rows) {
      table.row(
          Quantity.bytes(row.fragmentBytes()),
          Integer.toString(row.pageFragments()),
          row.direction(),
          String.format(Locale.ROOT, "%.1f", row.gbPerSecond()),
          String.format(Locale.ROOT, "%.1f", row.linkGbPerSecond()),
          String.format(Locale.ROOT, "%.3f", row.ratio()));
    }
    return facts.text() + "\n" + table.text();
  }

  private static String micros(Percentiles percentiles) {
    return String.format(
        Locale.ROOT, "p50 %.1f µs, p99 %.1f µs", percentiles.p50(), percentiles.p99());
  }
}
