package io.orbitkv.kernel;

import io.orbitkv.api.copy.CopyOutcome;
import io.orbitkv.api.copy.CopyPlan;
import io.orbitkv.api.lease.BudgetLimits;
import io.orbitkv.api.lease.LeaseId;
import io.orbitkv.api.page.Namespace;
import io.orbitkv.api.page.PageKey;
import io.orbitkv.api.page.WorkerLayout;
import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.api.query.AnswerState;
import io.orbitkv.api.query.QueryKind;
import io.orbitkv.kernel.DriverModel.Client;
import io.orbitkv.kernel.DriverModel.Kind;
import io.orbitkv.kernel.DriverModel.Lease;
import io.orbitkv.kernel.DriverModel.Operation;
import io.orbitkv.kernel.DriverModel.Running;
import io.orbitkv.kernel.machine.Kernel;
import io.orbitkv.kernel.policy.AdmissionVerdict;
import io.orbitkv.kernel.policy.PageColumns;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Drives a kernel with random clients, copiers and time, and checks after each step what clients
 * and hardware may rely on. The same seed gives the same run.
 */
final class KernelDriver {
  private static final int BOARD = 6;
  private static final int CHAINS = 5;
  private static final int CHAIN_PAGES = 12;
  private static final String[] NAMES = {"single", "other", "pair", "triple"};
  private static final int[] WORLD_SIZES = {1, 1, 2, 3};
  private static final int[] SCOPES = {0, 0, 0, 1};
  private static final Namespace[] NAMESPACES = {
    new Namespace("0a".repeat(32)), new Namespace("0b".repeat(32))
  };

  private final SplittableRandom random;
  private final FakeMemoryTier memory;
  private final SimulatedHost host = new SimulatedHost();
  private final Kernel kernel;
  private final DriverModel model = new DriverModel();
  private final DriverChecks checks;
  private final List<Command> outbox = new ArrayList<>();
  private final List<Command.OpenDevice> opening = new ArrayList<>();
  private final List<Command.CloseDevice> closing = new ArrayList<>();
  private final Map<Long, Event.Register> registers = new HashMap<>();
  private final Map<Integer, long[]> lastPublished = new HashMap<>();
  private final List<Operation> uncommitted = new ArrayList<>();
  private final boolean policies;
  private final List<Command.AskScores> questions = new ArrayList<>();
  private final List<PageColumns> told = new ArrayList<>();
  private final List<Command.AskAdmission> admissions = new ArrayList<>();
  private final List<Operation> inQuestion = new ArrayList<>();
  private final Map<Long, Command.Registered> workers = new HashMap<>();
  private long lastControl = 1L << 40;
  private long nowNanos = 1;
  private long lastSession;
  private int unknownOutcomes;
  private boolean drained;
  private long digest = 17;

  KernelDriver(long seed) {
    this(seed, false);
  }

  /**
   * @param policies whether policies of retention and admission serve, which say anything at any
   *     time
   */
  KernelDriver(long seed, boolean policies) {
    this.policies = policies;
    random = new SplittableRandom(seed);
    memory = new FakeMemoryTier(110 * KernelHarness.RUN_BYTES, 50 * KernelHarness.RUN_BYTES);
    memory.onFree(host::freed);
    KernelSettings usual =
        KernelSettings.of(
            new BudgetLimits(44 * KernelHarness.RUN_BYTES, 36 * KernelHarness.RUN_BYTES), 120);
    KernelSettings settings = usual.with(new OperationLimits(8, 20, 3, 6, 2, 4, 64));
    kernel = new Kernel(settings, memory, new SplittableRandom(seed ^ 0x5EED));
    checks = new DriverChecks(model, kernel);
    memory.chunks().forEach(chunk -> send(new Event.ChunkReady(chunk)));
  }

  long run(int steps) {
    for (int i = 0; i < steps; i++) {
      nowNanos += random.nextLong(20_000_000);
      if (policies && random.nextInt(5) == 0) {
        policy();
      }
      act();
    }
    finish();
    return digest;
  }

