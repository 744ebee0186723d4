package io.orbitkv.workload.sim.run;

import io.orbitkv.api.page.GroupRule;
import io.orbitkv.api.page.GroupSpec;
import io.orbitkv.api.page.LayerLayout;
import io.orbitkv.api.page.WorkerLayout;
import io.orbitkv.kernel.Event;
import io.orbitkv.workload.sim.hardware.Arena;
import io.orbitkv.workload.sim.hardware.Chance;
import io.orbitkv.workload.sim.rule.Fault;
import java.util.ArrayList;
import java.util.List;

/** Engines and schedulers that come and go. */
final class SessionActor {
  private static final int MAX_SESSIONS = 14;
  private static final int MAX_LIVE_INSTANCES = 5;

  private final World world;
  private final Hands hands;
  private long lastSession;

  SessionActor(World world, Hands hands) {
    this.world = world;
    this.hands = hands;
  }

  Client open() {
    Client client = new Client(++lastSession);
    world.model.clients.put(client.id, client);
    world.model.alive.add(client);
    world.send(new Event.SessionOpened(client.id, Hands.BOARD), null);
    return client;
  }

  void openOne() {
    if (world.model.alive.size() < MAX_SESSIONS) {
      open();
    }
  }

  /** Starts the missing workers of an engine, or one of them. */
  void start(Chance chance) {
    Shape shape = chance.pick(Shape.ALL);
    int live = 0;
    for (InstanceModel instance : world.model.instances.values()) {
      live += instance.retired ? 0 : 1;
      if (instance.live() && instance.shape.equals(shape) && !chance.oneIn(6)) {
        return;
      }
    }
    if (live >= MAX_LIVE_INSTANCES || world.model.alive.size() + shape.worldSize() > MAX_SESSIONS) {
      return;
    }
    boolean allAtOnce = !chance.oneIn(5);
    int only = chance.below(shape.worldSize());
    for (int rank = 0; rank < shape.worldSize(); rank++) {
      if (allAtOnce || rank == only) {
        // Sometimes a session is a worker of several instances.
        Client client = chance.oneIn(6) ? hands.anyClient(chance) : null;
        register(client == null ? open() : client, shape, rank);
      }
    }
  }

  private void register(Client client, Shape shape, int rank) {
    long operation = hands.control(client);
    client.registering.put(operation, new Registering(shape, rank));
    world.send(
        new Event.Register(
            client.id,
            operation,
            shape.name(),
            shape.namespace(),
            shape.layout(rank),
            SimulatedDevice.descriptor(),
            client.id % 5 != 0),
        null);
  }

  /** A worker whose pages fit no chunk, or whose layout contradicts its instance. */
  void oddRegister(Chance chance) {
    Client client = hands.anyClient(chance);
    if (client == null) {
      return;
    }
    world.tally.fault(Fault.MALFORMED_REQUEST);
    if (chance.oneIn(2)) {
      Shape shape = chance.pick(Shape.ALL);
      Shape wrong = chance.pick(Shape.ALL);
      int rank = chance.below(Math.min(shape.worldSize(), wrong.worldSize()));
      long operation = hands.control(client);
      // Accepted when nobody has the name yet: then it is an instance of the wrong shape, which
      // the model does not follow. So only against one that is there.
      for (InstanceModel instance : world.model.instances.values()) {
        if (instance.live() && instance.shape.equals(shape) && !wrong.equals(shape)) {
          world.send(
              new Event.Register(
                  client.id,
                  operation,
                  shape.name(),
                  wrong.namespace(),
                  wrong.layout(rank),
                  SimulatedDevice.descriptor()),
              null);
          return;
        }
      }
      client.controls.remove(operation);
      return;
    }
    int frames = SimulatedSettings.NODE_FRAMES[0] + 1;
    int bytes = frames * (int) Arena.FRAME_BYTES + chance.below(1 << 20);
    LayerLayout layer = new LayerLayout("huge", 0, 0, 256, bytes, 1, bytes, bytes);
    List<GroupSpec> groups = List.of(new GroupSpec(0, new GroupRule.Prefix()));
    WorkerLayout layout =
        new WorkerLayout(0, 1, Shape.PAGE_TOKENS, chance.below(2), groups, List.of(layer));
    world.send(
        new Event.Register(
            client.id,
            hands.control(client),
            "oversized",
            Shape.ALL.getFirst().namespace(),
            layout,
            SimulatedDevice.descriptor()),
        null);
  }

