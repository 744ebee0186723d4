package io.orbitkv.manager.metrics;

import java.util.ArrayList;
import java.util.List;

/**
 * Counters or gauges that add up to another one, over all their labels.
 *
 * @param whole name of the sum
 * @param parts names of what it consists of
 * @param always whether it holds in every picture; otherwise once everything that began has ended
 */
record MetricSum(String whole, List<String> parts, boolean always) {
  /** Every sum that holds. */
  static final List<MetricSum> ALL =
      List.of(
          atRest(
              "orbitkv_queries_total",
              "orbitkv_query_hits_total",
              "orbitkv_query_partial_hits_total",
              "orbitkv_query_misses_total",
              "orbitkv_queries_cancelled_total",
              "orbitkv_queries_expired_total"),
          atRest(
              "orbitkv_query_pages_total",
              "orbitkv_cache_block_hits_total",
              "orbitkv_cache_block_misses_total",
              "orbitkv_query_cancelled_pages_total"),
          atRest(
              "orbitkv_restores_total",
              "orbitkv_restores_done_total",
              "orbitkv_restore_misses_total",
              "orbitkv_load_failures_total"),
          atRest(
              "orbitkv_save_offered_pages_total",
              "orbitkv_save_stored_pages_total",
              "orbitkv_save_resident_pages_total",
              "orbitkv_save_dropped_pages_total",
              "orbitkv_save_refused_pages_total",
              "orbitkv_save_discarded_pages_total"),
          atRest(
              "orbitkv_preparations_total",
              "orbitkv_preparations_claimed_total",
              "orbitkv_preparations_expired_total",
              "orbitkv_preparations_given_up_total"),
          atRest(
              "orbitkv_ssd_prefetch_pages_total",
              "orbitkv_ssd_prefetch_success_total",
              "orbitkv_ssd_prefetch_absent_total",
              "orbitkv_ssd_prefetch_corrupt_total",
              "orbitkv_ssd_prefetch_failures_total"),
          atRest(
              "orbitkv_ssd_write_offered_total",
              "orbitkv_ssd_write_pages_total",
              "orbitkv_ssd_write_admission_skips_total",
              "orbitkv_ssd_write_queue_full_total",
              "orbitkv_ssd_write_budget_drops_total",
              "orbitkv_ssd_write_evicted_total",
              "orbitkv_ssd_write_store_full_total",
              "orbitkv_ssd_write_failures_total"),
          atRest("orbitkv_admission_questions_total", "orbitkv_admissions_total"),
          atRest(
              "orbitkv_retention_questions_total",
              "orbitkv_retention_answers_total",
              "orbitkv_retention_defaults_total"),
          inEveryPicture(
              "orbitkv_warmup_prepared_bytes_total",
              "orbitkv_warmup_restored_bytes_total",
              "orbitkv_warmup_unused_bytes_total",
              "orbitkv_warmup_pending_bytes"),
          inEveryPicture(
              "orbitkv_pool_used_bytes",
              "orbitkv_cache_resident_bytes",
              "orbitkv_inflight_bytes",
              "orbitkv_reading_bytes",
              "orbitkv_orphan_bytes",
              "orbitkv_quarantined_bytes"),
          inEveryPicture(
              "orbitkv_policy_questions_total",
              "orbitkv_policy_decisions_total",
              "orbitkv_policy_open_questions"),
          inEveryPicture(
              "orbitkv_policy_decisions_total",
              "orbitkv_policy_answers_total",
              "orbitkv_policy_late_total",
              "orbitkv_policy_failed_total"),
          inEveryPicture(
              "orbitkv_shadow_offered_lookups_total",
              "orbitkv_shadow_sampled_lookups_total",
              "orbitkv_shadow_other_lookups_total",
              "orbitkv_shadow_dropped_lookups_total",
              "orbitkv_shadow_left_out_lookups_total",
              "orbitkv_shadow_waiting_lookups"),
          inEveryPicture(
              "orbitkv_shadow_looked_up_pages_total",
              "orbitkv_shadow_hit_pages_total",
              "orbitkv_shadow_missed_pages_total"),
          inEveryPicture(
              "orbitkv_sessions_opened_total",
              "orbitkv_sessions_open",
              "orbitkv_sessions_closed_total"));

  MetricSum {
    parts = List.copyOf(parts);
  }

  private static MetricSum atRest(String whole, String... parts) {
    return new MetricSum(whole, List.of(parts), false);
  }

  private static MetricSum inEveryPicture(String whole, String... parts) {
    return new MetricSum(whole, List.of(parts), true);
  }

  /** Names of everything that it is about, the whole first. */
  List<String> names() {
    List<String> names = new ArrayList<>();
    names.add(whole);
    names.addAll(parts);
    return names;
  }
}
