package io.orbitkv.workload.sim.run;

import io.orbitkv.api.query.QueryKind;
import io.orbitkv.kernel.Event;
import io.orbitkv.kernel.QueuedRequest;
import io.orbitkv.workload.sim.hardware.Chance;
import io.orbitkv.workload.sim.rule.Fault;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** Clients that prepare and warm, engines that report their queues, and policies without sense. */
final class SpeculationActor {
  /** What the ids of queued requests begin with. */
  static final String QUEUED = "q";

  private static final int QUEUE = 12;
  private static final int FLOOD = 100;

  private final World world;
  private final Hands hands;
  private final QueryActor queries;
  private final TreeMap<Integer, List<Queued>> queues = new TreeMap<>();
  private long requests;

  private record Queued(String requestId, Wish wish) {}

  SpeculationActor(World world, Hands hands, QueryActor queries) {
    this.world = world;
    this.hands = hands;
    this.queries = queries;
  }

  private static boolean strict(InstanceModel instance, World world, Chance chance) {
    return world.scenario.groups() && instance.shape.groups().size() > 1 && !chance.oneIn(4);
  }

  private Wish wish(InstanceModel instance, boolean strict, Chance chance) {
    return strict ? Wish.selected(instance.shape, hands, chance) : Wish.dense(hands, chance);
  }

  // ---- clients ---------------------------------------------------------------------------------

  void prepare(Chance chance) {
    single(QueryKind.PREPARE, chance);
  }

  void warm(Chance chance) {
    single(QueryKind.WARM, chance);
  }

  private void single(QueryKind kind, Chance chance) {
    Client client = hands.anyClient(chance);
    InstanceModel instance = hands.anyInstance(chance);
    if (client != null && instance != null) {
      boolean strict = kind == QueryKind.PREPARE && strict(instance, world, chance);
      queries.ask(client, instance, kind, wish(instance, strict, chance), "", chance);
    }
  }

  void discover(Chance chance) {
    Client client = hands.anyClient(chance);
    InstanceModel instance = hands.anyInstance(chance);
    if (client != null && instance != null) {
      Wish wish = Wish.discovery(instance.shape, hands, chance);
      queries.ask(client, instance, QueryKind.DISCOVER, wish, "", chance);
    }
  }

  /** Every rank asks the same, each for itself, but for those that do not. */
  void ranksAsk(Chance chance) {
    InstanceModel instance = hands.anyInstance(chance);
    if (instance == null) {
      return;
    }
    boolean strict = strict(instance, world, chance);
    QueryKind demand = strict ? QueryKind.SELECTED : QueryKind.DEMAND;
    QueryKind kind = chance.oneIn(3) ? QueryKind.PREPARE : demand;
    Wish wish = wish(instance, strict, chance);
    String request = "joint-" + ++requests;
    for (Client worker : instance.workers) {
      if (worker == null || !worker.alive) {
        continue;
      }
      if (instance.shape.worldSize() > 1 && chance.oneIn(8)) {
        world.tally.fault(Fault.RANK_ASIDE);
        if (chance.oneIn(2)) {
          queries.ask(worker, instance, kind, wish(instance, strict, chance), request, chance);
        }
        continue;
      }
      queries.ask(worker, instance, kind, wish, request, chance);
    }
  }

  void claim(Chance chance) {
    List<Op> prepared = new ArrayList<>();
    for (Op op : world.model.undecided.values()) {
      if (op.query == QueryKind.PREPARE && !op.claimed) {
        prepared.add(op);
      }
    }
    if (!prepared.isEmpty() && chance.oneIn(8)) {
      world.tally.fault(Fault.PREPARATION_IGNORED);
      return;
    }
    Op op;
    if (prepared.isEmpty() || chance.oneIn(6)) {
      world.tally.fault(Fault.CLAIM_LATE);
      op = hands.anyOperation(Op.Kind.QUERY, chance);
    } else {
      op = chance.pick(prepared);
    }
    if (op == null) {
      return;
    }
    int revision = chance.oneIn(12) ? op.revision + 1 : op.revision;
    int record = chance.oneIn(2) ? op.record : hands.record(op.client, chance);
    boolean counts = op.groups.length > 0 && chance.oneIn(2);
    hands.send(new Event.Claim(op.client.id, op.id, revision, record, counts), null, chance);
  }

  // ---- queues ----------------------------------------------------------------------------------

