package io.orbitkv.kernel;

import io.orbitkv.api.copy.CopyOutcome;
import io.orbitkv.api.copy.CopyPlan;
import io.orbitkv.api.lease.BudgetLimits;
import io.orbitkv.api.lease.LeaseId;
import io.orbitkv.api.page.GroupRule;
import io.orbitkv.api.page.GroupSpec;
import io.orbitkv.api.page.LayerLayout;
import io.orbitkv.api.page.Namespace;
import io.orbitkv.api.page.PageKey;
import io.orbitkv.api.page.WorkerLayout;
import io.orbitkv.api.query.AnswerState;
import io.orbitkv.api.query.QueryKind;
import io.orbitkv.kernel.machine.Kernel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** A kernel with fake surroundings. Verifies the whole kernel after each step. */
final class KernelHarness {
  /** One page of one rank of {@link #layout}: 4,000 bytes of payload in a run of 4,096. */
  static final long RUN_BYTES = 4096;

  static final long PAYLOAD_BYTES = 4000;
  static final int DEVICE_PAGES = 128;
  static final Namespace NAMESPACE = new Namespace("ab".repeat(32));
  static final int BOARD = 16;

  final FakeMemoryTier memory;
  final Kernel kernel;
  final List<Command> commands = new ArrayList<>();
  long nowNanos = 1_000;
  Outbox listener = command -> {};
  private long nextOperation;

  KernelHarness() {
    this(settings(1L << 40), 1L << 30);
  }

  KernelHarness(KernelSettings settings, long... nodeBytes) {
    this(settings, WriteAdmission.ALL, nodeBytes);
  }

  KernelHarness(KernelSettings settings, WriteAdmission admission, long... nodeBytes) {
    memory = new FakeMemoryTier(nodeBytes);
    kernel = new Kernel(settings, memory, new SplittableRandom(7), admission);
    memory.chunks().forEach(chunk -> step(new Event.ChunkReady(chunk)));
  }

  static KernelSettings settings(long budgetBytes) {
    return KernelSettings.of(new BudgetLimits(budgetBytes, budgetBytes), 100_000);
  }

  // ---- steps -----------------------------------------------------------------------------------

  List<Command> step(Event event) {
    commands.clear();
    kernel.step(
        event,
        nowNanos,
        command -> {
          commands.add(command);
          listener.add(command);
        });
    kernel.verify();
    return List.copyOf(commands);
  }

  List<Command> tickAfter(Duration time) {
    nowNanos += time.toNanos();
    return step(new Event.Tick());
  }

  long operation() {
    return ++nextOperation;
  }

  <C extends Command> C only(Class<C> type) {
    List<C> found = all(type);
    if (found.size() != 1) {
      throw new AssertionError("wanted one " + type.getSimpleName() + ", got " + commands);
    }
    return found.getFirst();
  }

  <C extends Command> List<C> all(Class<C> type) {
    return commands.stream().filter(type::isInstance).map(type::cast).toList();
  }

  long counter(KernelCounter counter) {
    Long value = kernel.status().counters().get(counter.key());
    if (value == null) {
      throw new AssertionError(counter);
    }
    return value;
  }

  // ---- instances -------------------------------------------------------------------------------

  static WorkerLayout layout(int rank, int worldSize) {
    return layout(rank, worldSize, -1, 500);
  }