  KernelStatus status() {
    return kernel.status();
  }

  // ---- the loop --------------------------------------------------------------------------------

  private void send(Event event) {
    send(event, null);
  }

  private void send(Event event, @Nullable Operation subject) {
    outbox.clear();
    long evicted = evictedPages();
    kernel.step(event, nowNanos, outbox::add);
    if (evictedPages() != evicted
        && !(event instanceof Event.Publish
            || event instanceof Event.AdmissionAdvice
            || event instanceof Event.Evict)) {
      throw new AssertionError("pages were evicted by " + event);
    }
    for (Command command : outbox) {
      digest = digest * 31 + text(command).hashCode();
      handle(command, event, subject);
    }
    if (event instanceof Event.Publish && subject != null && waits(subject)) {
      inQuestion.add(subject);
      for (int devicePage : subject.devicePages) {
        subject.client.busyDevicePages.add(devicePage);
      }
    }
    inQuestion.removeIf(operation -> !operation.client.alive);
    if (!inQuestion.isEmpty() && admissions.isEmpty()) {
      throw new AssertionError("publishes wait though nobody is asked: " + inQuestion);
    }
    kernel.verify();
  }

  /** Whether the last step left a publish without a word or a copy. */
  private boolean waits(Operation publish) {
    return publish.end == null
        && publish.client.alive
        && outbox.stream()
            .noneMatch(
                command -> command instanceof Command.Copy || command instanceof Command.Refused);
  }

  /** A publish waits no more: its client has its device pages back. */
  private void waitedFor(Operation publish) {
    inQuestion.remove(publish);
    for (int devicePage : publish.devicePages) {
      publish.client.busyDevicePages.remove(devicePage);
    }
  }

  /** The publish that waited and has these device pages. */
  private Operation waiting(CopyPlan plan) {
    Command.Registered worker = workers.get(((FakeDeviceMemory) plan.memory()).registration);
    for (Operation operation : inQuestion) {
      if (worker != null
          && operation.client.id == worker.session()
          && operation.instance == worker.instance()
          && Arrays.stream(operation.devicePages).anyMatch(page -> page == plan.devicePage(0))) {
        return operation;
      }
    }
    throw new AssertionError("a plan that nobody waits for");
  }

  private long evictedPages() {
    return kernel.status().counters().getOrDefault(KernelCounter.EVICTED_PAGES.key(), 0L);
  }

  private static String text(Command command) {
    return switch (command) {
      case Command.Copy copy -> {
        CopyPlan plan = copy.plan();
        StringBuilder text = new StringBuilder("copy ").append(plan.id()).append(plan.direction());
        for (int i = 0; i < plan.pages(); i++) {
          text.append(' ').append(plan.hostAddress(i)).append('>').append(plan.devicePage(i));
        }
        yield text.toString();
      }
      case Command.Attached attached ->
          "attached " + attached.instance() + Arrays.toString(attached.pageBytes());
      case Command.CloseDevice close -> "close " + close.registration();
      case Command.Answer c -> c.toString();
      case Command.Registered c -> c.toString();
      case Command.Done c -> c.toString();
      case Command.Refused c -> c.toString();
      case Command.CloseSession c -> c.toString();
      case Command.OpenDevice c -> "open " + c.registration();
      case Command.Candidates c -> "candidates " + Arrays.toString(c.positions());
      case Command.Read c -> "read " + c.batch().size();
      case Command.RaiseRead c -> c.toString();
      case Command.Write c -> "write " + c.ticket();
      case Command.FlushStore c -> c.toString();
      case Command.EmptyStore c -> c.toString();
      case Command.KeepGeometries c -> c.toString();
      case Command.ObservePages c -> "pages " + c.events().size();
      case Command.AskScores c ->
          "scores " + c.ticket() + " of " + c.candidates().size() + " " + c.adopt();
      case Command.AskAdmission c -> c.toString();
      case Command.ToPolicies c -> "question";
      case Command.ScoreStored c -> "scores";
      case Command.Drained c -> c.toString();
    };
  }

