package io.orbitkv.workload.sim.hardware;

import io.orbitkv.workload.sim.Invariant;
import io.orbitkv.workload.sim.InvariantViolation;
import java.util.function.Supplier;

/** Counts how often each invariant was checked and ends the run when one does not hold. */
public final class Checks {
  private final long[] checked = new long[Invariant.values().length];

  /** Nothing was checked. */
  public Checks() {}

  /**
   * Checks an invariant once.
   *
   * @param what said when it does not hold
   * @throws InvariantViolation when it does not hold
   */
  public void require(Invariant invariant, boolean holds, Supplier<String> what) {
    checked[invariant.ordinal()]++;
    if (!holds) {
      throw new InvariantViolation(invariant, what.get());
    }
  }

  /** How often, by ordinal. */
  public long[] checked() {
    return checked.clone();
  }
}