  void report(Chance chance) {
    InstanceModel instance = hands.anyInstance(chance);
    Client client = instance == null ? null : hands.workerOf(instance, chance);
    if (instance == null || client == null) {
      return;
    }
    List<Queued> queue = queues.computeIfAbsent(instance.handle, handle -> new ArrayList<>());
    List<QueuedRequest> changes = new ArrayList<>();
    for (int i = 1 + chance.below(4); i > 0; i--) {
      changes.add(change(instance, queue, chance));
    }
    world.send(new Event.Queue(client.id, 1L << 51, instance.handle, changes), null);
  }

  private QueuedRequest change(InstanceModel instance, List<Queued> queue, Chance chance) {
    if (!queue.isEmpty() && (queue.size() >= QUEUE || chance.oneIn(3))) {
      Queued gone = queue.remove(chance.below(queue.size()));
      QueuedRequest.State state =
          chance.oneIn(2) ? QueuedRequest.State.EXECUTING : QueuedRequest.State.GONE;
      return new QueuedRequest(gone.requestId, state, new int[0], new int[0], new long[0], null);
    }
    if (chance.oneIn(20)) {
      world.tally.fault(Fault.QUEUE_NONSENSE);
      return new QueuedRequest(
          "odd", QueuedRequest.State.ACCEPTED, new int[1], new int[] {5}, new long[] {1, 2}, null);
    }
    boolean strict = strict(instance, world, chance);
    Queued queued = new Queued(QUEUED + ++requests, wish(instance, strict, chance));
    queue.add(queued);
    return new QueuedRequest(
        queued.requestId,
        QueuedRequest.State.ACCEPTED,
        queued.wish.groups().clone(),
        queued.wish.pagesOfGroup().clone(),
        Hands.keys(queued.wish.names()),
        queued.wish.demand());
  }

  /** The demand that a queued request announced. */
  void match(Chance chance) {
    InstanceModel instance = hands.anyInstance(chance);
    List<Queued> queue = instance == null ? null : queues.get(instance.handle);
    if (instance == null || queue == null || queue.isEmpty()) {
      return;
    }
    Client client = hands.workerOf(instance, chance);
    Queued queued = chance.pick(queue);
    if (client != null) {
      boolean strict = queued.wish.demand() != null;
      queries.ask(
          client,
          instance,
          strict ? QueryKind.SELECTED : QueryKind.DEMAND,
          queued.wish,
          queued.requestId,
          chance);
    }
  }

  // ---- policies --------------------------------------------------------------------------------

  /** Advice as any policy may give it. */
  void advise(Chance chance) {
    InstanceModel instance = hands.anyInstance(chance);
    if (instance == null) {
      return;
    }
    List<String> queued =
        new ArrayList<>(
            queues.getOrDefault(instance.handle, List.of()).stream()
                .map(Queued::requestId)
                .toList());
    int handle = chance.oneIn(20) ? instance.handle + 50 : instance.handle;
    long late = 0;
    List<String> advice = new ArrayList<>();
    switch (chance.below(8)) {
      case 0 -> {
        world.tally.fault(Fault.ADVICE_UNKNOWN);
        advice.addAll(List.of("nobody", "q999999", ""));
      }
      case 1 -> {
        world.tally.fault(Fault.ADVICE_REPEATED);
        for (int i = 0; i < 5 && !queued.isEmpty(); i++) {
          advice.add(queued.getFirst());
        }
      }
      case 2 -> {
        world.tally.fault(Fault.ADVICE_EVERYTHING);
        advice.addAll(queued);
      }
      case 3 -> world.tally.fault(Fault.ADVICE_NOTHING);
      case 4 -> {
        world.tally.fault(Fault.ADVICE_LATE);
        advice.addAll(queued);
        late = chance.below(3_000_000_000L);
      }
      case 5 -> flood(advice, chance);
      default -> {
        for (int i = 0; i < Math.min(4, queued.size()); i++) {
          advice.add(queued.get(i));
        }
      }
    }
    List<String> given = List.copyOf(advice);
    Event event =
        chance.oneIn(4) ? new Event.Warming(handle, given) : new Event.Lookahead(handle, given);
    if (late > 0) {
      world.later(late, () -> world.send(event, null));
    } else {
      world.send(event, null);
    }
  }

  private void flood(List<String> advice, Chance chance) {
    if (chance.oneIn(2)) {
      world.tally.fault(Fault.ADVICE_FLOOD);
      for (int i = 0; i < FLOOD; i++) {
        advice.add(QUEUED + i);
      }
    }
  }
}