  static WorkerLayout layout(int rank, int worldSize, int node, int segmentBytes) {
    List<LayerLayout> layers = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      layers.add(
          new LayerLayout(
              "layer-" + i,
              0,
              i * 1_000_000L,
              DEVICE_PAGES,
              segmentBytes,
              2,
              segmentBytes,
              2L * segmentBytes));
    }
    List<GroupSpec> groups = List.of(new GroupSpec(0, new GroupRule.Prefix()));
    return new WorkerLayout(rank, worldSize, 16, node, groups, layers);
  }

  void open(long session) {
    step(new Event.SessionOpened(session, BOARD));
  }

  void close(long session) {
    step(new Event.SessionClosed(session));
  }

  /** Opens the sessions and registers one rank on each; returns the handle. */
  int instance(String name, long... sessions) {
    int handle = -1;
    for (int rank = 0; rank < sessions.length; rank++) {
      open(sessions[rank]);
      handle = register(name, sessions[rank], layout(rank, sessions.length)).instance();
    }
    return handle;
  }

  Command.Registered register(String name, long session, WorkerLayout layout) {
    step(
        new Event.Register(
            session, operation(), name, NAMESPACE, layout, FakeDeviceMemory.descriptor()));
    return openDevice(only(Command.OpenDevice.class).registration());
  }

  Command.Registered openDevice(long registration) {
    step(new Event.DeviceOpened(registration, new FakeDeviceMemory(registration)));
    return only(Command.Registered.class);
  }

  // ---- pages -----------------------------------------------------------------------------------

  static long[] keys(long... names) {
    long[] keys = new long[names.length * 2];
    for (int i = 0; i < names.length; i++) {
      keys[2 * i] = names[i] * 31 + 7;
      keys[2 * i + 1] = names[i];
    }
    return keys;
  }

  static PageKey key(long name) {
    return new PageKey(name * 31 + 7, name);
  }

  static int[] places(int count) {
    int[] places = new int[count];
    for (int i = 0; i < count; i++) {
      places[i] = i;
    }
    return places;
  }

  /** Publishes; returns the operation. */
  long publish(long session, int instance, PageKey parent, long... names) {
    long operation = operation();
    step(
        new Event.Publish(
            session,
            operation,
            Event.NO_RECORD,
            instance,
            0,
            0,
            parent,
            keys(names),
            places(names.length)));
    return operation;
  }

  CopyPlan plan() {
    return only(Command.Copy.class).plan();
  }

  void done(CopyPlan plan) {
    step(new Event.CopyCompleted(plan.id(), new CopyOutcome.Done()));
  }

  void failed(CopyPlan plan) {
    step(new Event.CopyCompleted(plan.id(), new CopyOutcome.Failed("cable")));
  }

  void unknown(CopyPlan plan) {
    step(new Event.CopyCompleted(plan.id(), new CopyOutcome.Unknown("silence")));
  }

  void commit(long session, long operation, boolean produced) {
    step(new Event.Commit(session, operation, produced));
  }

  /** Publishes pages of an instance with one rank until they are resident. */
  void store(long session, int instance, long... names) {
    long operation = publish(session, instance, PageKey.NONE, names);
    done(plan());
    commit(session, operation, true);
  }

  // ---- queries ---------------------------------------------------------------------------------

  static Event.Submit query(
      long session, long operation, int revision, int record, int instance, long... names) {
    return query(session, operation, revision, record, instance, QueryKind.DEMAND, names);
  }

  static Event.Submit query(
      long session,
      long operation,
      int revision,
      int record,
      int instance,
      QueryKind kind,
      long... names) {
    return new Event.Submit(
        session,
        operation,
        revision,
        record,
        instance,
        kind,
        "request-" + session + "-" + operation,
        new int[] {0},
        new int[] {names.length},
        keys(names),
        null);
  }

  /** Submits a query over the socket and returns its answer. */
  Command.Answer ask(long session, int instance, long... names) {
    step(query(session, operation(), 1, Event.NO_RECORD, instance, names));
    return only(Command.Answer.class);
  }

  /** The same, and takes the offer. */
  Command.Answer lease(long session, int instance, long... names) {
    Command.Answer answer = ask(session, instance, names);
    if (answer.state() != AnswerState.READY) {
      throw new AssertionError(answer);
    }
    step(new Event.Taken(session, answer.operation(), answer.revision()));
    return answer;
  }

  /** Restores a whole lease; returns the operation. */
  long restore(long session, int instance, LeaseId lease, int... devicePages) {
    long operation = operation();
    step(new Event.Restore(session, operation, Event.NO_RECORD, instance, lease, 0, devicePages));
    return operation;
  }

  void release(long session, LeaseId lease) {
    step(new Event.Release(session, operation(), lease));
  }
}
