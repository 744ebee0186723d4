package io.orbitkv.workload.sim.run;

import io.orbitkv.workload.sim.hardware.StateSketch;
import io.orbitkv.workload.sim.rule.Fault;
import java.util.EnumMap;
import java.util.Map;

/** What one run did. */
@SuppressWarnings("EnumOrdinal") // Counters in arrays: they are bumped several times a step.
final class Tally {
  final Map<Fault, Long> faults = new EnumMap<>(Fault.class);
  final StateSketch states = new StateSketch();
  final Coverage coverage = new Coverage();
  long steps;
  long digest = 17;

  void fault(Fault fault) {
    faults.merge(fault, 1L, Long::sum);
  }
}