  private void handle(Command command, Event event, @Nullable Operation subject) {
    switch (command) {
      case Command.Answer answer -> {
        checks.answer(answer, event, nowNanos);
        List.copyOf(inQuestion).stream()
            .filter(operation -> operation.end != null)
            .forEach(this::waitedFor);
      }
      case Command.Registered registered -> {
        Client client = checks.live(registered.session());
        checks.control(client, registered.operation());
        if (event instanceof Event.DeviceOpened opened) {
          workers.put(opened.registration(), registered);
          Event.Register register = registers.get(registered.operation());
          int shape = List.of(NAMES).indexOf(register.instanceName());
          client.ranks.put(registered.instance(), register.layout().rank());
          model.instances.put(
              registered.instance(),
              new DriverModel.Instance(
                  registered.instance(),
                  register.instanceName(),
                  WORLD_SIZES[shape],
                  SCOPES[shape]));
        }
      }
      case Command.Attached attached ->
          checks.control(checks.live(attached.session()), attached.operation());
      case Command.Done done -> checks.control(checks.live(done.session()), done.operation());
      case Command.Refused refused -> checks.refused(refused);
      case Command.OpenDevice open -> opening.add(open);
      case Command.CloseDevice close -> closing.add(close);
      case Command.Copy copy -> {
        Operation owner = subject;
        if (event instanceof Event.AdmissionAdvice) {
          owner = waiting(copy.plan());
          waitedFor(owner);
        }
        begin(copy.plan(), owner);
      }
      case Command.Candidates candidates -> throw new AssertionError(candidates);
      case Command.Read read -> throw new AssertionError(read);
      case Command.RaiseRead raise -> throw new AssertionError(raise);
      case Command.Write write -> throw new AssertionError(write);
      case Command.FlushStore flush -> throw new AssertionError(flush);
      case Command.EmptyStore empty -> throw new AssertionError(empty);
      case Command.KeepGeometries keep -> throw new AssertionError(keep);
      case Command.ObservePages pages -> told.add(pages.events());
      case Command.AskScores question -> questions.add(question);
      case Command.AskAdmission question -> admissions.add(question);
      case Command.ToPolicies question -> throw new AssertionError(question);
      case Command.ScoreStored scores -> throw new AssertionError(scores);
      case Command.Drained ignored -> drained = true;
      case Command.CloseSession close -> throw new AssertionError(close);
    }
  }

  private void begin(CopyPlan plan, @Nullable Operation subject) {
    if (subject == null) {
      throw new AssertionError("a plan that nobody asked for");
    }
    FakeDeviceMemory device = (FakeDeviceMemory) plan.memory();
    if (device.closed) {
      throw new AssertionError("a plan on closed memory");
    }
    device.plans++;
    host.begin(plan);
    @Nullable Integer rank = subject.client.ranks.get(subject.instance);
    if (rank == null) {
      throw new AssertionError("a plan for a session that is no worker");
    }
    long[] names = new long[plan.pages()];
    for (int i = 0; i < plan.pages(); i++) {
      if (rank < 2 && memory.node(plan.hostAddress(i)) != rank) {
        throw new AssertionError("a run of rank [" + rank + "] lies on another node");
      }
      int place = 0;
      while (subject.devicePages[place] != plan.devicePage(i)) {
        place++;
      }
      names[i] = subject.names[place];
      subject.client.busyDevicePages.add(plan.devicePage(i));
    }
    Running running = new Running(plan, subject, names, rank);
    model.running.put(plan.id(), running);
    if (plan.direction() == CopyPlan.Direction.HOST_TO_DEVICE) {
      checks.share(subject.restored, rank);
      checkBytes(running);
    }
  }

  private void checkBytes(Running running) {
    for (int i = 0; i < running.plan().pages(); i++) {
      long tag = host.tag(running.plan().hostAddress(i));
      if (tag != tag(running, i)) {
        throw new AssertionError(
            "wrong bytes for page [" + running.names()[i] + "] of " + running.operation());
      }
    }
  }

