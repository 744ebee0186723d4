package io.orbitkv.workload.sim;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * Makes a failing list of actions shorter by leaving out parts of it: halves first, then smaller
 * and smaller ones, as long as it still fails and time is left (delta debugging).
 *
 * @param <T> an action
 */
final class Shrinker<T> {
  private final Predicate<List<T>> fails;
  private final LongSupplier clockNanos;
  private final long timeNanos;

  /**
   * @param fails whether a list still shows the failure
   * @param clockNanos monotonic time
   * @param time to spend at most
   */
  Shrinker(Predicate<List<T>> fails, LongSupplier clockNanos, Duration time) {
    this.fails = fails;
    this.clockNanos = clockNanos;
    this.timeNanos = time.toNanos();
  }

  /** The shortest failing list that was found; the given one when no shorter fails. */
  List<T> shrink(List<T> failing) {
    long end = clockNanos.getAsLong() + timeNanos;
    List<T> shortest = failing;
    int parts = 2;
    while (shortest.size() > 1 && parts <= shortest.size()) {
      List<T> shorter = withoutAPart(shortest, parts, end);
      if (shorter.size() < shortest.size()) {
        shortest = shorter;
        parts = Math.max(2, parts - 1);
      } else if (parts == shortest.size() || clockNanos.getAsLong() - end >= 0) {
        break;
      } else {
        parts = Math.min(parts * 2, shortest.size());
      }
    }
    return shortest;
  }

  /** Leaves out whatever part can be left out, from the end to the beginning. */
  private List<T> withoutAPart(List<T> failing, int parts, long end) {
    List<T> shortest = failing;
    int size = Math.ceilDiv(failing.size(), parts);
    for (int from = (failing.size() - 1) / size * size; from >= 0; from -= size) {
      if (clockNanos.getAsLong() - end >= 0) {
        break;
      }
      List<T> shorter = new ArrayList<>(shortest.subList(0, from));
      shorter.addAll(shortest.subList(Math.min(from + size, shortest.size()), shortest.size()));
      if (fails.test(shorter)) {
        shortest = shorter;
      }
    }
    return shortest;
  }
}
