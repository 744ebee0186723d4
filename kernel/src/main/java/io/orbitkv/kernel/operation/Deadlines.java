package io.orbitkv.kernel.operation;

import java.util.Comparator;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * When which undecided question is looked at again. A decision is in it from the moment at which it
 * begins to wait; one that was decided meanwhile falls out when its turn comes. Dispatcher.
 */
final class Deadlines {
  private static final int PURGE = 1024;

  private final PriorityQueue<Watch> watches =
      new PriorityQueue<>(
          Comparator.comparingLong(Watch::nanos).thenComparingLong(w -> w.decision().sequence()));

  private int purgeAt = PURGE;

  /** A moment at which a decision may be due. */
  private record Watch(long nanos, Decision decision) {}

  void watch(Decision decision) {
    if (watches.size() >= purgeAt) {
      watches.removeIf(watch -> !watch.decision().undecided());
      purgeAt = Math.max(PURGE, 2 * watches.size());
    }
    watches.add(new Watch(dueNanos(decision), decision));
  }

  /** Takes the next decision that is due, or null. It is not watched any more. */
  @Nullable Decision due(long nowNanos) {
    for (Watch watch = watches.peek(); watch != null; watch = watches.peek()) {
      Decision decision = watch.decision();
      boolean dead = !decision.undecided();
      if (!dead && watch.nanos() - nowNanos > 0) {
        return null;
      }
      watches.remove();
      if (dead) {
        continue;
      }
      if (dueNanos(decision) - nowNanos <= 0) {
        return decision;
      }
      watch(decision); // Its time was extended.
    }
    return null;
  }

  /** The next moment, or {@link Long#MAX_VALUE}. */
  long next() {
    Watch watch = watches.peek();
    while (watch != null && !watch.decision().undecided()) {
      watches.remove();
      watch = watches.peek();
    }
    return watch == null ? Long.MAX_VALUE : watch.nanos();
  }

  private static long dueNanos(Decision decision) {
    return switch (decision.state()) {
      case WAITING, READING -> Math.min(decision.deadlineNanos, decision.readDeadlineNanos);
      case NEW, PREPARED, OPEN, ENDED -> decision.deadlineNanos;
    };
  }
}
