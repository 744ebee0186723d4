package io.orbitkv.policy.wtinylfu;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Policy.Eviction;
import io.orbitkv.api.policy.Facts;
import io.orbitkv.api.policy.PageBatch;
import io.orbitkv.api.policy.PageEvents;
import io.orbitkv.api.policy.PolicyContext;
import io.orbitkv.api.policy.RetentionPolicy;
import io.orbitkv.api.settings.Setting;

/**
 * Evicts the pages first that Caffeine's W-TinyLFU policy would not keep, in the order of their
 * last use. For workloads in which the same pages return many times among many that never do: a new
 * page stays only when it is asked for more often than the one that would give way to it.
 *
 * <p>A cache of Caffeine holds the names of the pages, in a little less room than the tier has, so
 * that it always has something to give up; it sees the same insertions and uses. Its admission
 * draws thread-local random numbers, so equal runs may differ. Names are boxed, which costs an
 * object an event: Caffeine takes no primitive keys.
 *
 * <p>The TinyLFU admission of the seed documents' cache, with the window and the adaptation that
 * Caffeine adds (Einziger, Eytan, Friedman and Manes, "Adaptive Software Cache Management", 2018).
 */
final class WTinyLfu implements RetentionPolicy {
  /** Names at most, some 60 MB; of a tier with more pages only the best so many are kept apart. */
  private static final long MOST_PAGES = 1 << 19;

  /** Part of the room by which it may be off. */
  private static final long TOLERANCE = 64;

  /** Far above and below every time since the policy was made. */
  private static final long KEPT = 1L << 62;

  private static final long UNASKED = -(1L << 62);
  private static final long LONGEST = 1L << 61;

  private final PolicyContext context;
  private final double keep;
  private final long startNanos;
  private final Cache<Long, Boolean> names;
  private final Eviction<Long, Boolean> limit;
  private long resident;

  /**
   * How much it keeps apart.
   *
   * @param keep share of the pages
   */
  public record Settings(
      @Setting(
              def = "0.9",
              min = "0.1",
              max = "0.99",
              doc = "share of the resident pages that are kept as the best; the others leave first")
          double keep) {}

  WTinyLfu(Settings settings, PolicyContext context) {
    this.context = context;
    this.keep = settings.keep();
    this.startNanos = context.nanoTime();
    // On this thread: a policy has none of its own.
    this.names = Caffeine.newBuilder().executor(Runnable::run).maximumSize(1).build();
    this.limit = names.policy().eviction().orElseThrow();
  }

  @Override
  public void observe(PageEvents events) {
    PageBatch pages = events.pages();
    for (int i = 0; i < pages.size(); i++) {
      switch (events.kind(i)) {
        case INSERTED -> {
          resident++;
          pages.setMark(i, since(events.nanoTime(i)));
        }
        case USED -> {}
        case REMOVED -> resident = Math.max(0, resident - 1);
      }
    }
    // First the room, then who gets it: the tier had room for all of them.
    resize();
    for (int i = 0; i < pages.size(); i++) {
      switch (events.kind(i)) {
        case INSERTED -> insert(pages, i);
        case USED -> use(pages.id(i));
        case REMOVED -> names.invalidate(pages.id(i));
      }
    }
    names.cleanUp();
  }

  @Override
  public void adopt(PageBatch residents) {
    resident += residents.size();
    resize();
    for (int i = 0; i < residents.size(); i++) {
      insert(residents, i);
    }
    names.cleanUp();
  }

  @Override
  public void score(PageBatch candidates, long[] scores) {
    for (int i = 0; i < candidates.size(); i++) {
      // Looked up in the map's view: a question is no use of the page.
      long segment =
          unasked(candidates, i) ? UNASKED : names.asMap().containsKey(candidates.id(i)) ? KEPT : 0;
      scores[i] = segment + last(candidates, i);
    }
  }

  private void insert(PageBatch pages, int i) {
    if (!unasked(pages, i)) {
      names.put(pages.id(i), true);
    }
  }

  private void use(long page) {
    if (names.getIfPresent(page) == null) {
      names.put(page, true);
    }
  }

  private void resize() {
    long room = Math.clamp((long) (keep * resident), 1, MOST_PAGES);
    long before = limit.getMaximum();
    // Each change begins Caffeine's adaptation anew, so not at every page that comes or goes.
    if (Math.abs(room - before) > before / TOLERANCE) {
      limit.setMaximum(room);
    }
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
