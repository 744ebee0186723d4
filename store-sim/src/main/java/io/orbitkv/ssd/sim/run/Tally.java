package io.orbitkv.ssd.sim.run;

import io.orbitkv.ssd.sim.rule.Fault;
import io.orbitkv.ssd.sim.rule.Step;
import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;

/** Counts of what runs did; sums do not depend on the order of the runs. */
public final class Tally {
  private final Map<Step, Long> crashes = new EnumMap<>(Step.class);
  private final Map<Fault, Long> faults = new EnumMap<>(Fault.class);
  private final Map<String, Long> events = new TreeMap<>();

  /** Nothing was counted. */
  public Tally() {}

  /** Crashes by what they interrupted. */
  public Map<Step, Long> crashes() {
    return crashes;
  }

  /** Faults that were injected. */
  public Map<Fault, Long> faults() {
    return faults;
  }

  /** What the store did, by name. */
  public Map<String, Long> events() {
    return events;
  }

  void count(String event) {
    count(event, 1);
  }

  void count(String event, long times) {
    events.merge(event, times, Long::sum);
  }

  /** Adds the counts of other runs. */
  public void merge(Tally other) {
    other.crashes.forEach((step, times) -> crashes.merge(step, times, Long::sum));
    other.faults.forEach((fault, times) -> faults.merge(fault, times, Long::sum));
    other.events.forEach((event, times) -> events.merge(event, times, Long::sum));
  }
}
