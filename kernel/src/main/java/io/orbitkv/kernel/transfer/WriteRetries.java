package io.orbitkv.kernel.transfer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Runs of pages for which a policy wants to be asked again after a while. What is touched before is
 * asked for then, and not a second time. Bounded: what exceeds it waits for its touch alone.
 * Dispatcher.
 */
final class WriteRetries {
  /** Pages that are remembered at most. */
  static final int MOST_PAGES = 1 << 16;

  /** Longest delay. */
  static final Duration LONGEST = Duration.ofHours(1);

  private final PriorityQueue<Retry> byTime =
      new PriorityQueue<>(
          Comparator.comparingLong(Retry::dueNanos).thenComparingLong(retry -> retry.run().id()));
  private final Map<Long, List<Retry>> byChain = new HashMap<>();
  private int pages;

  private record Retry(long dueNanos, WriteRun run) {}

  /** A run is to be asked for again after a delay. */
  void add(WriteRun run, long nowNanos, long delayNanos) {
    if (pages + run.size() > MOST_PAGES) {
      return;
    }
    Retry retry = new Retry(nowNanos + Math.min(delayNanos, LONGEST.toNanos()), run);
    byTime.add(retry);
    byChain.computeIfAbsent(run.chain(), chain -> new ArrayList<>(1)).add(retry);
    pages += run.size();
  }

  /** A chain is asked for: nothing of that name need be asked for again. */
  void forget(long chain) {
    if (byChain.isEmpty()) {
      return;
    }
    List<Retry> retries = byChain.remove(chain);
    if (retries != null) {
      for (Retry retry : retries) {
        byTime.remove(retry);
        pages -= retry.run().size();
      }
    }
  }

  /** Takes the next run whose time has come, or null. */
  @Nullable WriteRun next(long nowNanos) {
    Retry next = byTime.peek();
    if (next == null || next.dueNanos() - nowNanos > 0) {
      return null;
    }
    byTime.remove();
    List<Retry> retries = byChain.get(next.run().chain());
    if (retries != null && retries.remove(next) && retries.isEmpty()) {
      byChain.remove(next.run().chain());
    }
    pages -= next.run().size();
    return next.run();
  }

  /** The next moment, or {@link Long#MAX_VALUE}. */
  long nextDeadlineNanos() {
    Retry next = byTime.peek();
    return next == null ? Long.MAX_VALUE : next.dueNanos();
  }
}
