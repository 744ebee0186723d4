package io.orbitkv.testkit;

import io.orbitkv.api.plugin.Meters;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;

/**
 * Meters that remember. A name that is not in snake case, or stands for two kinds of meter, is
 * refused at once. Any thread.
 */
public final class RecordedMeters implements Meters {
  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9]*(_[a-z0-9]+)*");

  private final Map<String, LongAdder> counters = new ConcurrentHashMap<>();
  private final Map<String, LongSupplier> gauges = new ConcurrentHashMap<>();
  private final Map<String, List<Long>> timers = new ConcurrentHashMap<>();

  /** Nothing recorded yet. */
  public RecordedMeters() {}

  @Override
  public Counter counter(String name, String description) {
    check(name, description, gauges.containsKey(name) || timers.containsKey(name));
    LongAdder sum = counters.computeIfAbsent(name, absent -> new LongAdder());
    return amount -> {
      if (amount < 0) {
        throw new IllegalArgumentException("counter [" + name + "] does not shrink: " + amount);
      }
      sum.add(amount);
    };
  }

  @Override
  public void gauge(String name, String description, LongSupplier value) {
    check(name, description, counters.containsKey(name) || timers.containsKey(name));
    gauges.put(name, value);
  }

  @Override
  public Timer timer(String name, String description) {
    check(name, description, counters.containsKey(name) || gauges.containsKey(name));
    List<Long> recorded = timers.computeIfAbsent(name, absent -> new ArrayList<>());
    return nanos -> {
      synchronized (recorded) {
        recorded.add(nanos);
      }
    };
  }

  /**
   * The sum of a counter.
   *
   * @throws IllegalArgumentException when there is no such counter
   */
  public long counter(String name) {
    return known(name, counters).sum();
  }

  /**
   * The present value of a gauge.
   *
   * @throws IllegalArgumentException when there is no such gauge
   */
  public long gauge(String name) {
    return known(name, gauges).getAsLong();
  }

  /**
   * The durations that a timer recorded, in nanoseconds.
   *
   * @throws IllegalArgumentException when there is no such timer
   */
  public List<Long> timer(String name) {
    List<Long> recorded = known(name, timers);
    synchronized (recorded) {
      return List.copyOf(recorded);
    }
  }

  /** All counters by name. */
  public SortedMap<String, Long> counters() {
    SortedMap<String, Long> sums = new TreeMap<>();
    counters.forEach((name, sum) -> sums.put(name, sum.sum()));
    return sums;
  }

  private static <T> T known(String name, Map<String, T> meters) {
    T found = meters.get(name);
    if (found == null) {
      throw new IllegalArgumentException(
          "no such meter [" + name + "]: there are " + new TreeMap<>(meters).keySet());
    }
    return found;
  }

  private static void check(String name, String description, boolean otherKind) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException("meter [" + name + "] is not in snake case");
    }
    if (description.isBlank()) {
      throw new IllegalArgumentException("meter [" + name + "] has no description");
    }
    if (otherKind) {
      throw new IllegalArgumentException("meter [" + name + "] exists as another kind");
    }
  }
}
