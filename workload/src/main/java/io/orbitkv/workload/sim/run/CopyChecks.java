package io.orbitkv.workload.sim.run;

import io.orbitkv.api.copy.CopyOutcome;
import io.orbitkv.api.copy.CopyPlan;
import io.orbitkv.kernel.Event;
import io.orbitkv.workload.sim.hardware.Arena;
import io.orbitkv.workload.sim.rule.Invariant;
import io.orbitkv.workload.sim.rule.InvariantViolation;
import io.orbitkv.workload.sim.run.LeaseModel.Standing;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Checks what copies touch, from their submission to their report. */
final class CopyChecks {
  private final World world;
  private final Model model;
  private final Arena arena;
  private long lastRegistration;

  CopyChecks(World world) {
    this.world = world;
    this.model = world.model;
    this.arena = world.arena;
  }

  /** The kernel submits a plan. */
  void begin(CopyPlan plan, Event event, @Nullable Op subject) {
    boolean submitted = event instanceof Event.Restore || event instanceof Event.Publish;
    boolean advised = event instanceof Event.AdmissionAdvice;
    Op op = submitted ? subject : advised ? inQuestion(plan) : null;
    if (op == null) {
      throw new InvariantViolation(
          Invariant.STALE_WITHOUT_EFFECT, "plan [" + plan.id() + "] that nobody asked for");
    }
    ((SimulatedDevice) plan.memory()).begin();
    Integer rank = op.client.ranks.get(op.instance);
    world.require(
        Invariant.STALE_WITHOUT_EFFECT, rank != null, "a plan for one who is no worker", op);
    if (rank == null) {
      return;
    }
    world.effects().outOfQuestion(op);
    if (op.running == 0) {
      AnswerChecks.accept(world, op);
      if (op.kind == Op.Kind.RESTORE) {
        consumeShare(op, rank);
      } else {
        model.unsealed.add(op);
      }
    }
    op.running++;
    RunningCopy copy = new RunningCopy(plan, op, places(plan, op), rank);
    model.running.put(plan.id(), copy);
    for (int i = 0; i < plan.pages(); i++) {
      touch(copy, i);
    }
    if (copy.publishes()) {
      op.plannedPlaces = copy.places();
    }
    if (plan.isStaged()) {
      world.require(
          Invariant.STAGE_SLOT_ACKNOWLEDGED, op.staged, "a staged plan that nobody wants", op);
      ((SimulatedDevice) plan.memory()).record(plan.stageSlot(), op);
    }
    world.devices.copy(plan);
  }

  /** The publish that waited for a policy and has these device pages, or null. */
  private @Nullable Op inQuestion(CopyPlan plan) {
    for (Op op : model.inQuestion) {
      Integer rank = op.client.ranks.get(op.instance);
      long devicePage = Client.devicePage(op.instance, plan.slot().group(), plan.devicePage(0));
      if (rank != null
          && world.devices.isOf(plan.memory(), op)
          && op.client.busyDevicePages.get(devicePage) == op) {
        return op;
      }
    }
    return null;
  }

  private void touch(RunningCopy copy, int entry) {
    CopyPlan plan = copy.plan();
    long address = plan.hostAddress(entry);
    Op op = copy.op();
    int node = op.shape.node(copy.rank());
    if (node >= 0 && node < SimulatedSettings.NODE_FRAMES.length) {
      world.checks.require(
          Invariant.RUN_ON_ITS_NODE,
          Arena.node(address) == node,
          () -> "a run of rank [" + copy.rank() + "] lies on another node: " + op);
    }
    if (copy.publishes()) {
      model.page(op.shape, op.page(copy.places()[entry])).copying(copy.rank(), world.steps);
      arena.beginWrite(address, plan.id());
    } else {
      rightBytes(copy, entry, arena.beginRead(address));
    }
    long devicePage = Client.devicePage(op.instance, plan.slot().group(), plan.devicePage(entry));
    op.client.busyDevicePages.put(devicePage, op);
  }

  private void rightBytes(RunningCopy copy, int entry, long tag) {
    world.checks.require(
        Invariant.RIGHT_BYTES,
        tag == copy.tag(entry),
        () ->
            "the bytes are not those of page ["
                + copy.op().names[copy.places()[entry]]
                + "], group ["
                + copy.plan().slot().group()
                + "], rank ["
                + copy.rank()
                + "]: "
                + copy.op());
  }

