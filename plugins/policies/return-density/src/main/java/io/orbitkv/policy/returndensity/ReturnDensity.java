package io.orbitkv.policy.returndensity;

import io.orbitkv.api.policy.Facts;
import io.orbitkv.api.policy.PageBatch;
import io.orbitkv.api.policy.PageEvents;
import io.orbitkv.api.policy.PolicyContext;
import io.orbitkv.api.policy.RetentionPolicy;
import io.orbitkv.api.settings.Setting;

/**
 * Keeps the pages whose conversations will most likely return soon: a page is worth the returns
 * that may be expected for each second that it stays.
 *
 * <p>A generic cache sees single pages; here pages are chains, and a chain is a conversation that
 * somebody continues or does not. Whether its pages are still there does not change when it
 * returns, so the policy learns return times from conversations, evicted or not, and is not misled
 * by what it evicted itself, as estimates from the hits of a cache are. What it learns:
 *
 * <ul>
 *   <li>Most conversations pause: for seconds after a turn nobody comes back, then for minutes many
 *       do. Where a pool turns over in that time, the last use says the wrong thing: the youngest
 *       pages are the ones that can wait longest.
 *   <li>A conversation that returned often will return again, and one with short pauses soon. So
 *       return times are kept by turn and pace ({@link Conversations}), and rare kinds borrow from
 *       all ({@link ReturnTimes}).
 * </ul>
 *
 * <p>The value of a page of age {@code a} is the best over all horizons {@code t} of (probability
 * of a return between {@code a} and {@code t}) / (expected time until then): the Gittins index,
 * which is what to go by when a place can be given to another at any time. Without anything learned
 * it falls with age, which is the order of last use.
 *
 * <p>A page's own value is the kind of its conversation and the time of its last use as this policy
 * heard of it. Replayable: no chance, no clock but the context's.
 */
final class ReturnDensity implements RetentionPolicy {
  /** Pages that nobody asked for go before all others. */
  private static final long UNASKED = -(1L << 62);

  private static final int KIND_BITS = 3;
  private static final int KIND_MASK = (1 << KIND_BITS) - 1;

  /** Ages count in units of about a millisecond, so that they leave room for the kind. */
  private static final int STAMP_SHIFT = 20;

  private final PolicyContext context;
  private final long startNanos;
  private final ReturnTimes times;
  private final Conversations conversations;

  /**
   * How much it remembers.
   *
   * @param conversations whose last turn is remembered; some 150 bytes each
   * @param memory requests after which what was learned counts half
   */
  public record Settings(
      @Setting(
              def = "65536",
              min = "64",
              max = "1000000",
              doc = "conversations whose last turn is remembered, at about 150 bytes each")
          int conversations,
      @Setting(
              def = "50000",
              min = "1000",
              max = "100000000",
              doc = "requests after which what was learned counts half")
          int memory) {}

  ReturnDensity(Settings settings, PolicyContext context) {
    this.context = context;
    startNanos = context.nanoTime();
    times = new ReturnTimes(settings.memory());
    conversations = new Conversations(settings.conversations(), times, context);
  }

  @Override
  public void observe(PageEvents events) {
    PageBatch pages = events.pages();
    for (int i = 0; i < pages.size(); i++) {
      switch (events.kind(i)) {
        case INSERTED, USED -> {
          long at = events.nanoTime(i);
          pages.setMark(i, mark(at, conversations.heard(events, i)));
        }
        case REMOVED -> conversations.removed(pages.id(i));
      }
    }
  }

  @Override
  public void score(PageBatch candidates, long[] scores) {
    long now = stamp(context.nanoTime());
    for (int i = 0; i < candidates.size(); i++) {
      long mark = candidates.mark(i);
      if (mark == 0) {
        // Handed over from another policy, or its events were lost: it ages from its last use.
        long use = candidates.lastUseNanos(i);
        mark = mark(use == Facts.UNKNOWN ? context.nanoTime() : use, Conversations.FIRST_TURN);
        candidates.setMark(i, mark);
      }
      long stamp = mark >> KIND_BITS;
      scores[i] =
          unasked(candidates, i)
              ? UNASKED + stamp
              : times.value((int) (mark & KIND_MASK), seconds(now - stamp));
    }
  }

  private static boolean unasked(PageBatch pages, int i) {
    return switch (pages.origin(i)) {
      case PREPARATION, WARMING -> pages.uses(i) == 0;
      case PUBLISH, DEMAND, RECOVERED -> false;
    };
  }

  private long mark(long nanos, int kind) {
    return (stamp(nanos) << KIND_BITS) | kind;
  }

  /** Never 0, so that a mark is never 0, which stands for a page without one. */
  private long stamp(long nanos) {
    long since = (nanos - startNanos) >> STAMP_SHIFT;
    return since >= 0 ? since + 1 : since;
  }

  private static double seconds(long stamps) {
    return Math.max(0, stamps) * ((1 << STAMP_SHIFT) / 1e9);
  }
}
