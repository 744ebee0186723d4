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
   * @param tags labels, as name and value
   */
  record Export(String name, String unit, String help, String... tags) {}

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
      case DECISIONS_JOINED ->
          queries(
              "decisions_joined_total",
              "Queries of further ranks that shared a decision; not counted as queries");
      case DISCOVERIES -> queries("discoveries_total", "Questions for positions only");
      case PREPARATIONS -> preparations("preparations_total", "Preparations admitted");
      case PREPARATIONS_CLAIMED ->
          preparations(
              "preparations_claimed_total",
              "Preparations that a claim or a matching demand made foreground work");
      case PREPARATIONS_MATCHED ->
          preparations(
              "preparations_matched_total",
              "Of the claimed ones, those that the Manager had made for a queued request");
      case PREPARATIONS_EXPIRED ->
          preparations("preparations_expired_total", "Preparations that nobody claimed in time");
      case PREPARATIONS_GIVEN_UP ->
          preparations(
              "preparations_given_up_total",
              "Preparations cancelled, not advised any more, or without their instance");
      case CLAIMS_BUSY -> queries("claims_busy_total", "Claims that came too late");
      case WARMINGS -> queries("warmings_total", "Warmings admitted");
      case WARMED_PAGES -> pages("warmed_pages_total", "Pages that warmings read");
      case WARMINGS_YIELDED ->
          queries(
              "warmup_foreground_skips_total",
              "Warmings refused because foreground work owns bytes");
      case SPECULATION_BUSY ->
          queries(
              "speculation_busy_total",
              "Preparations and warmings refused for want of bytes or permits");
      case SPECULATED_BYTES ->
          bytes(
              "warmup_prepared_bytes_total",
              "Bytes of the pages that reads begun by speculation brought");
      case SPECULATED_RESTORED_BYTES ->
          bytes(
              "warmup_restored_bytes_total",
              "Of them, bytes that reached a device, once for each page: no proof of saved time");
      case SPECULATED_UNUSED_BYTES ->
          bytes("warmup_unused_bytes_total", "Of them, bytes whose last owner left before that");
      case READ_PAGES ->
          pages("ssd_prefetch_pages_total", "Pages submitted to the backing tier for reading");
      case READ_DONE_PAGES -> pages("ssd_prefetch_success_total", "Pages read");
      case READ_BYTES -> bytes("ssd_prefetch_bytes_total", "Bytes of the runs of pages read");
      case READ_ABSENT_PAGES ->
          pages("ssd_prefetch_absent_total", "Pages that the backing tier had lost");
      case READ_CORRUPT_PAGES ->
          pages("ssd_prefetch_corrupt_total", "Pages that failed their checks");
      case READ_FAILED_PAGES ->
          pages("ssd_prefetch_failures_total", "Pages whose read was short or met a device error");
      case READ_JOINED_PAGES ->
          pages(
              "query_coalesced_reads_total",
              "Pages that a further owner shared with a read in flight");
      case READ_UNALLOCATED_PAGES ->
          pages("ssd_prefetch_unallocated_total", "Pages not read for want of memory");
      case READ_STOPS ->
          queries(
              "query_read_stops_total",
              "Queries whose reading the limit of batches or a cutoff policy stopped");
      case READ_DEADLINES ->
          queries("query_read_deadlines_total", "Queries whose reading the read deadline stopped");
      case READ_PLANS ->
          queries(
              "query_read_plans_total",
              "Reads of which a cutoff policy was asked how they are limited");
      case READ_PLANS_SHORTENED ->
          queries(
              "query_read_plans_shortened_total",
              "Of them, reads that restore fewer pages than there are, or none");
      case ADMISSION_QUESTIONS ->
          queries("admission_questions_total", "Questions to admission policies");
      case ADMISSIONS -> admissions("admit");
      case ADMISSIONS_PUT_OFF -> admissions("later");
      case ADMISSIONS_DROPPED -> admissions("drop");
      case ADMISSIONS_PUT_OFF_TOO_OFTEN ->
          queries(
              "admissions_put_off_too_often_total",
              "Chains that were dropped because they had been put off as often as may be");
      case READ_PAGES_NOT_PROMOTED ->
          pages(
              "admission_unpromoted_pages_total",
              "Pages that were read and are evicted first, because a policy does not want them to"
                  + " stay");
      case WRITE_OFFERED_PAGES ->
          pages("ssd_write_offered_total", "Sealed pages offered for writing to the backing tier");
      case WRITTEN_PAGES -> pages("ssd_write_pages_total", "Pages written");
      case WRITTEN_BYTES -> bytes("ssd_write_bytes_total", "Bytes of the runs of pages written");
      case WRITE_DUPLICATE_PAGES -> skips("duplicate");
      case WRITE_REFUSED_PAGES -> skips("policy");
      case WRITE_PUT_OFF_PAGES -> skips("later");
      case WRITE_BEHIND_GAP_PAGES -> skips("gap");
      case WRITE_BUDGET_PAGES ->
          pages(
              "ssd_write_budget_drops_total",
              "Pages dropped because the store may not write so much: its budget or its bandwidth");
      case WRITE_QUEUE_FULL_PAGES ->
          pages("ssd_write_queue_full_total", "Pages dropped because the queue was full");
      case WRITE_EVICTED_PAGES ->
          pages(
              "ssd_write_evicted_total",
              "Pages evicted from host memory before their turn to be written came");
      case WRITE_STORE_FULL_PAGES ->
          pages("ssd_write_store_full_total", "Pages for which the store had no room");
      case WRITE_FAILED_PAGES ->
          pages("ssd_write_failures_total", "Pages whose write met a device error");
      case STORED_PAGES_DROPPED ->
          pages(
              "stored_pages_dropped_total",
              "Stored pages that the store forgot because no engine has their geometry any more");
      case STORED_PAGES_FORGOTTEN ->
          pages(
              "stored_pages_forgotten_total",
              "Stored pages that are not remembered: as many are as the heap has room for");
      case CERTIFICATES_CHECKED ->
          new Export(
              "certificates_checked_total",
              "offers",
              "Offers that were proven against the pages themselves");
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
      case RESTORES_STAGED ->
          new Export(
              "staged_restores_total",
              "restores",
              "Restores whose client was told that all layers are submitted");
      case RESTORES_UNSTAGED ->
          new Export(
              "unstaged_restores_total",
              "restores",
              "Restores asked for as staged that were not: no slot was free, or they are too"
                  + " large");
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
      case PUBLISH_REFUSED_PAGES ->
          pages("save_refused_pages_total", "Page slots that an admission policy did not let in");
      case PUBLISH_DISCARDED_PAGES ->
          pages(
              "save_discarded_pages_total",
              "Page slots whose copy or commit failed, whose partners never came, or whose publish"
                  + " ended before it was decided what is copied");
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
      case VICTIMS_BY_SCORE -> victims("score");
      case VICTIMS_BY_CLASS -> victims("class");
      case VICTIMS_BY_DEFAULT -> victims("default");
      case RETENTION_QUESTIONS ->
          queries("retention_questions_total", "Questions to retention policies");
      case RETENTION_ANSWERS ->
          queries("retention_answers_total", "Answers of retention policies that counted");
      case RETENTION_DEFAULTS ->
          queries(
              "retention_defaults_total",
              "Questions to retention policies without an answer in time, or to a policy that"
                  + " serves no more");
      case ADOPTED_PAGES ->
          pages("retention_adopted_pages_total", "Pages handed to new retention policies");
      case PAGE_EVENTS_TOLD ->
          new Export(
              "retention_events_total", "events", "Events of pages told to retention policies");
      case PAGE_EVENTS_DROPPED ->
          new Export(
              "retention_events_dropped_total",
              "events",
              "Events of pages not told, since a retention policy did not keep up");
      case STORED_PAGES_SCORED ->
          pages(
              "retention_stored_pages_scored_total",
              "Scores of stored pages given to the backing tier");
      case REFUSALS -> new Export("refusals_total", "requests", "Requests refused");
    };
  }

  private static Export skips(String reason) {
    return new Export(
        "ssd_write_admission_skips_total",
        "pages",
        "Pages that were not queued for writing: stored or queued already (duplicate), not let in"
            + " by the policy, put off by it (later), or of no use because the page before them is"
            + " neither stored nor queued (gap)",
        "reason",
        reason);
  }

  private static Export admissions(String verdict) {
    return new Export(
        "admissions_total",
        "queries",
        "Chains by what an admission policy said of them: let in, to be asked again, or not let in",
        "verdict",
        verdict);
  }

  private static Export victims(String order) {
    return new Export(
        "retention_victims_total",
        "pages",
        "Pages evicted to make room while a retention policy was asked: in the order of its scores,"
            + " because they were reclaimable (class), or by age (default)",
        "order",
        order);
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

  private static Export preparations(String name, String help) {
    return new Export(name, "preparations", help);
  }

  private static Export leases(String name, String help) {
    return new Export(name, "leases", help);
  }
}
