package io.orbitkv.workload.sim.hardware;

import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/** What happens later, in the order of its time; what was scheduled first comes first. */
public final class EventQueue {
  private final PriorityQueue<Entry> entries = new PriorityQueue<>();
  private long scheduled;

  private record Entry(long dueNanos, long order, Runnable what) implements Comparable<Entry> {
    @Override
    public int compareTo(Entry other) {
      int byTime = Long.compare(dueNanos, other.dueNanos);
      return byTime != 0 ? byTime : Long.compare(order, other.order);
    }
  }

  /** Nothing is scheduled. */
  public EventQueue() {}

  /** Schedules. */
  public void at(long dueNanos, Runnable what) {
    entries.add(new Entry(dueNanos, ++scheduled, what));
  }

  /** When the next one is due; the largest number when there is none. */
  public long nextNanos() {
    Entry next = entries.peek();
    return next == null ? Long.MAX_VALUE : next.dueNanos;
  }

  /** Takes the next one, or null. */
  public @Nullable Runnable take() {
    Entry next = entries.poll();
    return next == null ? null : next.what;
  }

  /** How many are scheduled. */
  public int size() {
    return entries.size();
  }
}