  private long tag(Running running, int place) {
    DriverModel.Instance instance = model.instances.get(running.operation().instance);
    return ((running.names()[place] * 10 + running.rank()) * 10 + instance.worldSize()) * 10
        + instance.scope();
  }

  private void complete(CopyPlan plan, CopyOutcome outcome) {
    Running running = model.running.remove(plan.id());
    if (running == null) {
      throw new AssertionError("plan [" + plan.id() + "] does not run");
    }
    boolean reading = plan.direction() == CopyPlan.Direction.HOST_TO_DEVICE;
    if (!(outcome instanceof CopyOutcome.Unknown)) {
      if (reading) {
        checkBytes(running);
      }
      long[] written = new long[plan.pages()];
      for (int i = 0; i < written.length; i++) {
        boolean good = outcome instanceof CopyOutcome.Done && !running.operation().garbage;
        written[i] = good ? tag(running, i) : -1 - random.nextLong(1000);
        running.operation().client.busyDevicePages.remove(plan.devicePage(i));
      }
      host.end(plan, written);
    }
    ((FakeDeviceMemory) plan.memory()).plans--;
    send(new Event.CopyCompleted(plan.id(), outcome));
  }

  // ---- actions ---------------------------------------------------------------------------------

  private void act() {
    int dice = random.nextInt(100);
    if (model.alive.size() < 3 || (dice == 0 && model.alive.size() < 12)) {
      openSession();
    } else if (dice < 2) {
      if (random.nextInt(4) == 0) {
        closeSession(pick(model.alive));
      }
    } else if (dice < 8) {
      register();
    } else if (dice < 14) {
      device();
    } else if (dice < 15) {
      rareControl();
    } else if (dice < 32) {
      query();
    } else if (dice < 36) {
      resubmit();
    } else if (dice < 45) {
      ticketMessage();
    } else if (dice < 48) {
      release();
    } else if (dice < 58) {
      restore();
    } else if (dice < 68) {
      publish();
    } else if (dice < 79) {
      commit();
    } else if (dice < 97) {
      completeSome();
    } else if (dice < 99) {
      nowNanos +=
          random.nextInt(25) == 0
              ? random.nextLong(1_400_000_000_000L)
              : random.nextLong(1_500_000_000L);
      send(new Event.Tick());
    } else {
      strangers();
    }
  }

  // ---- policies --------------------------------------------------------------------------------

  private void policy() {
    if (random.nextInt(60) == 0) {
      Set<PolicySlot> asked =
          switch (random.nextInt(5)) {
            case 0 -> Set.of();
            case 1 -> Set.of(PolicySlot.RETENTION_DRAM);
            case 2 -> Set.of(PolicySlot.ADMISSION_DRAM);
            default -> Set.of(PolicySlot.RETENTION_DRAM, PolicySlot.ADMISSION_DRAM);
          };
      Set<PolicySlot> fresh = random.nextInt(3) == 0 ? asked : Set.of();
      send(new Event.Policies(asked, fresh));
    } else if (!told.isEmpty() && random.nextInt(3) == 0) {
      told.remove(random.nextInt(told.size())).recycle();
    } else if (!admissions.isEmpty() && random.nextInt(3) != 0) {
      admitOne();
    } else if (!questions.isEmpty()) {
      answerOne();
    }
  }

  private void admitOne() {
    Command.AskAdmission question = admissions.remove(random.nextInt(admissions.size()));
    AdmissionVerdict[] verdicts = AdmissionVerdict.values();
    AdmissionVerdict verdict =
        random.nextBoolean() ? AdmissionVerdict.ADMIT : verdicts[random.nextInt(verdicts.length)];
    if ((question.chain().id() & 7) == 0) {
      verdict = AdmissionVerdict.LATER; // Always: by chance alone it is put off too often seldom.
    }
    send(new Event.AdmissionAdvice(question.ticket(), verdict, random.nextLong()));
  }

