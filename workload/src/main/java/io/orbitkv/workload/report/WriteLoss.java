package io.orbitkv.workload.report;

import java.util.Locale;

/** Why a page that was offered for writing to the backing tier was not written. */
public enum WriteLoss {
  /** The queue was full. */
  QUEUE_FULL("write_queue_full_pages", "queue full"),
  /** The source was evicted before its turn came. */
  SOURCE_EVICTED("write_evicted_pages", "evicted before their turn"),
  /** The admission policy did not let it in. */
  POLICY("write_refused_pages", "refused by the policy"),
  /** The admission policy wants to be asked again. */
  PUT_OFF("write_put_off_pages", "put off by the policy"),
  /** The tier may not write so much. */
  BUDGET("write_budget_pages", "beyond the write budget"),
  /** The page before it on its chain is neither stored nor queued. */
  GAP("write_behind_gap_pages", "behind a gap"),
  /** It was stored or queued already. */
  DUPLICATE("write_duplicate_pages", "stored already"),
  /** The store had no room. */
  STORE_FULL("write_store_full_pages", "store full"),
  /** The device reported an error. */
  DEVICE_ERROR("write_failed_pages", "device error");

  private final String counter;
  private final String words;

  WriteLoss(String counter, String words) {
    this.counter = counter;
    this.words = words;
  }

  /** The counter of the Manager's status. */
  public String counter() {
    return counter;
  }

  /** What people read behind the number. */
  public String words() {
    return words;
  }

  /** The name in reports: snake case. */
  public String key() {
    return name().toLowerCase(Locale.ROOT);
  }
}
