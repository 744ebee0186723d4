package io.orbitkv.workload.sim.hardware;

import io.orbitkv.workload.sim.rule.Invariant;
import io.orbitkv.workload.sim.rule.InvariantViolation;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Supplier;

/** Counts how often each invariant was checked and ends the run when one does not hold. */
@SuppressWarnings("EnumOrdinal") // Counters in arrays: they are bumped several times a step.
public final class Checks {
  private final Map<Invariant, long[]> checked = new EnumMap<>(Invariant.class);

  /** Nothing was checked. */
  public Checks() {
    for (Invariant invariant : Invariant.values()) {
      checked.put(invariant, new long[1]);
    }
  }

  /**
   * Checks an invariant once.
   *
   * @param what said when it does not hold
   * @throws InvariantViolation when it does not hold
   */
  public void require(Invariant invariant, boolean holds, Supplier<String> what) {
    count(invariant);
    if (!holds) {
      throw new InvariantViolation(invariant, what.get());
    }
  }

  private void count(Invariant invariant) {
    long[] times = checked.get(invariant);
    if (times != null) {
      times[0]++;
    }
  }

  /** How often. */
  public Map<Invariant, Long> checked() {
    Map<Invariant, Long> sums = new EnumMap<>(Invariant.class);
    checked.forEach((invariant, times) -> sums.put(invariant, times[0]));
    return sums;
  }
}
