package io.orbitkv.kernel;

import java.util.Locale;

/**
 * What the kernel counts. Each decision is counted once; the Javadoc says which counters add up to
 * which.
 */
public enum KernelCounter {
  /**
   * Queries accepted. Equals hits + partial hits + misses + cancelled + expired queries, once all
   * ended.
   */
  QUERIES,
  /** Queries whose every page was found. */
  QUERY_HITS,
  /** Queries of which a proper prefix was found. */
  QUERY_PARTIAL_HITS,
  /** Queries of which nothing was found. */
  QUERY_MISSES,
  /** Queries that their client or its end cancelled before an answer. */
  QUERIES_CANCELLED,
  /** Queries that outlived the operation lifetime before an answer. */
  QUERIES_EXPIRED,
  /** Pages asked for. Equals hit + missed + cancelled pages, once all ended. */
  QUERY_PAGES,
  /** Pages leased. */
  QUERY_HIT_PAGES,
  /** Pages not found, or not looked for in time. */
  QUERY_MISSED_PAGES,
  /** Pages of queries that were cancelled. */
  QUERY_CANCELLED_PAGES,
  /** Queries that had to wait for budget. */
  BUDGET_WAITS,
  /** Queries larger than their limit, answered with a miss. */
  BUDGET_BYPASSES,
  /** Queries answered with BUSY because a table was full. */
  OPERATIONS_BUSY,
  /** Offers that nobody took in time. */
  OFFERS_LAPSED,
  /** Leases that expired before every rank took its share. */
  LEASES_EXPIRED,
  /** Idle leases taken back for a query that waited too long behind them. */
  LEASES_REVOKED,
  /** Restores submitted. Equals restored + missed + failed, once all ended. */
  RESTORES,
  /** Restores completed. */
  RESTORES_DONE,
  /** Restores whose lease was gone. */
  RESTORE_MISSES,
  /** Restores whose copy failed. */
  RESTORE_FAILURES,
  /** Payload bytes restored. */
  RESTORED_BYTES,
  /** Pages restored, once for each rank. */
  RESTORED_PAGES,
  /** Publishes submitted. */
  PUBLISHES,
  /**
   * Page slots offered for publishing. Equals stored + resident + dropped + discarded slots, once
   * all ended.
   */
  PUBLISH_OFFERED_PAGES,
  /** Page slots copied and sealed. */
  PUBLISH_STORED_PAGES,
  /** Page slots that were resident or in flight already. */
  PUBLISH_RESIDENT_PAGES,
  /** Page slots without memory. */
  PUBLISH_DROPPED_PAGES,
  /** Page slots whose copy failed, whose commit said so, or whose partners never came. */
  PUBLISH_DISCARDED_PAGES,
  /** Payload bytes copied from devices and sealed. */
  PUBLISHED_BYTES,
  /** Allocations that failed after eviction. */
  ALLOCATION_FAILURES,
  /** Pages evicted to make room. */
  EVICTED_PAGES,
  /** Bytes of their runs. */
  EVICTED_BYTES,
  /** Requests refused. */
  REFUSALS;

  /** The name in exports: snake case. */
  public String key() {
    return name().toLowerCase(Locale.ROOT);
  }
}
