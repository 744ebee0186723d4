package io.orbitkv.workload.sim.run;

import io.orbitkv.kernel.Event;
import io.orbitkv.kernel.KernelCounter;
import io.orbitkv.kernel.KernelStatus;
import io.orbitkv.workload.sim.rule.Invariant;
import java.util.List;

/** The end of a run: everything drains, and nothing is left. */
final class Ending {
  /** What has not reported after this is stuck for ever. */
  private static final long STUCK_NANOS = 10_000_000_000L;

  private static final int SESSIONS_LEFT = 4;
  private static final int MAX_DELIVERIES = 100_000;

  private final World world;
  private final Hands hands;

  Ending(World world, Hands hands) {
    this.world = world;
    this.hands = hands;
  }

  void drain() {
    List<Client> alive = List.copyOf(world.model.alive);
    for (int i = SESSIONS_LEFT; i < alive.size(); i++) {
      world.send(new Event.SessionClosed(alive.get(i).id), null);
    }
    world.send(new Event.Drain(), null);
    long patience = world.nowNanos + STUCK_NANOS;
    while (!world.drained && world.deliverNext(patience)) {
      // What reports by itself has reported after this.
    }
    world.store.giveUpStuck();
    for (int i = 0; i < MAX_DELIVERIES && !world.drained; i++) {
      if (!world.deliverNext(Long.MAX_VALUE)) {
        break;
      }
    }
    if (!world.drained) {
      world.verifyAtEnd();
    }
    world.require(Invariant.DRAINED_TO_ZERO, world.drained, "never drained", world.status);
    allAnswered();
    for (Client client : List.copyOf(world.model.alive)) {
      long operation = hands.control(client);
      world.send(new Event.Evict(client.id, operation), null);
      world.require(
          Invariant.CONTROL_ANSWERED_ONCE,
          !client.controls.contains(operation),
          "no reply to an eviction of",
          client);
    }
    world.verifyAtEnd();
    atZero();
    sums();
  }

  private void allAnswered() {
    for (Client client : world.model.alive) {
      for (Op op : client.operations.values()) {
        world.require(
            Invariant.ENDS_EXACTLY_ONCE,
            op.end != null || op.superseded || op.left || !op.accepted,
            "never answered",
            op);
      }
      world.require(
          Invariant.CONTROL_ANSWERED_ONCE,
          client.controls.isEmpty(),
          "control requests of " + client + " without a reply",
          client.controls);
    }
  }

  private void zero(boolean holds, String what) {
    world.require(Invariant.DRAINED_TO_ZERO, holds, what, world.status);
  }

  private void atZero() {
    KernelStatus status = world.status;
    zero(status.reservedBytes() == 0, "bytes reserved at the end");
    zero(status.speculativeBytes() == 0, "speculative bytes at the end");
    zero(
        status.reservedByPhase().values().stream().allMatch(bytes -> bytes == 0),
        "a phase holds bytes at the end");
    zero(status.operations() == 0, "operations at the end");
    zero(status.leases() == 0, "leases at the end");
    zero(status.copies() == 0, "copies at the end");
    zero(status.unsealedPages() == 0, "unsealed pages at the end");
    zero(status.orphanBytes() == 0, "orphans at the end");
    zero(status.residentPages() == 0, "pages that are referenced at the end");
    zero(status.instances() == 0, "instances at the end");
    zero(status.reads() == 0 && status.writes() == 0, "reads or writes at the end");
    zero(status.readingPages() == 0, "pages that are read at the end");
    zero(status.speculatedBytes() == quarantinedAhead(status), "pages read ahead at the end");
    zero(status.quarantinedBytes() == world.arena.usedBytes(), "memory leaked");
    zero(
        status.quarantinedBytes() >= world.arena.quarantinedBytes(),
        "a run with an unknown outcome is not in quarantine");
    long stuck = world.devices.opened - world.devices.closed;
    world.require(
        Invariant.MAPPINGS_BALANCED,
        stuck == world.unknownRegistrations.size(),
        "mappings that stayed open although no copy on them has an unknown outcome",
        stuck);
  }

  /** What was read ahead and then left in quarantine is still there. */
  private static long quarantinedAhead(KernelStatus status) {
    return Math.min(status.speculatedBytes(), status.quarantinedBytes());
  }

  private void sums() {
    equal(
        List.of(KernelCounter.QUERIES),
        List.of(
            KernelCounter.QUERY_HITS,
            KernelCounter.QUERY_PARTIAL_HITS,
            KernelCounter.QUERY_MISSES,
            KernelCounter.QUERIES_CANCELLED,
            KernelCounter.QUERIES_EXPIRED));
    equal(
        List.of(KernelCounter.QUERY_PAGES),
        List.of(
            KernelCounter.QUERY_HIT_PAGES,
            KernelCounter.QUERY_MISSED_PAGES,
            KernelCounter.QUERY_CANCELLED_PAGES));
    equal(
        List.of(KernelCounter.PREPARATIONS),
        List.of(
            KernelCounter.PREPARATIONS_CLAIMED,
            KernelCounter.PREPARATIONS_EXPIRED,
            KernelCounter.PREPARATIONS_GIVEN_UP));
    equal(
        List.of(KernelCounter.RESTORES),
        List.of(
            KernelCounter.RESTORES_DONE,
            KernelCounter.RESTORE_MISSES,
            KernelCounter.RESTORE_FAILURES));
    equal(
        List.of(KernelCounter.PUBLISH_OFFERED_PAGES),
        List.of(
            KernelCounter.PUBLISH_STORED_PAGES,
            KernelCounter.PUBLISH_RESIDENT_PAGES,
            KernelCounter.PUBLISH_DROPPED_PAGES,
            KernelCounter.PUBLISH_REFUSED_PAGES,
            KernelCounter.PUBLISH_DISCARDED_PAGES));
  }

  private void equal(List<KernelCounter> whole, List<KernelCounter> parts) {
    world.require(
        Invariant.COUNTERS_ADD_UP,
        StepChecks.sum(world.status, whole) == StepChecks.sum(world.status, parts),
        whole + " is not the sum of " + parts,
        world.status.counters());
  }
}
