package io.orbitkv.workload.sim.run;

import io.orbitkv.api.lease.LeaseId;
import io.orbitkv.kernel.Event;
import io.orbitkv.workload.sim.hardware.Chance;
import io.orbitkv.workload.sim.hardware.Mix;
import io.orbitkv.workload.sim.rule.Fault;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Workers that restore, publish and commit, and clients that give leases back. */
final class CopyActor {
  private final World world;
  private final Hands hands;
  private final Map<Integer, long[]> lastPublished = new HashMap<>();
  private final List<Op> uncommitted = new ArrayList<>();

  CopyActor(World world, Hands hands) {
    this.world = world;
    this.hands = hands;
  }

  // ---- leases ----------------------------------------------------------------------------------

  void release(Chance chance) {
    LeaseModel lease = hands.anyLease(chance);
    if (lease == null) {
      return;
    }
    Client client = lease.owner.client;
    if (chance.oneIn(3)) {
      InstanceModel instance = world.model.instances.get(lease.instance);
      client = instance == null ? client : hands.workerOf(instance, chance);
    }
    if (client != null && client.alive) {
      world.send(new Event.Release(client.id, 1L << 51, lease.id), null);
    }
  }

  /** Every worker takes its share, but for those that forget it. */
  void restoreAll(Chance chance) {
    LeaseModel lease = hands.anyLease(chance);
    InstanceModel instance = lease == null ? null : world.model.instances.get(lease.instance);
    if (lease == null || instance == null) {
      return;
    }
    for (Client worker : instance.workers) {
      if (worker == null || !worker.alive) {
        continue;
      }
      if (instance.shape.worldSize() > 1 && chance.oneIn(8)) {
        world.tally.fault(Fault.SHARE_IGNORED);
        continue;
      }
      restore(worker, lease, instance.handle, chance);
    }
  }

  void restore(Chance chance) {
    LeaseModel lease = hands.anyLease(chance);
    if (lease == null) {
      return;
    }
    InstanceModel instance = world.model.instances.get(lease.instance);
    Client client = instance == null ? null : hands.workerOf(instance, chance);
    if (client != null) {
      restore(client, lease, lease.instance, chance);
    }
  }

  private void restore(Client client, LeaseModel lease, int instance, Chance chance) {
    Op op =
        new Op(
            client,
            client.nextOperation(),
            1,
            Op.Kind.RESTORE,
            instance,
            lease.shape,
            lease.names,
            lease.groups);
    op.record = hands.record(client, chance);
    int[] targets =
        CopyChecks.freeDevicePages(
            client, instance, lease.groups, chance.below(Shape.DEVICE_PAGES));
    boolean none = chance.oneIn(30);
    for (int i = 0; i < targets.length; i++) {
      if (none || chance.oneIn(8)) {
        targets[i] = Event.SKIP;
      }
    }
    LeaseId id = lease.id;
    switch (chance.below(25)) {
      case 0 -> targets[0] = Shape.DEVICE_PAGES;
      case 1 -> targets = Arrays.copyOf(targets, targets.length + 1);
      case 2 -> id = new LeaseId(chance.any(), chance.any());
      default -> {}
    }
    if (!client.ranks.containsKey(instance)) {
      world.tally.fault(Fault.FOREIGN_LEASE);
    }
    op.devicePages = targets.clone();
    op.restores = id;
    Chance stage = new Chance(Mix.of(op.client.id, op.id, 78));
    op.staged = stage.below(3) > 0;
    Event event =
        new Event.Restore(client.id, op.id, op.record, instance, id, 0, targets, op.staged);
    hands.send(event, op, chance);
    if (op.staged && stage.oneIn(6)) {
      world.tally.fault(Fault.STAGE_WAIT_EARLY);
      world.send(new Event.StageWaited(client.id, op.id), null);
    }
  }

  // ---- publishes -------------------------------------------------------------------------------

  void publish(Chance chance) {
    InstanceModel instance = hands.anyInstance(chance);
    Client client = instance == null ? null : hands.workerOf(instance, chance);
    if (instance == null || client == null) {
      return;
    }
    long[] names = names(chance);
    long[] partner = lastPublished.put(instance.handle, names);
    if (partner != null && !chance.oneIn(3)) {
      names = partner; // As the ranks of an engine do: the same pages.
    }
    publish(client, instance, names, chance.below(instance.shape.groups().size()), chance);
  }

