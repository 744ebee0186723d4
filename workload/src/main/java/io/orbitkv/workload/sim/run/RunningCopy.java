package io.orbitkv.workload.sim.run;

import io.orbitkv.api.copy.CopyPlan;

/**
 * A plan that runs.
 *
 * @param places the places in its operation, by entry
 */
record RunningCopy(CopyPlan plan, Op op, int[] places, int rank) {
  long tag(int entry) {
    return Shape.tag(op.page(places[entry]), rank);
  }

  boolean publishes() {
    return plan.direction() == CopyPlan.Direction.DEVICE_TO_HOST;
  }
}
