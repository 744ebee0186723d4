package io.orbitkv.workload.sim.run;

import io.orbitkv.api.page.PageKey;
import io.orbitkv.kernel.Event;
import io.orbitkv.workload.sim.hardware.Chance;
import io.orbitkv.workload.sim.hardware.Mix;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What all actors need: somebody to act for, something to act on. */
final class Hands {
  /** Records of each status board. */
  static final int BOARD = 6;

  /** Pages of the longest chain. */
  static final int CHAIN_PAGES = 12;

  private static final int CHAINS = 5;
  private static final long CHAIN = 1000;
  private static final int RECENT = 10;

  final World world;
  final Model model;
  private long lastControl = 1L << 40;

  Hands(World world) {
    this.world = world;
    this.model = world.model;
  }

  // ---- pages -----------------------------------------------------------------------------------

  /** Names of consecutive pages of some chain. */
  long[] chain(Chance chance, int from, int length) {
    long chain = chance.below(CHAINS) * CHAIN;
    long[] names = new long[length];
    for (int i = 0; i < length; i++) {
      names[i] = 1 + chain + from + i;
    }
    return names;
  }

  static PageKey key(long name) {
    return new PageKey(Mix.of(name), name);
  }

  static long[] keys(long[] names) {
    long[] keys = new long[2 * names.length];
    for (int i = 0; i < names.length; i++) {
      keys[2 * i] = Mix.of(names[i]);
      keys[2 * i + 1] = names[i];
    }
    return keys;
  }

  /** The page before the first of the names on its chain. */
  static PageKey parent(long[] names) {
    return names[0] % CHAIN == 1 ? PageKey.NONE : key(names[0] - 1);
  }

  // ---- who and what ----------------------------------------------------------------------------

  @Nullable Client anyClient(Chance chance) {
    return model.alive.isEmpty() ? null : chance.pick(model.alive);
  }

  /** A control request of a client, which will be answered. */
  long control(Client client) {
    long operation = ++lastControl;
    client.controls.add(operation);
    return operation;
  }

  /** An instance, nearly always a live one. */
  @Nullable InstanceModel anyInstance(Chance chance) {
    List<InstanceModel> live = new ArrayList<>();
    boolean any = chance.oneIn(25);
    for (InstanceModel instance : model.instances.values()) {
      if (any || instance.live()) {
        live.add(instance);
      }
    }
    return live.isEmpty() ? null : chance.pick(live);
  }

  /** A connected worker of an instance, or now and then anybody. */
  @Nullable Client workerOf(InstanceModel instance, Chance chance) {
    List<Client> workers = new ArrayList<>();
    for (Client worker : instance.workers) {
      if (worker != null && worker.alive) {
        workers.add(worker);
      }
    }
    return workers.isEmpty() || chance.oneIn(15) ? anyClient(chance) : chance.pick(workers);
  }

  /** A board record that seems free, or none, or sometimes a wrong one. */
  int record(Client client, Chance chance) {
    if (chance.oneIn(3)) {
      return Event.NO_RECORD;
    }
    if (chance.oneIn(40)) {
      return BOARD + chance.below(3);
    }
    int record = chance.below(BOARD);
    boolean careless = chance.oneIn(20);
    for (int i = 0; i < BOARD && !careless && busy(client, record); i++) {
      record = (record + 1) % BOARD;
    }
    return record;
  }

  private static boolean busy(Client client, int record) {
    Op owner = client.records.get(record);
    return owner != null
        && !owner.acknowledged
        && !owner.superseded
        && (owner.end == null || (owner.kind == Op.Kind.QUERY && owner.lease != null));
  }

  /** A recent operation of a kind, of anybody. */
  @Nullable Op anyOperation(Op.Kind kind, Chance chance) {
    Op open = kind == Op.Kind.QUERY && chance.oneIn(2) ? openQuery(chance) : null;
    if (open != null) {
      return open;
    }
    Client client = anyClient(chance);
    if (client == null) {
      return null;
    }
    List<Op> operations = new ArrayList<>();
    for (Op op : client.operations.descendingMap().values()) {
      if (op.kind == kind) {
        operations.add(op);
      }
      if (operations.size() == RECENT) {
        break;
      }
    }
    return operations.isEmpty() ? null : chance.pick(operations);
  }

  /** A query that waits, or whose lease is there. */
  private @Nullable Op openQuery(Chance chance) {
    List<Op> open = new ArrayList<>(model.undecided.values());
    for (LeaseModel lease : model.holding.values()) {
      Op owner = lease.owner;
      if (owner.client.alive && !owner.superseded) {
        open.add(owner);
      }
    }
    return open.isEmpty() ? null : chance.pick(open);
  }

  /** A lease that was offered not long ago. */
  @Nullable LeaseModel anyLease(Chance chance) {
    if (model.leases.isEmpty()) {
      return null;
    }
    List<LeaseModel> holding = new ArrayList<>(model.holding.values());
    if (!holding.isEmpty() && !chance.oneIn(6)) {
      return chance.pick(holding);
    }
    int back = Math.min(model.leases.size(), chance.oneIn(20) ? 200 : 12);
    return model.leases.get(model.leases.size() - 1 - chance.below(back));
  }

  /** Sends now, or a little later: then others come in between. */
  void send(Event event, @Nullable Op subject, Chance chance) {
    if (chance.oneIn(8)) {
      world.later(chance.below(60_000_000L), () -> world.send(event, subject));
    } else {
      world.send(event, subject);
    }
  }
}
