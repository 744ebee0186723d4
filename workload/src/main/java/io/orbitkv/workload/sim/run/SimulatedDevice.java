package io.orbitkv.workload.sim.run;

import io.orbitkv.api.copy.DeviceMemory;
import io.orbitkv.api.copy.DeviceMemoryDescriptor;
import io.orbitkv.workload.sim.hardware.Checks;
import io.orbitkv.workload.sim.rule.Invariant;

/** A device memory without bytes that knows how many plans use it. */
final class SimulatedDevice implements DeviceMemory {
  final long registration;
  private final Checks checks;
  int plans;
  boolean closed;

  SimulatedDevice(long registration, Checks checks) {
    this.registration = registration;
    this.checks = checks;
  }

  void begin() {
    checks.require(
        Invariant.MAPPING_OPEN_UNDER_PLANS,
        !closed,
        () -> "a plan on the memory of registration [" + registration + "], which is closed");
    plans++;
  }

  @Override
  public void close() {
    checks.require(
        Invariant.MAPPINGS_BALANCED,
        !closed,
        () -> "the memory of registration [" + registration + "] is closed twice");
    checks.require(
        Invariant.MAPPING_OPEN_UNDER_PLANS,
        plans == 0,
        () -> "the memory of registration [" + registration + "] is closed under plans: " + plans);
    closed = true;
  }

  /** The name by which a worker registers it. */
  static DeviceMemoryDescriptor descriptor() {
    return new DeviceMemoryDescriptor.SharedMemory(1, 3, 1L << 40);
  }
}
