package io.orbitkv.policy.lru;

import io.orbitkv.api.policy.Facts;
import io.orbitkv.api.policy.PageBatch;
import io.orbitkv.api.policy.PageEvents;
import io.orbitkv.api.policy.PolicyContext;
import io.orbitkv.api.policy.RetentionPolicy;

/**
 * Evicts the page first that was inserted or used least recently. Pages that were read ahead and
 * that nobody asked for yet go before all others. For everybody to whom no other policy proved
 * better, and as the line that other policies are measured against: it is the order that the kernel
 * keeps on its own.
 *
 * <p>A page's own value is the time of its last insertion or use as far as this policy heard of it,
 * so nothing is remembered beside the pages.
 */
final class Lru implements RetentionPolicy {
  /** Far below every time since the policy was made. */
  private static final long UNASKED = -(1L << 62);

  private static final long LONGEST = 1L << 61;

  private final PolicyContext context;
  private final long startNanos;

  /** Nothing can be set. */
  public record Settings() {}

  Lru(Settings settings, PolicyContext context) {
    this.context = context;
    this.startNanos = context.nanoTime();
  }

  @Override
  public void observe(PageEvents events) {
    PageBatch pages = events.pages();
    for (int i = 0; i < pages.size(); i++) {
      if (events.kind(i) != PageEvents.Kind.REMOVED) {
        pages.setMark(i, stamp(events.nanoTime(i)));
      }
    }
  }

  @Override
  public void score(PageBatch candidates, long[] scores) {
    for (int i = 0; i < candidates.size(); i++) {
      long last = last(candidates, i);
      scores[i] = unasked(candidates, i) ? UNASKED + last : last;
    }
  }

  private long last(PageBatch pages, int i) {
    long mark = pages.mark(i);
    long use = pages.lastUseNanos(i);
    if (use != Facts.UNKNOWN) {
      return mark == 0 ? stamp(use) : Math.max(mark, stamp(use));
    }
    if (mark == 0) {
      // Neither used nor seen before: it ages from now on.
      mark = stamp(context.nanoTime());
      pages.setMark(i, mark);
    }
    return mark;
  }

  private static boolean unasked(PageBatch pages, int i) {
    return switch (pages.origin(i)) {
      case PREPARATION, WARMING -> pages.uses(i) == 0;
      case PUBLISH, DEMAND, RECOVERED -> false;
    };
  }

  /** The time since the policy was made, never 0, which stands for a page without a mark. */
  private long stamp(long nanos) {
    long since = Math.clamp(nanos - startNanos, -LONGEST, LONGEST);
    return since == 0 ? 1 : since;
  }
}
