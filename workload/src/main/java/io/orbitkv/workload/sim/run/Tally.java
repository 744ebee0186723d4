package io.orbitkv.workload.sim.run;

import io.orbitkv.workload.sim.Fault;
import io.orbitkv.workload.sim.hardware.StateSketch;

/** What one run did. */
final class Tally {
  final long[] faults = new long[Fault.values().length];
  final StateSketch states = new StateSketch();
  final Coverage coverage = new Coverage();
  long steps;
  long digest = 17;

  void fault(Fault fault) {
    faults[fault.ordinal()]++;
  }
}
