package io.orbitkv.workload.bench;

import io.orbitkv.workload.report.JsonReport;
import io.orbitkv.workload.report.TextTable;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * What the kernel costs, medians over the rounds.
 *
 * @param rounds measured
 * @param retention whether a retention policy was asked after the turnover
 * @param rows one for each number of resident pages, at least one
 */
public record KernelBenchResult(int rounds, boolean retention, List<KernelBenchRow> rows) {
  /** Copies the rows. */
  public KernelBenchResult {
    rows = List.copyOf(rows);
  }

  private KernelBenchRow largest() {
    return rows.stream().max(Comparator.comparingInt(KernelBenchRow::pages)).orElseThrow();
  }

  /** One JSON object; its figures are those of the row with the most pages. */
  public String json() {
    return JsonReport.object(report -> {
      fields(report, largest());
      report
          .field("rounds", rounds)
          .field("retention", retention)
          .field("heap_needed_bytes", KernelBench.heapBytes(largest().pages(), retention))
          .objects("rows", rows, KernelBenchResult::fields);
    });
  }

  private static void fields(JsonReport report, KernelBenchRow row) {
    report
        .field("pages", row.pages())
        .field("ops_per_s", row.opsPerSecond(), 0)
        .field("ns_per_page", row.nanosPerPage(), 1)
        .field("bytes_allocated_per_op", row.bytesPerOp(), 0)
        .field("bytes_allocated_per_op_of_512_pages", row.bytesPerLargeOp(), 0)
        .field("step_us", row.stepMicros(), 3)
        .field("turnover_ns_per_page", row.turnoverNanosPerPage(), 0)
        .field("publish_evict_ns_per_page", row.publishNanosPerPage(), 0)
        .field("gc_pause_max_ms", row.longestPauseMillis(), 3);
  }

  /** A table for people. */
  public String table() {
    TextTable table = new TextTable();
    for (KernelBenchRow row : rows) {
      table.row(
          "resident pages", String.format(Locale.ROOT, "%,d, after one turnover", row.pages()));
      if (retention) {
        table.row("retention policy", "asked after the turnover, by last use, on the same thread");
      }
      table.row(
          "query of 8 pages",
          String.format(
              Locale.ROOT,
              "%,.0f a second with take and release, %,.0f bytes of heap each",
              row.opsPerSecond(),
              row.bytesPerOp()));
      table.row(
          "query of 512 pages",
          String.format(Locale.ROOT, "%.0f ns a page with release", row.nanosPerPage()));
      table.row(
          "single step",
          String.format(
              Locale.ROOT,
              "p50 %.2f µs, p99 %.2f µs",
              row.stepMicros().p50(),
              row.stepMicros().p99()));
      table.row(
          "publish and evict",
          String.format(
              Locale.ROOT,
              "%.0f ns a page in publishes of 8, %.0f ns page by page",
              row.publishNanosPerPage(),
              row.turnoverNanosPerPage()));
      table.row("longest pause", String.format(Locale.ROOT, "%.3f ms", row.longestPauseMillis()));
    }
    return table.text();
  }
}
