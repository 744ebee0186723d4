package io.orbitkv.testkit.policy;

import io.orbitkv.api.policy.History;
import io.orbitkv.api.policy.Policy;
import io.orbitkv.api.policy.PolicyContext;
import io.orbitkv.testkit.ManualClock;
import io.orbitkv.testkit.RecordedLog;
import io.orbitkv.testkit.RecordedMeters;
import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/**
 * What a policy under test may use: a clock that stands still until moved, a seeded random, timers
 * that fire as the clock moves, meters and log lines that can be asked for. Test thread.
 */
public final class TestPolicyContext implements PolicyContext {
  private static final Duration SHORTEST_DELAY = Duration.ofMillis(1);
  private static final Duration LONGEST_DELAY = Duration.ofHours(1);
  private static final long START_NANOS = 1_000_000_000_000L;

  private final ManualClock clock = new ManualClock(START_NANOS);
  private final RandomGenerator random;
  private final RecordedMeters meters = new RecordedMeters();
  private final RecordedLog log;
  private final PriorityQueue<Timer> timers =
      new PriorityQueue<>(
          Comparator.comparingLong(Timer::dueNanos).thenComparingLong(Timer::order));
  private long lastOrder;

  private record Timer(long dueNanos, long order, long token) {}

  /**
   * A context of its own.
   *
   * @param policy the policy's name, for its log
   * @param seed of {@link #random}
   */
  public TestPolicyContext(String policy, long seed) {
    this.random = new SplittableRandom(seed);
    this.log = new RecordedLog(policy);
  }

  @Override
  public long nanoTime() {
    return clock.getAsLong();
  }

  /** The clock. Moving it by hand fires no timer; {@link #advance} does. */
  public ManualClock clock() {
    return clock;
  }

  @Override
  public RandomGenerator random() {
    return random;
  }

  /**
   * {@inheritDoc}
   *
   * @throws IllegalArgumentException when the delay is not between 1 ms and 1 h
   */
  @Override
  public void schedule(Duration delay, long token) {
    if (delay.compareTo(SHORTEST_DELAY) < 0 || delay.compareTo(LONGEST_DELAY) > 0) {
      throw new IllegalArgumentException("a delay of [" + delay + "]: must be 1 ms to 1 h");
    }
    timers.add(new Timer(nanoTime() + delay.toNanos(), ++lastOrder, token));
  }

  /** Timers that wait. */
  public int waitingTimers() {
    return timers.size();
  }

  @Override
  public RecordedMeters meters() {
    return meters;
  }

  /**
   * {@inheritDoc}
   *
   * @throws IllegalArgumentException when {@code entries} is not between 1 and 1,000,000
   */
  @Override
  public History history(int entries) {
    return new TestHistory(entries);
  }

  @Override
  public RecordedLog log() {
    return log;
  }

  /** Moves the clock; timers that come due on the way fire at their own time, in order. */
  public void advance(Duration step, Policy policy) {
    long endNanos = nanoTime() + step.toNanos();
    Timer next = timers.peek();
    while (next != null && next.dueNanos() - endNanos <= 0) {
      timers.remove();
      clock.advance(Duration.ofNanos(Math.max(0, next.dueNanos() - nanoTime())));
      policy.onTimer(next.token());
      next = timers.peek();
    }
    clock.advance(Duration.ofNanos(endNanos - nanoTime()));
  }
}
