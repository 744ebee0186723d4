package io.orbitkv.workload.copy;

import io.orbitkv.workload.report.JsonReport;

/**
 * Fragments of one size, copied one way or both ways at once; medians over the rounds.
 *
 * @param fragmentBytes size of each fragment
 * @param pageFragments fragments of a page
 * @param direction {@code to-device}, {@code to-host} or {@code both}
 * @param gbPerSecond throughput, of both ways together with {@code both}
 * @param linkGbPerSecond of one large pinned copy just before and after; one way
 * @param ratio median of the rounds' ratios
 */
public record CopyBenchRow(
    long fragmentBytes,
    int pageFragments,
    String direction,
    double gbPerSecond,
    double linkGbPerSecond,
    double ratio) {
  void report(JsonReport report) {
    report
        .field("fragment_bytes", fragmentBytes)
        .field("page_fragments", pageFragments)
        .field("direction", direction)
        .field("gb_s", gbPerSecond, 2)
        .field("link_gb_s", linkGbPerSecond, 2)
        .field("ratio", ratio, 3);
  }
}
