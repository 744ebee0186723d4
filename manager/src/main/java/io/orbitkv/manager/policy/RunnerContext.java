package io.orbitkv.manager.policy;

import io.orbitkv.api.plugin.Meters;
import io.orbitkv.api.policy.History;
import io.orbitkv.api.policy.PolicyContext;
import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * What a policy may use, with the timers that it asked for. Policy thread, but for {@link
 * #nextTimerNanos}.
 */
final class RunnerContext implements PolicyContext {
  static final long NO_TIMER = Long.MAX_VALUE;
  private static final Duration SHORTEST_DELAY = Duration.ofMillis(1);
  private static final Duration LONGEST_DELAY = Duration.ofHours(1);

  private final LongSupplier clock;
  private final RandomGenerator random;
  private final Meters meters;
  private final System.Logger log;
  private final int mostTimers;
  private final PriorityQueue<DueTimer> timers =
      new PriorityQueue<>(
          Comparator.comparingLong(DueTimer::dueNanos).thenComparingLong(DueTimer::order));
  private long lastOrder;
  private volatile long nextTimerNanos = NO_TIMER;

  private record DueTimer(long dueNanos, long order, long token) {}

  RunnerContext(
      LongSupplier clock,
      RandomGenerator random,
      Meters meters,
      System.Logger log,
      int mostTimers) {
    this.clock = clock;
    this.random = random;
    this.meters = meters;
    this.log = log;
    this.mostTimers = mostTimers;
  }

  @Override
  public long nanoTime() {
    return clock.getAsLong();
  }

  @Override
  public RandomGenerator random() {
    return random;
  }

  @Override
  public void schedule(Duration delay, long token) {
    if (delay.compareTo(SHORTEST_DELAY) < 0 || delay.compareTo(LONGEST_DELAY) > 0) {
      throw new IllegalArgumentException("a delay of [" + delay + "]: must be 1 ms to 1 h");
    }
    if (timers.size() >= mostTimers) {
      throw new IllegalStateException("[" + mostTimers + "] timers wait already");
    }
    timers.add(new DueTimer(nanoTime() + delay.toNanos(), ++lastOrder, token));
    nextTimerNanos = timers.element().dueNanos();
  }

  @Override
  public Meters meters() {
    return meters;
  }

  @Override
  public History history(int entries) {
    return new CountingHistory(entries);
  }

  @Override
  public System.Logger log() {
    return log;
  }

  /** Any thread. When the next timer is due, or {@link #NO_TIMER}. */
  long nextTimerNanos() {
    return nextTimerNanos;
  }

  boolean timerDue(long nowNanos) {
    long next = nextTimerNanos;
    return next != NO_TIMER && next - nowNanos <= 0;
  }

  /** Takes the first timer that is due, if there is one. */
  boolean takeDueTimer(long nowNanos, LongConsumer taker) {
    if (!timerDue(nowNanos)) {
      return false;
    }
    DueTimer due = timers.remove();
    DueTimer next = timers.peek();
    nextTimerNanos = next == null ? NO_TIMER : next.dueNanos();
    taker.accept(due.token());
    return true;
  }
}
