package io.orbitkv.workload.sim.run;

import io.orbitkv.kernel.Event;
import io.orbitkv.kernel.KernelCounter;
import io.orbitkv.kernel.KernelStatus;
import io.orbitkv.workload.sim.Invariant;
import io.orbitkv.workload.sim.run.LeaseModel.Standing;
import java.util.List;

/** Cheap checks after every step: memory, budgets, time and counters. */
final class StepChecks {
  private final World world;
  private final Model model;
  private final long capacityBytes;

  StepChecks(World world) {
    this.world = world;
    this.model = world.model;
    this.capacityBytes = world.arena.usage().capacityBytes();
  }

  void check(Event event) {
    KernelStatus status = world.status;
    memory(status);
    budget(status, event);
    waiting(status);
    if (event instanceof Event.Tick) {
      inTime();
    }
    if (event instanceof Event.CopyCompleted) {
      copiesAnswered();
    }
    counters(status);
  }

  private void memory(KernelStatus status) {
    long used = world.arena.usedBytes();
    boolean adds =
        status.leakedBytes() == 0
            && status.memory().allocatedBytes() == used
            && used + status.memory().freeBytes() == status.memory().activeBytes()
            && status.memory().activeBytes() <= capacityBytes;
    world.require(Invariant.ARENA_CONSERVED, adds, "states and arenas differ", status);
  }

  // ---- budgets ---------------------------------------------------------------------------------

  private void budget(KernelStatus status, Event event) {
    long copying = 0;
    long certain = 0;
    long possible = 0;
    for (LeaseModel lease : model.holding.values()) {
      long bytes = lease.bytes();
      possible += bytes;
      copying += lease.copies > 0 ? bytes : 0;
      certain += lease.copies > 0 || lease.standing == Standing.OPEN ? bytes : 0;
    }
    long reserved = status.reservedBytes();
    long atLeast = certain;
    long atMost = possible;
    world.require(
        Invariant.TOTAL_BUDGET,
        reserved <= world.settings.budget().totalBytes() && reserved >= 0,
        "reserved beyond the limit after " + event.getClass().getSimpleName(),
        reserved);
    world.require(
        Invariant.SPECULATIVE_QUARTER,
        status.speculativeBytes() <= world.settings.budget().speculativeTotalBytes()
            && status.speculativeBytes() >= 0,
        "speculation beyond its quarter",
        status.speculativeBytes());
    world.require(
        Invariant.DRAINING_KEEPS_BYTES,
        reserved >= copying,
        "copies hold [" + copying + "] bytes, reserved are",
        reserved);
    world.checks.require(
        Invariant.BUDGET_BY_OWNER,
        reserved >= atLeast && reserved <= atMost,
        () ->
            "owners hold ["
                + atLeast
                + "] to ["
                + atMost
                + "] bytes, reserved are ["
                + reserved
                + "]: "
                + model.holding.values());
    for (InstanceModel instance : model.instances.values()) {
      if (!instance.retired) {
        instanceBudget(instance.handle);
      }
    }
  }

  private void instanceBudget(int handle) {
    long bytes = 0;
    for (LeaseModel lease : model.holding.values()) {
      boolean holds = lease.copies > 0 || lease.standing == Standing.OPEN;
      bytes += holds && lease.instance == handle ? lease.bytes() : 0;
    }
    world.require(
        Invariant.INSTANCE_BUDGET,
        bytes <= world.settings.budget().instanceBytes(),
        "leases of instance [" + handle + "] have",
        bytes);
  }

  // ---- time ------------------------------------------------------------------------------------

  private void waiting(KernelStatus status) {
    boolean held = status.leases() > 0 || !model.running.isEmpty();
    world.require(
        Invariant.NO_WAIT_CYCLE,
        held || model.undecided.isEmpty(),
        "nothing is held, and there wait",
        model.undecided.keySet());
  }

  private void inTime() {
    long lifetime = world.settings.operationLifetime().toNanos();
    for (Op op : model.undecided.values()) {
      world.require(
          Invariant.ENDS_IN_TIME,
          op.submittedNanos + lifetime - world.nowNanos > 0,
          "not answered within the lifetime of an operation",
          op);
    }
  }

  private void copiesAnswered() {
    Op op = world.lastCompleted;
    if (op != null && op.client.alive && op.running == 0) {
      world.require(
          Invariant.ENDS_IN_TIME, op.end != null, "not answered although its copy ended", op);
    }
  }

  // ---- counters --------------------------------------------------------------------------------

  private void counters(KernelStatus status) {
    long open =
        sum(status, List.of(KernelCounter.QUERIES))
            - sum(
                status,
                List.of(
                    KernelCounter.QUERY_HITS,
                    KernelCounter.QUERY_PARTIAL_HITS,
                    KernelCounter.QUERY_MISSES,
                    KernelCounter.QUERIES_CANCELLED,
                    KernelCounter.QUERIES_EXPIRED));
    world.require(
        Invariant.COUNTERS_ADD_UP,
        open == model.undecided.size(),
        "queries without an end are [" + model.undecided.size() + "], counted are",
        open);
    long restores =
        sum(status, List.of(KernelCounter.RESTORES))
            - sum(
                status,
                List.of(
                    KernelCounter.RESTORES_DONE,
                    KernelCounter.RESTORE_MISSES,
                    KernelCounter.RESTORE_FAILURES));
    world.require(
        Invariant.COUNTERS_ADD_UP, restores >= 0, "restores ended more than once", restores);
    world.require(
        Invariant.FAILURES_COUNTED,
        Effects.counter(status, KernelCounter.RESTORE_FAILURES) == world.failedRestores,
        "restores failed [" + world.failedRestores + "] times, counted are",
        Effects.counter(status, KernelCounter.RESTORE_FAILURES));
  }

  static long sum(KernelStatus status, List<KernelCounter> which) {
    long sum = 0;
    for (KernelCounter counter : which) {
      sum += Effects.counter(status, counter);
    }
    return sum;
  }
}
