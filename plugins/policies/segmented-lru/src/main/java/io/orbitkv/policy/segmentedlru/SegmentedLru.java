package io.orbitkv.policy.segmentedlru;

import io.orbitkv.api.policy.Facts;
import io.orbitkv.api.policy.PageBatch;
import io.orbitkv.api.policy.PageEvents;
import io.orbitkv.api.policy.PolicyContext;
import io.orbitkv.api.policy.RetentionPolicy;
import io.orbitkv.api.settings.Setting;

/**
 * Evicts pages on probation, in the order of their last use, before protected ones. A page is
 * protected from its first foreground use after its insertion; when the protected pages take more
 * than their share, those used least recently are on probation again. Pages that were read ahead
 * and that nobody asked for yet go first. For caches that are swept by pages used once: what was
 * used again survives the sweep.
 *
 * <p>It can do harm: on a conversation trace with 1 TiB it lost a third of the hits of {@code lru},
 * where pages that wait for their first return are what counts.
 *
 * <p>The protected segment of the seed documents' cache, whose rules it keeps: reading ahead
 * protects nothing, no page larger than the share is protected, and a page that was evicted and
 * inserted again begins on probation.
 */
final class SegmentedLru implements RetentionPolicy {
  /** Far above and below every time since the policy was made. */
  private static final long PROTECTED = 1L << 62;

  private static final long UNASKED = -(1L << 62);
  private static final long LONGEST = 1L << 61;

  private final PolicyContext context;
  private final double share;
  private final long startNanos;
  private final ProtectedPages protectedPages = new ProtectedPages();
  private long residentBytes;

  /**
   * How much it protects.
   *
   * @param protectedShare of the bytes that are there
   */
  public record Settings(
      @Setting(
              def = "0.8",
              min = "0",
              max = "1",
              doc = "share of the resident bytes that protected pages may take")
          double protectedShare) {}

  SegmentedLru(Settings settings, PolicyContext context) {
    this.context = context;
    this.share = settings.protectedShare();
    this.startNanos = context.nanoTime();
  }

  @Override
  public void observe(PageEvents events) {
    PageBatch pages = events.pages();
    for (int i = 0; i < pages.size(); i++) {
      switch (events.kind(i)) {
        case INSERTED -> {
          protectedPages.remove(pages.id(i));
          pages.setMark(i, since(events.nanoTime(i)));
          resident(pages.bytes(i));
        }
        case USED -> protect(pages, i);
        case REMOVED -> {
          protectedPages.remove(pages.id(i));
          resident(-pages.bytes(i));
        }
      }
    }
    demote();
  }

  @Override
  public void adopt(PageBatch residents) {
    for (int i = 0; i < residents.size(); i++) {
      resident(residents.bytes(i));
      if (residents.uses(i) > 0) {
        protect(residents, i);
      }
    }
    demote();
  }

  @Override
  public void score(PageBatch candidates, long[] scores) {
    for (int i = 0; i < candidates.size(); i++) {
      long segment =
          unasked(candidates, i)
              ? UNASKED
              : protectedPages.contains(candidates.id(i)) ? PROTECTED : 0;
      scores[i] = segment + last(candidates, i);
    }
  }

  private void protect(PageBatch pages, int i) {
    if (pages.bytes(i) <= limitBytes()) {
      protectedPages.use(pages.id(i), pages.bytes(i));
    }
  }

  private void demote() {
    long limit = limitBytes();
    while (protectedPages.totalBytes() > limit) {
      protectedPages.removeOldest();
    }
  }

  private long limitBytes() {
    return (long) (share * residentBytes);
  }

  /** Never below nothing nor beyond the largest number: events may be missing or repeated. */
  private void resident(long change) {
    long sum = residentBytes + change;
    boolean beyond = change > 0 && sum < 0;
    residentBytes = beyond ? Long.MAX_VALUE : Math.max(0, sum);
  }

  private long last(PageBatch pages, int i) {
    if (pages.lastUseNanos(i) != Facts.UNKNOWN) {
      return since(pages.lastUseNanos(i));
    }
    if (pages.mark(i) == 0) {
      // Neither used nor seen before: it ages from now on.
      pages.setMark(i, since(context.nanoTime()));
    }
    return pages.mark(i);
  }

  private static boolean unasked(PageBatch pages, int i) {
    return switch (pages.origin(i)) {
      case PREPARATION, WARMING -> pages.uses(i) == 0;
      case PUBLISH, DEMAND, RECOVERED -> false;
    };
  }

  /** The time since the policy was made, never 0, which stands for a page without a mark. */
  private long since(long nanos) {
    long since = Math.clamp(nanos - startNanos, -LONGEST, LONGEST);
    return since == 0 ? 1 : since;
  }
}
