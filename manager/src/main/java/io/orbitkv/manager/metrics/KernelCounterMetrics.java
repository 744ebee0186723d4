package io.orbitkv.manager.metrics;

import io.orbitkv.kernel.KernelCounter;

/** How the kernel's counters are called outside. */
final class KernelCounterMetrics {
  /**
   * A counter's export.
   *
   * @param name without the prefix
   * @param unit what is counted
   * @param help what it means
   */
  record Export(String name, String unit, String help) {}

  private KernelCounterMetrics() {}

  static Export of(KernelCounter counter) {
    return switch (counter) {
      case QUERIES -> queries("queries_total", "Queries accepted");
      case QUERY_HITS -> queries("query_hits_total", "Queries whose every page was found");
      case QUERY_PARTIAL_HITS ->
          queries("query_partial_hits_total", "Queries of which a proper prefix was found");
      case QUERY_MISSES -> queries("query_misses_total", "Queries of which nothing was found");
      case QUERIES_CANCELLED ->
          queries(
              "queries_cancelled_total",
              "Queries that their client, or its end, cancelled before an answer");
      case QUERIES_EXPIRED ->
          queries("queries_expired_total", "Queries that outlived their time before an answer");
      case QUERY_PAGES -> pages("query_pages_total", "Pages asked for");
      case QUERY_HIT_PAGES -> pages("cache_block_hits_total", "Pages found and leased");
      case QUERY_MISSED_PAGES ->
          pages("cache_block_misses_total", "Pages not found, or not looked for in time");
      case QUERY_CANCELLED_PAGES ->
          pages("query_cancelled_pages_total", "Pages of queries that were cancelled");
      case BUDGET_WAITS ->
          queries("query_budget_waits_total", "Queries that had to wait for budget");
      case BUDGET_BYPASSES ->
          queries(
              "query_budget_bypasses_total",
              "Queries larger than their limit, answered with a miss");
      case OPERATIONS_BUSY ->
          queries("operations_busy_total", "Queries answered with BUSY: a table was full");
      case OFFERS_LAPSED -> leases("offers_lapsed_total", "Offers that nobody took in time");
      case LEASES_EXPIRED ->
          leases("leases_expired_total", "Leases that expired before every rank took its share");
      case LEASES_REVOKED ->
          leases(
              "leases_revoked_total",
              "Idle leases taken back for a query that waited too long behind them");
      case RESTORES -> new Export("restores_total", "restores", "Restores submitted");
      case RESTORES_DONE -> new Export("restores_done_total", "restores", "Restores completed");
      case RESTORE_MISSES ->
          new Export("restore_misses_total", "restores", "Restores whose lease was gone");
      case RESTORE_FAILURES ->
          new Export("load_failures_total", "restores", "Restores whose copy failed");
      case RESTORED_BYTES ->
          bytes(
              "load_bytes_total",
              "Payload bytes copied into device memory: the only proof of reuse");
      case RESTORED_PAGES -> pages("load_pages_total", "Pages restored, once for each rank");
      case PUBLISHES -> new Export("publishes_total", "publishes", "Publishes submitted");
      case PUBLISH_OFFERED_PAGES ->
          pages("save_offered_pages_total", "Page slots offered for publishing");
      case PUBLISH_STORED_PAGES -> pages("save_stored_pages_total", "Page slots copied and sealed");
      case PUBLISH_RESIDENT_PAGES ->
          pages("save_resident_pages_total", "Page slots that were resident or in flight already");
      case PUBLISH_DROPPED_PAGES ->
          pages("save_dropped_pages_total", "Page slots for which there was no memory");
      case PUBLISH_DISCARDED_PAGES ->
          pages(
              "save_discarded_pages_total",
              "Page slots whose copy or commit failed, or whose partners never came");
      case PUBLISHED_BYTES ->
          bytes("save_bytes_total", "Payload bytes copied from device memory and sealed");
      case ALLOCATION_FAILURES ->
          new Export(
              "allocation_failures_total",
              "allocations",
              "Allocations that failed although everything that may go was evicted");
      case EVICTED_PAGES -> pages("cache_block_evictions_total", "Pages evicted to make room");
      case EVICTED_BYTES ->
          bytes("cache_eviction_reclaimed_bytes_total", "Bytes of the runs of evicted pages");
      case REFUSALS -> new Export("refusals_total", "requests", "Requests refused");
    };
  }

  private static Export queries(String name, String help) {
    return new Export(name, "queries", help);
  }

  private static Export pages(String name, String help) {
    return new Export(name, "pages", help);
  }

  private static Export bytes(String name, String help) {
    return new Export(name, "bytes", help);
  }

  private static Export leases(String name, String help) {
    return new Export(name, "leases", help);
  }
}
