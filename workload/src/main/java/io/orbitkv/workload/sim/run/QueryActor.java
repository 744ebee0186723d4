package io.orbitkv.workload.sim.run;

import io.orbitkv.api.query.AnswerState;
import io.orbitkv.api.query.QueryKind;
import io.orbitkv.kernel.Event;
import io.orbitkv.workload.sim.hardware.Chance;
import io.orbitkv.workload.sim.rule.Fault;
import org.jspecify.annotations.Nullable;

/** Clients that ask. */
final class QueryActor {
  private final World world;
  private final Hands hands;

  QueryActor(World world, Hands hands) {
    this.world = world;
    this.hands = hands;
  }

  /** A query of a dense prefix. */
  static Event.Submit submit(
      long session,
      long operation,
      int revision,
      int record,
      int instance,
      String requestId,
      long[] names) {
    return new Event.Submit(
        session,
        operation,
        revision,
        record,
        instance,
        QueryKind.DEMAND,
        requestId,
        new int[1],
        new int[] {names.length},
        Hands.keys(names),
        null);
  }

  private static Event.Submit copy(Event.Submit e) {
    return new Event.Submit(
        e.session(),
        e.operation(),
        e.revision(),
        e.record(),
        e.instance(),
        e.kind(),
        e.requestId(),
        e.groups().clone(),
        e.pagesOfGroup().clone(),
        e.keys().clone(),
        e.demand());
  }

  void query(Chance chance) {
    Client client = hands.anyClient(chance);
    InstanceModel instance = hands.anyInstance(chance);
    if (client == null || instance == null) {
      return;
    }
    boolean strict =
        world.scenario.groups() && instance.shape.groups().size() > 1 && !chance.oneIn(3);
    QueryKind kind =
        strict ? QueryKind.SELECTED : chance.oneIn(8) ? QueryKind.PRODUCER_WAIT : QueryKind.DEMAND;
    Wish wish = strict ? Wish.selected(instance.shape, hands, chance) : Wish.dense(hands, chance);
    ask(client, instance, kind, wish, "", chance);
  }

  /** One session asks; an empty request id is one of its own. */
  void ask(
      Client client,
      InstanceModel instance,
      QueryKind kind,
      Wish wish,
      String requestId,
      Chance chance) {
    long id = client.nextOperation();
    Op op =
        new Op(
            client,
            id,
            1,
            Op.Kind.QUERY,
            instance.handle,
            instance.shape,
            wish.names(),
            wish.groupOfEach());
    op.record = kind == QueryKind.DISCOVER ? Event.NO_RECORD : hands.record(client, chance);
    op.query = kind;
    String request = requestId.isEmpty() ? "r" + client.id + "-" + id : requestId;
    Event.Submit event = wish.submit(client.id, id, 1, op.record, instance.handle, kind, request);
    op.submit = event;
    if (chance.oneIn(30)) {
      malformed(event, chance);
      return;
    }
    hands.send(copy(event), op, chance);
  }

  private void malformed(Event.Submit e, Chance chance) {
    world.tally.fault(Fault.MALFORMED_REQUEST);
    long[] keys = e.keys();
    int[] counts = e.pagesOfGroup();
    int[] groups = e.groups();
    int revision = e.revision();
    switch (chance.below(5)) {
      case 0 -> keys = new long[keys.length + 1];
      case 1 -> counts = new int[] {-1};
      case 2 -> groups = new int[] {7};
      case 3 -> revision = 0;
      default -> counts = new int[0];
    }
    world.send(
        new Event.Submit(
            e.session(),
            e.operation(),
            revision,
            e.record(),
            e.instance(),
            e.kind(),
            e.requestId(),
            groups,
            counts,
            keys,
            null),
        null);
  }

  /** The same question, an older one, another one under the same ticket, or the next revision. */
  void resubmit(Chance chance) {
    Op op = hands.anyOperation(Op.Kind.QUERY, chance);
    if (op == null || op.submit == null) {
      return;
    }
    Event.Submit before = op.submit;
    long session = op.client.id;
    switch (chance.below(6)) {
      case 0 -> {
        world.tally.fault(Fault.DUPLICATE_MESSAGE);
        // After its end the same message is a former id.
        world.send(copy(before), Effects.phase(op) == Phase.QUERY_ENDED ? null : op);
      }
      case 1 -> {
        world.tally.fault(Fault.STALE_MESSAGE);
        int older = Math.max(1, op.revision - 1);
        world.send(
            submit(session, op.id, older, op.record, op.instance, "old", hands.chain(chance, 0, 3)),
            null);
      }
      case 2 -> {
        world.tally.fault(Fault.STALE_MESSAGE);
        world.send(
            submit(session, op.id, op.revision, op.record, op.instance + 77, "other", op.names),
            null);
      }
      default -> next(op, before, chance);
    }
  }

