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
  /** Queries of further ranks that shared a decision. Not counted as queries of their own. */
  DECISIONS_JOINED,
  /** Questions for positions only. */
  DISCOVERIES,
  /** Preparations admitted. Equals claimed + expired + given up preparations, once all ended. */
  PREPARATIONS,
  /** Preparations that a claim or a matching demand made foreground work. */
  PREPARATIONS_CLAIMED,
  /** Of the claimed ones, those that the kernel had made for a queued request. */
  PREPARATIONS_MATCHED,
  /** Preparations that nobody claimed in time. */
  PREPARATIONS_EXPIRED,
  /** Preparations that were cancelled, not advised any more, or lost their instance. */
  PREPARATIONS_GIVEN_UP,
  /** Claims that came too late, answered with BUSY. */
  CLAIMS_BUSY,
  /** Warmings admitted. */
  WARMINGS,
  /** Pages that warmings read. */
  WARMED_PAGES,
  /** Warmings refused because foreground work owns bytes. */
  WARMINGS_YIELDED,
  /** Preparations and warmings refused for want of bytes or permits. */
  SPECULATION_BUSY,
  /**
   * Bytes of pages that reads begun by speculation brought. Equals restored + unused bytes and what
   * is still unresolved.
   */
  SPECULATED_BYTES,
  /** Of them, bytes that reached a device, once for each page. */
  SPECULATED_RESTORED_BYTES,
  /** Of them, bytes whose last owner left before that. */
  SPECULATED_UNUSED_BYTES,
  /**
   * Pages submitted to the backing tier for reading. Equals done + absent + corrupt + failed pages,
   * once all ended.
   */
  READ_PAGES,
  /** Pages read. */
  READ_DONE_PAGES,
  /** Bytes of their runs. */
  READ_BYTES,
  /** Pages that the backing tier had lost. */
  READ_ABSENT_PAGES,
  /** Pages that failed their checks. */
  READ_CORRUPT_PAGES,
  /** Pages whose read was short or met a device error. */
  READ_FAILED_PAGES,
  /** Pages that a second owner shared with a read in flight. */
  READ_JOINED_PAGES,
  /** Pages not read for want of memory. */
  READ_UNALLOCATED_PAGES,
  /** Queries whose reading the limit of batches or a cutoff policy stopped. */
  READ_STOPS,
  /** Queries whose reading the read deadline stopped. */
  READ_DEADLINES,
  /** Reads of which a cutoff policy was asked how they are limited. */
  READ_PLANS,
  /** Of them, reads that are to restore fewer pages than were asked for, or none. */
  READ_PLANS_SHORTENED,
  /**
   * Sealed pages offered for writing to the backing tier, some of them again to close a gap or
   * because a policy is to be asked again. Equals written + duplicate + refused + put-off +
   * behind-gap + queue-full + budget + evicted + store-full + failed pages, once all ended. Pages
   * that a policy is asked for are offered when it has answered.
   */
  WRITE_OFFERED_PAGES,
  /** Pages written. */
  WRITTEN_PAGES,
  /** Bytes of their runs. */
  WRITTEN_BYTES,
  /** Pages that were stored or queued already. */
  WRITE_DUPLICATE_PAGES,
  /** Pages that the admission policy did not let in, and what follows them. */
  WRITE_REFUSED_PAGES,
  /** Pages for which the admission policy wants to be asked again, and what follows them. */
  WRITE_PUT_OFF_PAGES,
  /** Pages whose predecessor on the chain is neither stored nor queued. */
  WRITE_BEHIND_GAP_PAGES,
  /** Pages dropped because the queue was full, and what follows them in the same publish. */
  WRITE_QUEUE_FULL_PAGES,
  /** Pages dropped because the tier may not write so much, and what follows them likewise. */
  WRITE_BUDGET_PAGES,
  /** Pages evicted from host memory before their turn came. */
  WRITE_EVICTED_PAGES,
  /** Pages for which the store had no room. */
  WRITE_STORE_FULL_PAGES,
  /** Pages whose write met a device error. */
  WRITE_FAILED_PAGES,
  /** Stored pages that the backing tier forgot, because no engine has their geometry any more. */
  STORED_PAGES_DROPPED,
  /** Stored pages that are not remembered, because as many are as the heap has room for. */
  STORED_PAGES_FORGOTTEN,
  /**
   * Questions to admission policies. Equals admissions + put off + dropped ones, once all are
   * answered.
   */
  ADMISSION_QUESTIONS,
  /** Chains that an admission policy let in. */
  ADMISSIONS,
  /** Chains that an admission policy put off. */
  ADMISSIONS_PUT_OFF,
  /** Chains that an admission policy dropped. */
  ADMISSIONS_DROPPED,
  /** Of them, chains that were to be put off, but had been as often as they may be. */
  ADMISSIONS_PUT_OFF_TOO_OFTEN,
  /** Pages that were read and are evicted first, because a policy does not want them to stay. */
  READ_PAGES_NOT_PROMOTED,
  /** Offers that were proven against the pages themselves. */
  CERTIFICATES_CHECKED,
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
  /** Restores of which the client was told that all is submitted. */
  RESTORES_STAGED,
  /** Restores that were to be staged and were not: no slot was free, or they are too large. */
  RESTORES_UNSTAGED,
  /** Payload bytes restored. */
  RESTORED_BYTES,
  /** Pages restored, once for each rank. */
  RESTORED_PAGES,
  /** Publishes submitted. */
  PUBLISHES,
  /**
   * Page slots offered for publishing. Equals stored + resident + dropped + refused + discarded
   * slots, once all ended.
   */
  PUBLISH_OFFERED_PAGES,
  /** Page slots copied and sealed. */
  PUBLISH_STORED_PAGES,
  /** Page slots that were resident or in flight already. */
  PUBLISH_RESIDENT_PAGES,
  /** Page slots without memory. */
  PUBLISH_DROPPED_PAGES,
  /** Page slots that the admission policy did not let in. Their clients are told dropped slots. */
  PUBLISH_REFUSED_PAGES,
  /**
   * Page slots whose copy failed, whose commit said so, whose partners never came, or whose publish
   * ended before it was decided what is copied.
   */
  PUBLISH_DISCARDED_PAGES,
  /** Payload bytes copied from devices and sealed. */
  PUBLISHED_BYTES,
  /** Allocations that failed after eviction. */
  ALLOCATION_FAILURES,
  /** Pages evicted to make room. */
  EVICTED_PAGES,
  /** Bytes of their runs. */
  EVICTED_BYTES,
  /**
   * Pages evicted to make room in the order of a retention policy's scores. Together with those by
   * class and by default, all that were evicted to make room while one was asked.
   */
  VICTIMS_BY_SCORE,
  /** Pages evicted to make room since they were reclaimable, which go before all others. */
  VICTIMS_BY_CLASS,
  /** Pages evicted to make room by age, since no scored page was left. */
  VICTIMS_BY_DEFAULT,
  /** Questions to retention policies. Equals answers + defaults, once all were answered. */
  RETENTION_QUESTIONS,
  /** Answers of retention policies that counted. */
  RETENTION_ANSWERS,
  /** Questions to retention policies that nobody answered in time, or for whom it was too late. */
  RETENTION_DEFAULTS,
  /** Pages that were handed to a new retention policy. */
  ADOPTED_PAGES,
  /** Events of pages that retention policies were told. */
  PAGE_EVENTS_TOLD,
  /** Events of pages that were not told, since a retention policy did not keep up. */
  PAGE_EVENTS_DROPPED,
  /** Scores of stored pages that were given to the backing tier. */
  STORED_PAGES_SCORED,
  /** Requests refused. */
  REFUSALS;

  /** The name in exports: snake case. */
  public String key() {
    return name().toLowerCase(Locale.ROOT);
  }
}