  private void answerOne() {
    Command.AskScores question = questions.remove(random.nextInt(questions.size()));
    PageColumns columns = question.candidates();
    for (int i = 0; i < columns.size(); i++) {
      columns.scores()[i] = random.nextInt(4) == 0 ? random.nextLong() : random.nextInt(3);
      if (random.nextInt(3) == 0) {
        columns.setMark(i, random.nextLong());
      }
    }
    send(new Event.ScoresAdvice(question.ticket(), columns, random.nextInt(6) == 0));
  }

  private <T> T pick(List<T> list) {
    return list.get(random.nextInt(list.size()));
  }

  private void openSession() {
    Client client = new Client(++lastSession);
    model.clients.put(client.id, client);
    model.alive.add(client);
    send(new Event.SessionOpened(client.id, BOARD));
  }

  private void closeSession(Client client) {
    client.alive = false;
    model.alive.remove(client);
    send(new Event.SessionClosed(client.id));
  }

  /** The memory knows no node of the third rank, whose runs may lie anywhere. */
  private static int node(int rank) {
    return rank < 2 ? rank : 9;
  }

  /** A worker with pages that no chunk can hold: refused before its device is opened. */
  private void registerOversized(Client client) {
    int bytes = 111 * (int) KernelHarness.RUN_BYTES + random.nextInt(1 << 20);
    int rank = random.nextInt(2);
    WorkerLayout layout = EvictionTest.large(rank, 2, node(rank), bytes);
    long operation = control(client);
    send(
        new Event.Register(
            client.id,
            operation,
            "oversized",
            NAMESPACES[0],
            layout,
            FakeDeviceMemory.descriptor()));
    if (client.controls.contains(operation)
        || !outbox.stream()
            .filter(command -> !(command instanceof Command.ToPolicies))
            .allMatch(command -> command instanceof Command.Refused)) {
      throw new AssertionError("pages of [" + bytes + "] bytes are not refused: " + outbox);
    }
  }

  private void register() {
    Client client = pick(model.alive);
    if (random.nextInt(20) == 0) {
      registerOversized(client);
      return;
    }
    int shape = random.nextInt(NAMES.length);
    int worldSize = WORLD_SIZES[shape];
    int rank = random.nextInt(worldSize);
    WorkerLayout layout = KernelHarness.layout(rank, worldSize, node(rank), 500);
    long operation = control(client);
    Event.Register register =
        new Event.Register(
            client.id,
            operation,
            NAMES[shape],
            NAMESPACES[SCOPES[shape]],
            layout,
            FakeDeviceMemory.descriptor());
    registers.put(operation, register);
    send(register);
  }

  private long control(Client client) {
    long operation = ++lastControl;
    client.controls.add(operation);
    return operation;
  }

  private void device() {
    if (!opening.isEmpty() && random.nextBoolean()) {
      Command.OpenDevice open = opening.remove(random.nextInt(opening.size()));
      if (random.nextInt(10) == 0) {
        send(new Event.DeviceFailed(open.registration(), "no such memory"));
      } else {
        send(
            new Event.DeviceOpened(open.registration(), new FakeDeviceMemory(open.registration())));
      }
    } else if (!closing.isEmpty()) {
      Command.CloseDevice close = closing.remove(random.nextInt(closing.size()));
      close.memory().close();
      send(new Event.DeviceClosed(close.registration()));
    }
  }

  private void rareControl() {
    Client client = pick(model.alive);
    switch (random.nextInt(6)) {
      case 0 -> send(new Event.Evict(client.id, control(client)));
      case 1, 2 -> send(new Event.Sync(client.id, control(client)));
      case 3 -> send(new Event.Attach(client.id, control(client), pick(List.of(NAMES))));
      case 4 -> send(new Event.EngineStats(client.id, anyInstance(), random.nextLong(-1, 1000)));
      default -> {
        if (random.nextInt(8) == 0) {
          send(new Event.Unregister(client.id, control(client), anyInstance()));
        }
      }
    }
  }

