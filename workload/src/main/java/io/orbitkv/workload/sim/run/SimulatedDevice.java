package io.orbitkv.workload.sim.run;

import io.orbitkv.api.copy.DeviceMemoryDescriptor;
import io.orbitkv.api.copy.StagedMemory;
import io.orbitkv.workload.sim.hardware.Arena;
import io.orbitkv.workload.sim.hardware.Checks;
import io.orbitkv.workload.sim.hardware.Mix;
import io.orbitkv.workload.sim.rule.Invariant;
import java.util.ArrayList;
import java.util.List;

/** A device memory without bytes that knows how many plans use it. */
final class SimulatedDevice implements StagedMemory {
  final long registration;
  private final Checks checks;
  private final Op[] stages;
  private final long maxStagedBytes;
  int plans;
  boolean closed;

  SimulatedDevice(long registration, Checks checks) {
    this.registration = registration;
    this.checks = checks;
    long dice = Mix.of(registration, 77, 0) >>> 1;
    stages = new Op[(int) (dice % 4)];
    maxStagedBytes = dice % 3 == 0 ? 5 * Arena.FRAME_BYTES : Long.MAX_VALUE;
  }

  @Override
  public List<List<String>> stageEvents() {
    List<List<String>> events = new ArrayList<>();
    for (int slot = 0; slot < stages.length; slot++) {
      events.add(List.of("%0128x".formatted(slot)));
    }
    return events;
  }

  @Override
  public long maxStagedBytes() {
    return maxStagedBytes;
  }

  /** The events of a slot will be recorded. */
  void record(int slot, Op op) {
    Op former = stages[slot];
    checks.require(
        Invariant.STAGE_SLOT_ACKNOWLEDGED,
        former == null || !former.holdsStage(),
        () -> "slot [" + slot + "] is recorded for " + op + ", but belongs to " + former);
    stages[slot] = op;
    op.stageSlot = slot;
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
