package io.orbitkv.manager.live;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A sum over one block of one variant. */
enum Column {
  /** Length of the block. */
  NANOS,
  /** Demand queries that were answered in the block in which they began. */
  QUERIES,
  /** Pages that they asked for. */
  ASKED_PAGES,
  /** Pages that they found. */
  HIT_PAGES,
  /** From each query to its answer, and on to its last restored byte. */
  WAIT_NANOS,
  /** Restores that were completed. */
  RESTORES,
  /** Queries that no table had room for: not in the sums above. */
  UNMEASURED,
  /** Questions to policies that have their answer. */
  DECISIONS,
  /** Of them, those that a default answered. */
  FALLBACKS,
  /** Payload restored. Not known of variants that run at once, like all below. */
  RESTORED_BYTES("restored_bytes"),
  /** Read from the backing tier. */
  SSD_READ_BYTES("read_bytes"),
  /** Written to it. */
  SSD_WRITTEN_BYTES("written_bytes"),
  /** Pages that were published and not kept. */
  DROPPED_PAGES("publish_dropped_pages", "publish_refused_pages"),
  /** Pages that were offered to the backing tier and not written. */
  UNWRITTEN_PAGES(
      "write_refused_pages",
      "write_put_off_pages",
      "write_behind_gap_pages",
      "write_queue_full_pages",
      "write_budget_pages",
      "write_evicted_pages",
      "write_store_full_pages",
      "write_failed_pages"),
  /** Allocations that found no room. */
  ALLOCATION_FAILURES("allocation_failures"),
  /** Pages whose read failed, or whose checks did. */
  READ_FAILURES("read_failed_pages", "read_corrupt_pages"),
  /** Read ahead and used. */
  SPECULATIVE_USEFUL_BYTES("speculated_restored_bytes"),
  /** Read ahead and not used. */
  SPECULATIVE_UNUSED_BYTES("speculated_unused_bytes");

  @SuppressWarnings("ImmutableEnumChecker") // A copy that cannot be changed.
  private final List<String> counters;

  Column(String... counters) {
    this.counters = List.of(counters);
  }

  /** Whether it comes from counters of the kernel, which know no variant. */
  boolean ofKernel() {
    return !counters.isEmpty();
  }

  /** Its counters, summed. */
  long sum(Map<String, Long> values) {
    long sum = 0;
    for (String counter : counters) {
      sum += values.getOrDefault(counter, 0L);
    }
    return sum;
  }

  String key() {
    return name().toLowerCase(Locale.ROOT);
  }
}
