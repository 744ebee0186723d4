package io.orbitkv.workload.replay;

import io.orbitkv.workload.report.JsonReport;
import io.orbitkv.workload.report.Percentiles;
import io.orbitkv.workload.report.Quantity;
import io.orbitkv.workload.report.TextTable;
import java.util.Locale;

/**
 * What a replay did. Bytes are payload bytes; times are the client's.
 *
 * @param trace name of the trace
 * @param seed of a generated trace, 0 for a file
 * @param options of the replay
 * @param partial whether the replay was stopped before its end
 * @param requests completed
 * @param rejectedRequests prompts of more pages than the device has
 * @param promptPages complete pages of the completed requests' prompts
 * @param deviceHitPages of them found in the engine's own device cache
 * @param restoredPages of them restored from the Manager and used
 * @param computedPages of them computed, because neither had them
 * @param publishedPages stored by the Manager
 * @param residentPages offered for publishing, but the Manager had them already
 * @param droppedPages offered for publishing, but the Manager had no room
 * @param pageBytes of one page
 * @param verifiedPages whose bytes were compared after a restore
 * @param verifiedDevicePages whose bytes were compared at the end because they were still in the
 *     device cache
 * @param wrongBytes bytes that were not what the page's key demands, over both
 * @param restoreMisses restores whose lease was gone
 * @param copyFailures restores and publishes that failed
 * @param busyAnswers queries turned away because a table was full
 * @param restoreMillis from the submission of a restore to its answer
 * @param queryMicros from the submission of a query to its answer
 * @param publishMillis from the submission of a publish to its answer
 * @param leakedBytes of the Manager that no page accounts for once everything has ended
 * @param reservedPeakBytes most query bytes reserved at one time
 * @param reservedEndBytes query bytes still reserved at the end
 * @param allocationFailures in the Manager during the replay
 * @param evictedPages in the Manager during the replay
 * @param budgetWaits in the Manager during the replay
 * @param store what the backing tier did
 * @param durationNanos from the first request to the last answer
 */
