package io.orbitkv.ssd.sim.run;

import io.orbitkv.ssd.sim.rule.Invariant;
import io.orbitkv.ssd.sim.rule.InvariantViolation;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Supplier;

/** Counts how often each invariant was checked and ends the run when one does not hold. */
final class Checks {
  private final Map<Invariant, Long> checked = new EnumMap<>(Invariant.class);

  /**
   * Checks an invariant once.
   *
   * @throws InvariantViolation when it does not hold
   */
  void require(Invariant invariant, boolean holds, Supplier<String> what) {
    checked.merge(invariant, 1L, Long::sum);
    if (!holds) {
      throw new InvariantViolation(invariant, what.get());
    }
  }

  Map<Invariant, Long> checked() {
    return checked;
  }
}