  private int anyInstance() {
    if (model.instances.isEmpty() || random.nextInt(50) == 0) {
      return 9999;
    }
    List<Integer> handles = new ArrayList<>(model.instances.keySet());
    List<Integer> live = handles.stream().filter(checks::instanceLives).toList();
    return live.isEmpty() || random.nextInt(20) == 0 ? pick(handles) : pick(live);
  }

  private long[] chain(int from, int length) {
    int chain = random.nextInt(CHAINS);
    long[] names = new long[length];
    for (int i = 0; i < length; i++) {
      names[i] = 1 + chain * 1000L + from + i;
    }
    return names;
  }

  private int record(Client client) {
    if (random.nextInt(3) == 0) {
      return Event.NO_RECORD;
    }
    if (random.nextInt(40) == 0) {
      return BOARD + random.nextInt(3);
    }
    int record = random.nextInt(BOARD);
    for (int i = 0; i < BOARD && checks.busy(client, record) && random.nextInt(20) != 0; i++) {
      record = (record + 1) % BOARD;
    }
    return record;
  }

  private void query() {
    Client client = pick(model.alive);
    Operation operation =
        new Operation(client, client.nextOperation(), Kind.QUERY, record(client), anyInstance());
    operation.names = chain(0, 1 + random.nextInt(random.nextInt(20) == 0 ? 40 : CHAIN_PAGES));
    submit(operation, random.nextInt(8) == 0 ? QueryKind.PRODUCER_WAIT : QueryKind.DEMAND);
  }

  private void submit(Operation operation, QueryKind kind) {
    Event.Submit submit =
        KernelHarness.query(
            operation.client.id,
            operation.id,
            operation.revision,
            operation.record,
            operation.instance,
            kind,
            operation.names);
    operation.submit = submit;
    operation.client.operations.put(operation.id, operation);
    operation.accepted = true;
    send(submit, operation);
  }

  private @Nullable Operation anyOperation(Kind kind) {
    Client client = pick(model.alive);
    List<Operation> operations = new ArrayList<>();
    for (Operation operation : client.operations.descendingMap().values()) {
      if (operation.kind == kind && operation.accepted) {
        operations.add(operation);
      }
      if (operations.size() == 10) {
        break;
      }
    }
    return operations.isEmpty() ? null : pick(operations);
  }

  private void resubmit() {
    Operation operation = anyOperation(Kind.QUERY);
    if (operation == null || operation.submit == null) {
      return;
    }
    Event.Submit before = operation.submit;
    // An operation that was BUSY is not used up: only the same question may follow for the model.
    switch (operation.end == AnswerState.BUSY ? 0 : random.nextInt(4)) {
      case 0 -> send(before, operation);
      case 1 ->
          send(
              KernelHarness.query(
                  before.session(),
                  before.operation(),
                  Math.max(1, before.revision() - 1),
                  before.record(),
                  before.instance(),
                  5,
                  6,
                  7),
              operation);
      case 2 ->
          send(
              KernelHarness.query(
                  before.session(),
                  before.operation(),
                  before.revision(),
                  before.record(),
                  before.instance() + 77,
                  5),
              operation);
      default -> {
        if (operation.end != null && (operation.lease == null || operation.acknowledged)) {
          return; // Over: would be refused as retired.
        }
        Operation next =
            new Operation(
                operation.client, operation.id, Kind.QUERY, operation.record, operation.instance);
        next.revision = operation.revision + 1;
        next.names = chain(0, 1 + random.nextInt(CHAIN_PAGES));
        next.submit =
            KernelHarness.query(
                next.client.id, next.id, next.revision, next.record, next.instance, next.names);
        next.accepted = true;
        checks.supersede(operation, next);
        send(next.submit, next);
        checks.restoreIfRefused(operation, next, outbox);
      }
    }
  }