  private static int[] places(CopyPlan plan, Op op) {
    int[] places = new int[plan.pages()];
    int place = 0;
    for (int i = 0; i < places.length; i++) {
      while (place < op.devicePages.length
          && (op.groups[place] != plan.slot().group()
              || op.devicePages[place] != plan.devicePage(i))) {
        place++;
      }
      if (place == op.devicePages.length) {
        throw new InvariantViolation(
            Invariant.RIGHT_BYTES,
            "plan ["
                + plan.id()
                + "] names device page ["
                + plan.devicePage(i)
                + "], or an order of them, that was not asked for: "
                + op);
      }
      places[i] = place++;
    }
    return places;
  }

  /** A restore of a rank is accepted: its share is used up. */
  void consumeShare(Op op, int rank) {
    LeaseModel lease = op.restores == null ? null : model.leasesById.get(op.restores);
    world.require(
        Invariant.UNDELIVERED_OFFER_RELEASED,
        lease != null && lease.standing != Standing.CLOSED,
        "a lease that is gone is restored",
        op);
    if (lease == null) {
      return;
    }
    lease.restoredBy[rank]++;
    world.require(
        Invariant.SHARE_TAKEN_ONCE,
        lease.restoredBy[rank] == 1 && (lease.shares & 1 << rank) != 0,
        "rank [" + rank + "] has no share",
        op);
    world.effects().acknowledge(lease, op.client);
    op.lease = lease;
    lease.copies++;
    world.effects().takeShare(lease, rank);
  }

  /** The copier has submitted all of a staged plan. */
  void submitted(long id) {
    RunningCopy copy = model.running.get(id);
    if (copy == null) {
      throw new IllegalStateException("plan [" + id + "] does not run");
    }
    copy.op().copiesSubmitted = true;
  }

  /** The hardware is done with a plan, or nobody knows. The kernel hears of it next. */
  Op end(long id, CopyOutcome outcome) {
    RunningCopy copy = model.running.remove(id);
    if (copy == null) {
      throw new IllegalStateException("plan [" + id + "] does not run");
    }
    CopyPlan plan = copy.plan();
    Op op = copy.op();
    Happening happening =
        switch (outcome) {
          case CopyOutcome.Done done -> Happening.COPY_DONE;
          case CopyOutcome.Failed failed -> Happening.COPY_FAILED;
          case CopyOutcome.Unknown unknown -> Happening.COPY_UNKNOWN;
        };
    world.tally.coverage.visit(Effects.phase(op), happening);
    for (int i = 0; i < plan.pages(); i++) {
      letGo(copy, i, outcome);
    }
    SimulatedDevice device = (SimulatedDevice) plan.memory();
    device.plans--;
    lastRegistration = device.registration;
    op.running--;
    if (copy.publishes()) {
      op.copied = outcome instanceof CopyOutcome.Done;
      op.copyFailed = !op.copied;
      world.effects().slots(op, world.steps + 1); // The kernel hears of it in the next step.
      return op;
    }
    op.unknown |= outcome instanceof CopyOutcome.Unknown;
    if (!(outcome instanceof CopyOutcome.Done)) {
      op.copyFailed = true;
    }
    LeaseModel lease = op.lease;
    if (lease != null && op.running == 0) {
      world.tally.coverage.visit(Effects.phase(lease), happening);
      lease.copies--;
      model.endWhenUnheld(lease);
    }
    return op;
  }

  /** The registration of the plan that ended last. */
  long lastRegistration() {
    return lastRegistration;
  }

  private void letGo(RunningCopy copy, int entry, CopyOutcome outcome) {
    CopyPlan plan = copy.plan();
    Op op = copy.op();
    long address = plan.hostAddress(entry);
    if (outcome instanceof CopyOutcome.Unknown) {
      arena.quarantine(address);
      return; // The device pages are never used again either.
    }
    op.client.busyDevicePages.remove(
        Client.devicePage(op.instance, plan.slot().group(), plan.devicePage(entry)));
    if (copy.publishes()) {
      boolean good = outcome instanceof CopyOutcome.Done && !op.garbage;
      arena.endWrite(address, plan.id(), good ? copy.tag(entry) : -1 - plan.id());
    } else {
      rightBytes(copy, entry, arena.endRead(address));
    }
  }

  /** Device pages of a group that no copy may touch. */
  static int[] freeDevicePages(Client client, int instance, int[] groups, int start) {
    int[] pages = new int[groups.length];
    int next = start;
    for (int i = 0; i < groups.length; i++) {
      for (int tries = 0;
          tries < Shape.DEVICE_PAGES
              && client.busyDevicePages.containsKey(Client.devicePage(instance, groups[i], next));
          tries++) {
        next = (next + 1) % Shape.DEVICE_PAGES;
      }
      pages[i] = next;
      next = (next + 1) % Shape.DEVICE_PAGES;
    }
    return Arrays.copyOf(pages, pages.length);
  }
}