public record ReplayResult(
    String trace,
    long seed,
    ReplayOptions options,
    boolean partial,
    long requests,
    long rejectedRequests,
    long promptPages,
    long deviceHitPages,
    long restoredPages,
    long computedPages,
    long publishedPages,
    long residentPages,
    long droppedPages,
    long pageBytes,
    long verifiedPages,
    long verifiedDevicePages,
    long wrongBytes,
    long restoreMisses,
    long copyFailures,
    long busyAnswers,
    Percentiles restoreMillis,
    Percentiles queryMicros,
    Percentiles publishMillis,
    long leakedBytes,
    long reservedPeakBytes,
    long reservedEndBytes,
    long allocationFailures,
    long evictedPages,
    long budgetWaits,
    StoreFigures store,
    long durationNanos) {
  private static final double NANOS_PER_SECOND = 1e9;

  /** Pages that the Manager served, as a share of all complete prompt pages; 0 without pages. */
  public double prefixHitRatio() {
    return promptPages == 0 ? 0 : (double) restoredPages / promptPages;
  }

  /**
   * Pages that the device cache served, as a share of all complete prompt pages; 0 without pages.
   */
  public double deviceHitRatio() {
    return promptPages == 0 ? 0 : (double) deviceHitPages / promptPages;
  }

  /** Bytes that the Manager stored. */
  public long publishedBytes() {
    return publishedPages * pageBytes;
  }

  /** Bytes restored. */
  public long restoredBytes() {
    return restoredPages * pageBytes;
  }

  /**
   * Whether every copy arrived and was compared, every byte was right, nothing leaked and every
   * budget is back at zero.
   */
  public boolean sound() {
    return wrongBytes == 0
        && leakedBytes == 0
        && reservedEndBytes == 0
        && copyFailures == 0
        && verifiedPages == restoredPages;
  }

  /** Restored and published bytes a second, in GB. */
  public double gigabytesPerSecond() {
    return durationNanos == 0 ? 0 : (double) (restoredBytes() + publishedBytes()) / durationNanos;
  }

  /** One JSON object. */
  public String json() {
    return JsonReport.object(this::write);
  }

  /**
   * One JSON object, with the result of a second replay in it.
   *
   * @param afterRestart of the same trace, after the Manager was stopped and started again
   */
  public String json(ReplayResult afterRestart) {
    return JsonReport.object(report -> {
      write(report);
      report.object("after_restart", afterRestart::write);
    });
  }

  private void write(JsonReport report) {
    report
        .field("trace", trace)
        .field("seed", seed)
        .field("partial", partial)
        .field("requests", requests)
        .field("rejected_requests", rejectedRequests)
        .field("prompt_pages", promptPages)
        .field("prefix_hit_ratio", prefixHitRatio(), 6)
        .field("hbm_hit_ratio", deviceHitRatio(), 6)
        .field("hbm_hit_pages", deviceHitPages)
        .field("restored_pages", restoredPages)
        .field("restored_bytes", restoredBytes())
        .field("computed_pages", computedPages)
        .field("published_pages", publishedPages)
        .field("published_bytes", publishedBytes())
        .field("resident_pages", residentPages)
        .field("dropped_pages", droppedPages)
        .field("verified_pages", verifiedPages)
        .field("verified_hbm_pages", verifiedDevicePages)
        .field("wrong_bytes", wrongBytes)
        .field("leaked_bytes", leakedBytes)
        .field("restore_misses", restoreMisses)
        .field("copy_failures", copyFailures)
        .field("busy_answers", busyAnswers)
        .field("restore_ms", restoreMillis, 4)
        .field("query_us", queryMicros, 2)
        .field("publish_ms", publishMillis, 4)
        .field("query_reserved_peak_bytes", reservedPeakBytes)
        .field("query_reserved_end_bytes", reservedEndBytes)
        .field("allocation_failures", allocationFailures)
        .field("evicted_pages", evictedPages)
        .field("budget_waits", budgetWaits);
    store.write(report);
    report
        .field("duration_s", durationNanos / NANOS_PER_SECOND, 3)
        .field("gb_per_s", gigabytesPerSecond(), 3)
        .object(
            "options",
            inner ->
                inner
                    .field("page_tokens", options.pageTokens())
                    .field("bytes_per_token", options.bytesPerToken())
                    .field("layers", options.layers())
                    .field("page_bytes", pageBytes)
                    .field("hbm_bytes", options.deviceBytes())
                    .field("concurrency", options.concurrency())
                    .field("closed_loop", options.closedLoop())
                    .field("speed", options.speed(), 3)
                    .field("lockstep", options.lockstep()));
  }

  /** A table for people; each row ends with a line feed. */
  public String table() {
    TextTable table = new TextTable();
    table.row("trace", trace + (partial ? " (stopped early: a partial result)" : ""));
    table.row("requests", Quantity.count(requests) + rejectedText() + seconds());
    table.row("prompt pages", Quantity.count(promptPages) + " of " + Quantity.bytes(pageBytes));
    table.row("served by the device cache", pages(deviceHitPages) + ratio(deviceHitRatio()));
    table.row(
        "restored from the Manager",
        pages(restoredPages) + sized(restoredPages) + ratio(prefixHitRatio()));
    table.row("computed", pages(computedPages));
    table.row(
        "published",
        pages(publishedPages)
            + sized(publishedPages)
            + (residentPages == 0
                ? ""
                : ", " + Quantity.count(residentPages) + " were resident already")
            + (droppedPages == 0 ? "" : ", " + Quantity.count(droppedPages) + " found no room"));
    table.row(
        "verified",
        pages(verifiedPages)
            + " after a restore, "
            + Quantity.count(verifiedDevicePages)
            + " in the device at the end");
    table.row("wrong bytes", Quantity.count(wrongBytes));
    table.row("leaked bytes", Quantity.count(leakedBytes));
    table.row(
        "query budget",
        Quantity.count(reservedEndBytes)
            + " B reserved at the end, "
            + Quantity.bytes(reservedPeakBytes)
            + " at most");
    table.row("evicted", pages(evictedPages));
    store.write(table);
    if (allocationFailures + budgetWaits + restoreMisses + copyFailures + busyAnswers > 0) {
      table.row(
          "also counted",
          String.format(
              Locale.ROOT,
              "%,d allocation failures, %,d waits for budget, %,d lost leases, %,d failed copies,"
                  + " %,d busy answers",
              allocationFailures,
              budgetWaits,
              restoreMisses,
              copyFailures,
              busyAnswers));
    }
    table.row("query", latency(queryMicros, "µs"));
    table.row("restore", latency(restoreMillis, "ms"));
    table.row("publish", latency(publishMillis, "ms"));
    return table.text();
  }

  private String rejectedText() {
    return rejectedRequests == 0
        ? ""
        : ", " + Quantity.count(rejectedRequests) + " rejected (longer than the device memory)";
  }

  private String seconds() {
    return String.format(
        Locale.ROOT,
        " in %.1f s, %.2f GB/s moved",
        durationNanos / NANOS_PER_SECOND,
        gigabytesPerSecond());
  }

  private String sized(long pages) {
    return " (" + Quantity.bytes(pages * pageBytes) + ")";
  }

  private static String pages(long pages) {
    return Quantity.count(pages) + (pages == 1 ? " page" : " pages");
  }

  private static String ratio(double ratio) {
    return ", " + Quantity.percent(ratio) + " of the prompt pages";
  }

  private static String latency(Percentiles percentiles, String unit) {
    return String.format(
        Locale.ROOT,
        "p50 %.2f, p95 %.2f, p99 %.2f %s (%,d)",
        percentiles.p50(),
        percentiles.p95(),
        percentiles.p99(),
        unit,
        percentiles.samples());
  }
}
