package io.orbitkv.model;

import io.orbitkv.api.plugin.Meters;
import io.orbitkv.api.policy.History;
import io.orbitkv.api.policy.Policy;
import io.orbitkv.api.policy.PolicyContext;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * What one policy instance uses in the model: the clock of the run, seeded chance, timers that go
 * off between requests. The thread of the run. Make one for each instance.
 */
public final class ModelContext implements PolicyContext {
  private static final Duration SHORTEST = Duration.ofMillis(1);
  private static final Duration LONGEST = Duration.ofHours(1);
  private static final int MAX_HISTORY = 1_000_000;
  private static final int MAX_TIMERS = 1024;

  private final RandomGenerator random;
  private final System.Logger log;
  private final PriorityQueue<DueTimer> timers = new PriorityQueue<>();
  private long scheduled;
  private long nowNanos;

  private record DueTimer(long atNanos, long sequence, long token) implements Comparable<DueTimer> {
    @Override
    public int compareTo(DueTimer other) {
      int byTime = Long.compare(atNanos, other.atNanos);
      return byTime != 0 ? byTime : Long.compare(sequence, other.sequence);
    }
  }

  /**
   * A context at time 0.
   *
   * @param name of the policy, for its logger
   */
  public ModelContext(String name, long seed) {
    random = new SplittableRandom(seed);
    log = System.getLogger("io.orbitkv.policy." + name);
  }

  /** Moves the clock and lets timers go off in their order. */
  void advance(long toNanos, Policy policy) {
    for (DueTimer next = timers.peek();
        next != null && next.atNanos() <= toNanos;
        next = timers.peek()) {
      timers.remove();
      nowNanos = Math.max(nowNanos, next.atNanos());
      policy.onTimer(next.token());
    }
    nowNanos = Math.max(nowNanos, toNanos);
  }

  @Override
  public long nanoTime() {
    return nowNanos;
  }

  @Override
  public RandomGenerator random() {
    return random;
  }

  @Override
  public void schedule(Duration delay, long token) {
    Duration kept =
        delay.compareTo(SHORTEST) < 0 ? SHORTEST : delay.compareTo(LONGEST) > 0 ? LONGEST : delay;
    if (timers.size() >= MAX_TIMERS) {
      throw new IllegalStateException("[" + MAX_TIMERS + "] timers wait already");
    }
    timers.add(new DueTimer(nowNanos + kept.toNanos(), scheduled++, token));
  }

  @Override
  public Meters meters() {
    return NoMeters.NONE;
  }

  @Override
  public History history(int entries) {
    if (entries < 1 || entries > MAX_HISTORY) {
      throw new IllegalArgumentException(
          "history of [" + entries + "] entries: must be 1 to " + MAX_HISTORY);
    }
    return new Memory(entries);
  }

  @Override
  public System.Logger log() {
    return log;
  }

  /** In the order of the last touch, kept by taking an entry out and putting it in again. */
  private static final class Memory implements History {
    private final int entries;
    private final LinkedHashMap<Long, Integer> counts = new LinkedHashMap<>();

    Memory(int entries) {
      this.entries = entries;
    }

    @Override
    public int touch(long id) {
      Integer before = counts.remove(id);
      int count = before == null ? 1 : before + 1;
      counts.put(id, count);
      if (counts.size() > entries) {
        counts.pollFirstEntry();
      }
      return count;
    }

    @Override
    public int count(long id) {
      return counts.getOrDefault(id, 0);
    }
  }

  private enum NoMeters implements Meters {
    NONE;

    @Override
    public Counter counter(String name, String description) {
      return amount -> {};
    }

    @Override
    public void gauge(String name, String description, LongSupplier value) {}

    @Override
    public Timer timer(String name, String description) {
      return nanos -> {};
    }
  }
}