  private void next(Op op, Event.Submit before, Chance chance) {
    Wish wish =
        before.demand() == null
            ? Wish.dense(hands, chance)
            : Wish.selected(op.shape, hands, chance);
    if (before.groups().length != wish.groups().length) {
      return; // Another request: it would be refused, which is tried elsewhere.
    }
    Op next =
        new Op(
            op.client,
            op.id,
            op.revision + 1,
            Op.Kind.QUERY,
            op.instance,
            op.shape,
            wish.names(),
            wish.groupOfEach());
    next.record = op.record;
    next.query = op.query;
    next.submit =
        wish.submit(
            op.client.id,
            op.id,
            next.revision,
            next.record,
            op.instance,
            op.query,
            before.requestId());
    world.send(copy(next.submit), next);
  }

  // ---- tickets ---------------------------------------------------------------------------------

  private @Nullable Op ticket(Chance chance) {
    return hands.anyOperation(chance.oneIn(4) ? Op.Kind.PUBLISH : Op.Kind.QUERY, chance);
  }

  private int revision(Op op, Chance chance) {
    if (!chance.oneIn(10)) {
      return op.revision;
    }
    world.tally.fault(Fault.STALE_MESSAGE);
    return Math.max(0, op.revision + chance.below(3) - 1);
  }

  /** A client acknowledges what it saw; what it did not see it does not acknowledge. */
  void take(Chance chance) {
    Op op = hands.anyOperation(Op.Kind.QUERY, chance);
    if (op == null) {
      return;
    }
    if (op.end == AnswerState.READY && chance.oneIn(6)) {
      world.tally.fault(Fault.OFFER_IGNORED);
      return;
    }
    if (op.end != null && !op.seen) {
      world.send(new Event.Ask(op.client.id, op.id, op.revision), null);
    }
    hands.send(new Event.Taken(op.client.id, op.id, revision(op, chance)), null, chance);
  }

  void ask(Chance chance) {
    Op op = ticket(chance);
    if (chance.oneIn(5)) {
      op = hands.anyOperation(Op.Kind.RESTORE, chance);
    }
    if (op != null) {
      world.send(new Event.Ask(op.client.id, op.id, revision(op, chance)), null);
    }
  }

  void cancel(Chance chance) {
    Op op = ticket(chance);
    if (chance.oneIn(12)) {
      op = hands.anyOperation(Op.Kind.RESTORE, chance);
    }
    if (op != null) {
      world.tally.fault(Fault.ABORT);
      hands.send(new Event.Cancel(op.client.id, op.id, revision(op, chance)), null, chance);
    }
  }

  /** A client that reconnected goes on with what its former connection knew. */
  void oldTicket(Chance chance) {
    Client client = hands.anyClient(chance);
    if (client == null || client.lastAccepted == 0) {
      return;
    }
    world.tally.fault(Fault.OLD_TICKET);
    long used = Math.max(1, client.lastAccepted - chance.below(4));
    InstanceModel instance = hands.anyInstance(chance);
    int handle = instance == null ? 1 : instance.handle;
    LeaseModel lease = hands.anyLease(chance);
    Op former = client.operations.get(used);
    if (lease != null && chance.oneIn(2)) {
      world.tally.fault(Fault.FOREIGN_LEASE);
      // A misuse of a lease that is in order otherwise.
      world.send(
          new Event.Restore(
              client.id,
              Math.max(1, client.lastAccepted),
              Event.NO_RECORD,
              lease.instance,
              lease.id,
              0,
              new int[lease.names.length]),
          null);
    } else if (former == null) {
      world.send(submit(client.id, used, 1, -1, handle, "r", hands.chain(chance, 0, 2)), null);
    } else {
      world.send(new Event.Taken(client.id, used, former.revision + 1), null);
    }
  }
}