  /** All ranks publish the same pages, and most of them commit. */
  void publishAll(Chance chance) {
    InstanceModel instance = hands.anyInstance(chance);
    if (instance == null) {
      return;
    }
    long[] names = names(chance);
    int groups = instance.shape.groups().size();
    boolean every = chance.oneIn(2);
    int only = chance.below(groups);
    boolean garbage = chance.oneIn(20);
    for (int group = 0; group < groups; group++) {
      if (every || group == only) {
        for (Client worker : instance.workers) {
          if (worker != null && worker.alive) {
            publishAndCommit(worker, instance, names, group, garbage, chance);
          }
        }
      }
    }
  }

  private void publishAndCommit(
      Client worker,
      InstanceModel instance,
      long[] names,
      int group,
      boolean garbage,
      Chance chance) {
    Op op = publish(worker, instance, names, group, chance);
    op.garbage = garbage || op.garbage;
    if (!chance.oneIn(10)) {
      uncommitted.remove(op);
      world.later(chance.below(80_000_000L), () -> commit(op));
    }
  }

  private long[] names(Chance chance) {
    int from = chance.oneIn(3) ? 1 + chance.below(Hands.CHAIN_PAGES - 1) : 0;
    return hands.chain(chance, from, 1 + chance.below(Hands.CHAIN_PAGES - from));
  }

  private Op publish(
      Client client, InstanceModel instance, long[] names, int group, Chance chance) {
    int[] groups = new int[names.length];
    Arrays.fill(groups, group);
    Op op =
        new Op(
            client,
            client.nextOperation(),
            1,
            Op.Kind.PUBLISH,
            instance.handle,
            instance.shape,
            names,
            groups);
    op.record = hands.record(client, chance);
    int[] sources =
        CopyChecks.freeDevicePages(
            client, instance.handle, groups, chance.below(Shape.DEVICE_PAGES));
    op.garbage = chance.oneIn(12);
    if (op.garbage) {
      world.tally.fault(Fault.GARBAGE_PUBLISHED);
    }
    if (chance.oneIn(30)) {
      world.tally.fault(Fault.MALFORMED_REQUEST);
      sources[0] = -1;
    }
    op.devicePages = sources.clone();
    uncommitted.add(op);
    var parent = Hands.parent(names);
    if (chance.oneIn(15)) {
      world.tally.fault(Fault.WRONG_PARENT);
      parent = Hands.key(hands.chain(chance, chance.below(Hands.CHAIN_PAGES), 1)[0]);
    }
    world.send(
        new Event.Publish(
            client.id,
            op.id,
            op.record,
            instance.handle,
            group,
            0,
            parent,
            Hands.keys(names),
            sources),
        op);
    return op;
  }

  void commit(Chance chance) {
    uncommitted.removeIf(op -> !op.client.alive || !op.accepted);
    if (!uncommitted.isEmpty() && chance.oneIn(8)) {
      world.tally.fault(Fault.COMMIT_MISSING);
      uncommitted.remove(chance.below(uncommitted.size()));
      return;
    }
    Op op =
        uncommitted.isEmpty() || chance.oneIn(10)
            ? hands.anyOperation(Op.Kind.PUBLISH, chance)
            : uncommitted.remove(chance.below(uncommitted.size()));
    if (op != null && op.client.alive && chance.oneIn(15)) {
      // First the one, then the other: the first word counts.
      world.send(new Event.Commit(op.client.id, op.id, !op.garbage), null);
      world.send(new Event.Commit(op.client.id, op.id, op.garbage), null);
      return;
    }
    commit(op);
  }

  private void commit(@Nullable Op op) {
    if (op != null && op.client.alive) {
      world.send(new Event.Commit(op.client.id, op.id, !op.garbage), null);
    }
  }

  /** The same publish or restore twice. */
  void duplicate(Chance chance) {
    Op op = hands.anyOperation(chance.oneIn(2) ? Op.Kind.PUBLISH : Op.Kind.RESTORE, chance);
    if (op == null) {
      return;
    }
    world.tally.fault(Fault.DUPLICATE_MESSAGE);
    Event event =
        op.kind == Op.Kind.PUBLISH
            ? new Event.Publish(
                op.client.id,
                op.id,
                op.record,
                op.instance,
                op.groups[0],
                0,
                Hands.parent(op.names),
                Hands.keys(op.names),
                op.devicePages.clone())
            : new Event.Restore(
                op.client.id,
                op.id,
                op.record,
                op.instance,
                op.restores == null ? LeaseId.NONE : op.restores,
                0,
                op.devicePages.clone(),
                op.staged);
    world.send(event, null);
  }
}