  void crash(Chance chance) {
    Client client = hands.anyClient(chance);
    if (client != null) {
      world.tally.fault(Fault.CLIENT_CRASH);
      world.send(new Event.SessionClosed(client.id), null);
    }
  }

  void unregister(Chance chance) {
    InstanceModel instance = hands.anyInstance(chance);
    if (instance == null) {
      return;
    }
    Client client = hands.workerOf(instance, chance);
    if (client != null) {
      world.tally.fault(Fault.RANK_LEFT);
      world.send(new Event.Unregister(client.id, hands.control(client), instance.handle), null);
    }
  }

  void control(Chance chance) {
    Client client = hands.anyClient(chance);
    if (client == null) {
      return;
    }
    InstanceModel instance = hands.anyInstance(chance);
    int handle = instance == null ? 9999 : instance.handle;
    switch (chance.below(4)) {
      case 0, 1 -> {
        boolean durable = world.scenario.backing() && chance.oneIn(3);
        world.send(new Event.Sync(client.id, hands.control(client), durable), null);
      }
      case 2 ->
          world.send(
              new Event.Attach(client.id, hands.control(client), chance.pick(Shape.ALL).name()),
              null);
      default -> world.send(new Event.EngineStats(client.id, handle, chance.below(1001) - 1), null);
    }
  }

  void evict(Chance chance) {
    Client client = hands.anyClient(chance);
    if (client != null) {
      long operation = hands.control(client);
      client.evictions.add(operation);
      boolean everywhere = world.scenario.backing() && chance.oneIn(4);
      world.send(new Event.Evict(client.id, operation, everywhere), null);
    }
  }

  /** Messages of sessions that are gone, and about operations that never were. */
  void stranger(Chance chance) {
    world.tally.fault(Fault.UNKNOWN_SESSION);
    long gone = chance.oneIn(3) ? lastSession + 1 + chance.below(3) : formerSession(chance);
    InstanceModel instance = hands.anyInstance(chance);
    int handle = instance == null ? 1 : instance.handle;
    LeaseModel lease = hands.anyLease(chance);
    List<Event> events = new ArrayList<>();
    events.add(QueryActor.submit(gone, 1, 1, 0, handle, "r", hands.chain(chance, 0, 3)));
    events.add(new Event.Cancel(gone, 1, 1));
    events.add(new Event.Commit(gone, 1, true));
    events.add(new Event.Taken(gone, 1, 1));
    events.add(new Event.Ask(gone, 1, 1));
    events.add(new Event.SessionClosed(gone));
    if (lease != null) {
      events.add(new Event.Release(gone, 1, lease.id));
      events.add(new Event.Restore(gone, 2, 0, handle, lease.id, 0, new int[lease.names.length]));
    }
    world.send(chance.pick(events), null);
    Client client = hands.anyClient(chance);
    if (client != null) {
      long never = 1L << 50;
      world.send(
          switch (chance.below(4)) {
            case 0 -> new Event.Commit(client.id, never, true);
            case 1 -> new Event.Taken(client.id, never, 1);
            case 2 -> new Event.Cancel(client.id, never, 1);
            default -> new Event.Ask(client.id, never, 1);
          },
          null);
    }
  }

  private long formerSession(Chance chance) {
    for (int tries = 0; tries < 8; tries++) {
      long id = 1 + chance.below(lastSession + 1);
      Client client = world.model.clients.get(id);
      if (client == null || !client.alive) {
        return id;
      }
    }
    return lastSession + 1;
  }
}