  private void ticketMessage() {
    Operation operation = anyOperation(random.nextInt(4) == 0 ? Kind.PUBLISH : Kind.QUERY);
    if (operation == null) {
      return;
    }
    int revision = operation.revision + (random.nextInt(12) == 0 ? random.nextInt(-1, 2) : 0);
    Client client = operation.client;
    switch (random.nextInt(6)) {
      case 0, 1, 2 -> {
        if (operation.lease != null && revision == operation.revision) {
          operation.acknowledged = true;
        }
        send(new Event.Taken(client.id, operation.id, revision), operation);
      }
      case 3 -> send(new Event.Ask(client.id, operation.id, revision), operation);
      default -> {
        if (revision == operation.revision && random.nextInt(2) == 0) {
          operation.acknowledged = true;
          send(new Event.Cancel(client.id, operation.id, revision), operation);
        }
      }
    }
  }

  private @Nullable Lease anyLease() {
    if (model.leases.isEmpty()) {
      return null;
    }
    int back = Math.min(model.leases.size(), random.nextInt(20) == 0 ? 200 : 12);
    return model.leases.get(model.leases.size() - 1 - random.nextInt(back));
  }

  private void release() {
    Lease lease = anyLease();
    if (lease == null) {
      return;
    }
    Client client = random.nextInt(4) == 0 ? pick(model.alive) : lease.query().client;
    if (!client.alive) {
      return;
    }
    long operation = control(client);
    client.controls.remove(operation); // No reply on success.
    checks.mayBeRefused(operation);
    if (client == lease.query().client || client.ranks.containsKey(lease.query().instance)) {
      lease.query().acknowledged = true;
    }
    send(new Event.Release(client.id, operation, lease.id()), lease.query());
  }

  private void restore() {
    Lease lease = anyLease();
    if (lease == null) {
      return;
    }
    int instance = lease.query().instance;
    List<Client> workers = model.alive.stream().filter(c -> c.ranks.containsKey(instance)).toList();
    Client client =
        workers.isEmpty() || random.nextInt(15) == 0 ? pick(model.alive) : pick(workers);
    Operation operation =
        new Operation(client, client.nextOperation(), Kind.RESTORE, record(client), instance);
    operation.names = lease.names();
    operation.devicePages = devicePages(client, lease.names().length);
    for (int i = 0; i < operation.devicePages.length; i++) {
      if (random.nextInt(8) == 0) {
        operation.devicePages[i] = Event.SKIP;
      }
    }
    operation.restored = lease.id();
    LeaseId id = lease.id();
    switch (random.nextInt(25)) {
      case 0 -> operation.devicePages[0] = KernelHarness.DEVICE_PAGES;
      case 1 ->
          operation.devicePages =
              Arrays.copyOf(operation.devicePages, operation.devicePages.length + 1);
      case 2 -> id = new LeaseId(random.nextLong(), random.nextLong());
      default -> {}
    }
    client.operations.put(operation.id, operation);
    operation.accepted = true;
    if (client.ranks.containsKey(instance)) {
      lease.query().acknowledged = true;
    }
    send(
        new Event.Restore(
            client.id,
            operation.id,
            operation.record,
            instance,
            id,
            0,
            operation.devicePages.clone()),
        operation);
  }

  private int[] devicePages(Client client, int count) {
    int[] pages = new int[count];
    int next = random.nextInt(KernelHarness.DEVICE_PAGES);
    for (int i = 0; i < count; i++) {
      for (int tries = 0;
          client.busyDevicePages.contains(next) && tries < KernelHarness.DEVICE_PAGES;
          tries++) {
        next = (next + 1) % KernelHarness.DEVICE_PAGES;
      }
      pages[i] = next;
      next = (next + 1) % KernelHarness.DEVICE_PAGES;
    }
    return pages;
  }

