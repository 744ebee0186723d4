package io.orbitkv.model;

import io.orbitkv.api.policy.PolicySlot;
import java.util.Map;

/**
 * A cache in miniature that sees a sample of the conversations as they come, with the same share of
 * the capacity and of the write allowance. Keys alone, policies inline. All miniatures of one
 * {@link SampledPages} serve the same requests, so that the differences between them are those of
 * their policies. One thread.
 */
public final class Miniature {
  /** Bytes of memory for each page that is known, beside what its policies need. */
  public static final int PAGE_BYTES = 110;

  private final SampledPages pages;
  private final ModelSettings settings;
  private final ModelRun run;
  private long lookups;
  private long lookedUpPages;
  private long hitPages;
  private long dramWrittenBytes;
  private long ssdWrittenBytes;

  /**
   * An empty one.
   *
   * @param settings of the miniature itself, with its share of the capacity
   * @param policies by slot; instances of this miniature alone
   * @throws IllegalArgumentException when a policy does not fit its slot
   */
  public Miniature(
      SampledPages pages, ModelSettings settings, Map<PolicySlot, HostedPolicy> policies) {
    this.pages = pages;
    this.settings = settings;
    this.run = new ModelRun(pages, settings, policies);
    pages.add(this);
  }

  /**
   * Serves the current request of the pages.
   *
   * @param asked whether it was a lookup, which is counted; otherwise a mere publish
   * @param atNanos not before the request served last
   */
  public void serve(boolean asked, long atNanos) {
    int device = pages.devicePages();
    RequestOutcome outcome =
        run.serve(pages.request(), atNanos, device, Integer.MAX_VALUE, Integer.MAX_VALUE);
    if (asked) {
      lookups++;
      lookedUpPages += outcome.pages() - device;
      hitPages += outcome.hitPages() - device;
    }
    dramWrittenBytes += outcome.publishedBytes();
    ssdWrittenBytes += outcome.ssdWrittenBytes();
  }

  /** No request came: timers of policies go off. */
  public void advance(long toNanos) {
    run.advance(toNanos);
  }

  /** From now on no more is written to the backing tier than was granted. */
  public void limitWrites() {
    run.limitWrites();
  }

  /** Adds to what may be written to the backing tier. */
  public void grantWrites(double bytes) {
    run.grantWrites(bytes);
  }

  /** It serves no more; the others need not remember pages for it. */
  public void leave() {
    pages.remove(this);
  }

  boolean holds(int page) {
    return run.holds(page);
  }

  void forget(int page) {
    run.forget(page);
  }

  /** Its sizes. */
  public ModelSettings settings() {
    return settings;
  }

  /** Requests that looked pages up. */
  public long lookups() {
    return lookups;
  }

  /** Pages that were looked up. */
  public long lookedUpPages() {
    return lookedUpPages;
  }

  /** Of them, pages of prefix hits. */
  public long hitPages() {
    return hitPages;
  }

  /** Bytes that entered host memory from the device. */
  public long dramWrittenBytes() {
    return dramWrittenBytes;
  }

  /** Bytes written to the backing tier. */
  public long ssdWrittenBytes() {
    return ssdWrittenBytes;
  }

  /**
   * Whether every tier has given up as many pages as it holds: before, it tells of a cold start.
   */
  public boolean turnedOver() {
    return run.turnedOver();
  }
}