  private void publish() {
    List<Client> workers = model.alive.stream().filter(c -> !c.ranks.isEmpty()).toList();
    Client client =
        workers.isEmpty() || random.nextInt(20) == 0 ? pick(model.alive) : pick(workers);
    List<Integer> own = client.ranks.keySet().stream().sorted().toList();
    int instance = own.isEmpty() || random.nextInt(30) == 0 ? anyInstance() : own.getLast();
    Operation operation =
        new Operation(client, client.nextOperation(), Kind.PUBLISH, record(client), instance);
    int from = random.nextInt(3) == 0 ? 1 + random.nextInt(CHAIN_PAGES - 1) : 0;
    operation.names = chain(from, 1 + random.nextInt(CHAIN_PAGES - from));
    long[] partner = lastPublished.put(instance, operation.names);
    if (partner != null && random.nextInt(3) != 0) {
      operation.names = partner; // As the ranks of an engine do: the same pages.
    }
    operation.devicePages = devicePages(client, operation.names.length);
    operation.garbage = random.nextInt(10) == 0;
    if (random.nextInt(30) == 0) {
      operation.devicePages[0] = -1;
    }
    client.operations.put(operation.id, operation);
    operation.accepted = true;
    uncommitted.add(operation);
    boolean head = operation.names[0] % 1000 == 1;
    PageKey parent = head ? PageKey.NONE : KernelHarness.key(operation.names[0] - 1);
    if (random.nextInt(15) == 0) {
      parent = KernelHarness.key(chain(random.nextInt(CHAIN_PAGES), 1)[0]); // Of another chain.
    }
    send(
        new Event.Publish(
            client.id,
            operation.id,
            operation.record,
            instance,
            0,
            0,
            parent,
            KernelHarness.keys(operation.names),
            operation.devicePages.clone()),
        operation);
  }

  private void commit() {
    uncommitted.removeIf(o -> !o.client.alive || !o.accepted);
    Operation operation =
        uncommitted.isEmpty() || random.nextInt(10) == 0
            ? anyOperation(Kind.PUBLISH)
            : uncommitted.remove(random.nextInt(uncommitted.size()));
    if (operation != null) {
      send(new Event.Commit(operation.client.id, operation.id, !operation.garbage), operation);
    }
  }

  private void completeSome() {
    if (model.running.isEmpty()) {
      return;
    }
    List<Running> plans = new ArrayList<>(model.running.values());
    int dice = random.nextInt(60);
    CopyOutcome outcome = new CopyOutcome.Done();
    if (dice < 5) {
      outcome = new CopyOutcome.Failed("cable");
    } else if (dice == 5 && unknownOutcomes < 4) {
      unknownOutcomes++;
      outcome = new CopyOutcome.Unknown("silence");
    }
    complete(pick(plans).plan(), outcome);
  }

  /** Messages of sessions that are gone and about operations that never were. */
  private void strangers() {
    long gone = lastSession + 1 + random.nextInt(3);
    send(KernelHarness.query(gone, 1, 1, 0, anyInstance(), 1, 2));
    send(new Event.Cancel(gone, 1, 1));
    send(new Event.SessionClosed(gone));
    Client client = pick(model.alive);
    long never = 1L << 50;
    checks.mayBeRefused(never);
    send(new Event.Commit(client.id, never, true));
    send(new Event.Taken(client.id, never, 1));
    send(new Event.Ask(client.id, never, 1));
  }

  // ---- the end ---------------------------------------------------------------------------------

  private void finish() {
    while (model.alive.size() > 4) {
      closeSession(pick(model.alive));
    }
    send(new Event.Drain());
    while (!drained) {
      nowNanos += Duration.ofMillis(250).toNanos();
      if (!model.running.isEmpty()) {
        completeSome();
      } else if (!opening.isEmpty() || !closing.isEmpty()) {
        device();
      } else {
        send(new Event.Tick());
      }
      if (nowNanos < 0) {
        throw new AssertionError("never drained");
      }
    }
    while (!questions.isEmpty()) {
      answerOne();
    }
    while (!admissions.isEmpty()) {
      admitOne();
    }
    checks.allAnswered();
    Client client = pick(model.alive);
    send(new Event.Evict(client.id, control(client)));
    checks.atZero(memory);
  }
}
