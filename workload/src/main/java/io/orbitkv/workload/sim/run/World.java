package io.orbitkv.workload.sim.run;

import io.orbitkv.api.backing.BackingStatus;
import io.orbitkv.api.copy.CopyOutcome;
import io.orbitkv.kernel.BrokenInvariant;
import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.Event;
import io.orbitkv.kernel.KernelSettings;
import io.orbitkv.kernel.KernelStatus;
import io.orbitkv.kernel.Lifetimes;
import io.orbitkv.kernel.machine.Kernel;
import io.orbitkv.workload.sim.hardware.Arena;
import io.orbitkv.workload.sim.hardware.Chance;
import io.orbitkv.workload.sim.hardware.Checks;
import io.orbitkv.workload.sim.hardware.EventQueue;
import io.orbitkv.workload.sim.hardware.Mix;
import io.orbitkv.workload.sim.rule.Fault;
import io.orbitkv.workload.sim.rule.Invariant;
import io.orbitkv.workload.sim.rule.InvariantViolation;
import io.orbitkv.workload.sim.rule.Scenario;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** The kernel of one run and everything around it. One thread. */
final class World {
  /** How the kernel begins to say that a certificate does not hold. */
  private static final String CERTIFICATE = "a certificate";

  private static final long STEPS_AFTER_BROKEN_BOOKS = 200;
  private static final long TICK_NANOS = KernelSettings.TICK.toNanos();

  final Scenario scenario;
  final KernelSettings settings;
  final Checks checks;
  final Tally tally = new Tally();
  final Model model = new Model();
  final EventQueue queue = new EventQueue();
  final Trail trail = new Trail();
  final Arena arena;
  final Kernel kernel;
  final Devices devices;
  final Store store;
  final PolicyActor policies;
  private final List<Command> outbox = new ArrayList<>();
  private final Effects effects;
  private final AnswerChecks answers;
  private final CopyChecks copies;
  private final StaleChecks stale;
  private final SharedReadChecks shared;
  private final ClaimChecks claims;
  private final StepChecks after;
  private final CommandDigest digest = new CommandDigest();
  private final Abstraction abstraction;
  KernelStatus status;
  private long extraTickNanos = Long.MAX_VALUE;
  long nowNanos = 1;
  long steps;
  boolean drained;

  /** The event of the present step. */
  @Nullable Event event;

  SeedRunner.@Nullable StepHook hook;
  private @Nullable InvariantViolation broken;
  private long brokenStep;

  /** Restores whose copy failed. */
  long failedRestores;

  /** Registrations with a copy of which nobody knows the outcome: their memory stays mapped. */
  final Set<Long> unknownRegistrations = new HashSet<>();

  /** Whose copy reported last. */
  @Nullable Op lastCompleted;

  World(long seed, Scenario scenario, Checks checks) {
    this.scenario = scenario;
    this.checks = checks;
    Chance setup = new Chance(Mix.of(seed, 1, 0));
    settings = SimulatedSettings.of(setup, scenario);
    Chance fragmentation = new Chance(Mix.of(seed, 2, 0));
    arena = new Arena(checks, () -> fragmented(fragmentation), SimulatedSettings.NODE_FRAMES);
    kernel = new Kernel(settings, arena, new SplittableRandom(Mix.of(seed, 3, 0)));
    status = kernel.status();
    devices = new Devices(this, Mix.of(seed, 4, 0));
    store = new Store(this, Mix.of(seed, 5, 0));
    policies = new PolicyActor(this, Mix.of(seed, 6, 0));
    effects = new Effects(this);
    answers = new AnswerChecks(this);
    copies = new CopyChecks(this);
    stale = new StaleChecks(this);
    shared = new SharedReadChecks(this);
    claims = new ClaimChecks(this);
    after = new StepChecks(this);
    abstraction = new Abstraction(this);
    arena.chunks().forEach(chunk -> send(new Event.ChunkReady(chunk), null));
    queue.at(TICK_NANOS, () -> tick(TICK_NANOS));
  }

  private boolean fragmented(Chance chance) {
    boolean now = chance.oneIn(150);
    if (now) {
      tally.fault(Fault.ALLOCATION_FAILED);
    }
    return now;
  }

  private void tick(long dueNanos) {
    send(new Event.Tick(), null);
    long next = Math.max(nowNanos, dueNanos) + TICK_NANOS;
    if (!drained) {
      queue.at(next, () -> tick(next));
    }
  }

  /** A tick at the kernel's next deadline, when that comes before the one that is due anyway. */
  private void dueTick() {
    long deadline = kernel.nextDeadlineNanos();
    if (deadline < extraTickNanos && deadline < nowNanos + TICK_NANOS && !drained) {
      long due = Math.max(deadline, nowNanos);
      extraTickNanos = due;
      queue.at(
          due,
          () -> {
            if (extraTickNanos == due) {
              extraTickNanos = Long.MAX_VALUE;
            }
            send(new Event.Tick(), null);
          });
    }
  }

  // ---- steps -----------------------------------------------------------------------------------

  /**
   * One step of the kernel, checked.
   *
   * @param subject what the event is about when it is a submission
   */
  void send(Event event, @Nullable Op subject) {
    steps++;
    this.event = event;
    trail.add(event, nowNanos);
    outbox.clear();
    stale.before(event);
    shared.before(event);
    claims.before(event);
    effects.before(event);
    try {
      kernel.step(event, nowNanos, outbox::add);
    } catch (BrokenInvariant | IllegalStateException | IllegalArgumentException broken) {
      String what = String.valueOf(broken.getMessage());
      boolean certificate = what.startsWith(CERTIFICATE);
      throw new InvariantViolation(
          certificate ? Invariant.CERTIFICATE_HOLDS : Invariant.KERNEL_LEDGER, what, broken);
    }
    long hash = Mix.add(tally.digest, event.getClass().getSimpleName().hashCode());
    for (Command command : outbox) {
      hash = Mix.add(hash, digest.of(command));
      handle(command, event, subject);
    }
    tally.digest = Mix.add(hash, nowNanos);
    KernelStatus former = status;
    status = kernel.status();
    effects.after(event, former);
    policies.after(event, former);
    answers.after(event, subject);
    stale.after(event, former, outbox);
    shared.after(event);
    claims.after();
    after.check(event);
    verify();
    tally.states.add(abstraction.hash(event));
    dueTick();
    if (hook != null) {
      hook.stepped(steps, nowNanos, new Text(event, List.copyOf(outbox)));
    }
  }

  private record Text(Event of, List<Command> outcome) implements SeedRunner.StepText {
    @Override
    public String event() {
      return Trail.text(of);
    }

    @Override
    public List<String> commands() {
      return outcome.stream().map(CommandText::of).toList();
    }
  }

  /** The kernel's own deep count. */
  private void verify() {
    if (broken == null) {
      InvariantViolation found = deepCheck();
      if (found != null) {
        remember(found);
      }
    }
    if (steps - brokenStep >= STEPS_AFTER_BROKEN_BOOKS) {
      throwRemembered();
    }
  }

  /**
   * Books that do not agree say least about the cause, so a run goes on for a while after them:
   * what clients and devices see of the same bug is named instead.
   */
  void remember(InvariantViolation found) {
    InvariantViolation before = broken;
    if (before == null) {
      brokenStep = steps;
    }
    if (before == null || before.invariant() == Invariant.KERNEL_LEDGER) {
      broken = found;
    }
  }

  private void throwRemembered() {
    InvariantViolation found = broken;
    if (found != null) {
      throw found;
    }
  }

  /** The deep count when nothing runs any more: nothing can show anything better. */
  void verifyAtEnd() {
    throwRemembered();
    InvariantViolation found = deepCheck();
    if (found != null) {
      throw found;
    }
  }

  private @Nullable InvariantViolation deepCheck() {
    checks.require(Invariant.KERNEL_LEDGER, true, () -> "");
    checks.require(Invariant.CERTIFICATE_HOLDS, true, () -> "");
    try {
      kernel.verify();
      return null;
    } catch (IllegalStateException found) {
      return new InvariantViolation(
          Invariant.KERNEL_LEDGER, "step " + steps + ": " + found.getMessage(), found);
    }
  }

  private void handle(Command command, Event event, @Nullable Op subject) {
    switch (command) {
      case Command.Answer answer -> answers.answer(answer, event, subject);
      case Command.Registered registered -> {
        if (event instanceof Event.DeviceOpened device) {
          devices.registered(device.registration(), registered);
        }
        answers.registered(registered, event);
      }
      case Command.Attached c -> answers.control(c.session(), c.operation());
      case Command.Done c -> answers.done(c);
      case Command.Refused refused -> answers.refused(refused, event);
      case Command.OpenDevice open -> devices.open(open);
      case Command.CloseDevice close -> devices.close(close);
      case Command.Copy copy -> copies.begin(copy.plan(), event, subject);
      case Command.Drained c -> drained = true;
      case Command.Candidates c -> answers.candidates(c, subject);
      case Command.Read c -> store.read(c);
      case Command.RaiseRead c -> store.raise(c.ticket());
      case Command.Write c -> store.write(c);
      case Command.FlushStore c -> store.flush(c);
      case Command.EmptyStore c -> store.empty(c);
      case Command.KeepGeometries c -> store.keep(c);
      case Command.ToPolicies c -> policies.hear(c);
      case Command.ScoreStored c -> store.score(c);
      case Command.CloseSession c -> throw unexpected(c);
    }
  }

  static InvariantViolation unexpected(Command command) {
    return new InvariantViolation(
        Invariant.REFUSAL_IS_PRECISE, "nobody asked for " + command.getClass().getSimpleName());
  }

  /** Commands of the present step. */
  List<Command> commands() {
    return outbox;
  }

  /** A copier has submitted all of a staged plan. */
  void submitted(long plan) {
    copies.submitted(plan);
    send(new Event.CopySubmitted(plan), null);
  }

  /** A copy reports. */
  void completed(long plan, CopyOutcome outcome) {
    Op op = copies.end(plan, outcome);
    boolean over = op.kind == Op.Kind.RESTORE && op.running == 0;
    failedRestores += over && op.copyFailed ? 1 : 0;
    lastCompleted = op;
    if (outcome instanceof CopyOutcome.Unknown) {
      unknownRegistrations.add(copies.lastRegistration());
    }
    send(new Event.CopyCompleted(plan, outcome), null);
  }

  /** A read reports. */
  void readEnded(ReadModel read, BackingStatus status) {
    send(new Event.PageRead(read.read.ticket(), status), null);
    model.lingering.removeIf(op -> !model.inFlight(op));
  }

  /** Until when a query must have been answered, by the first tick after it. */
  long deadlineNanos(Op op) {
    Lifetimes lifetimes = settings.lifetimes();
    if (op.claimed) {
      return op.claimedNanos + lifetimes.operation().toNanos();
    }
    return switch (op.query) {
      case DEMAND, PRODUCER_WAIT, SELECTED, DISCOVER ->
          op.submittedNanos + lifetimes.operation().toNanos();
      case WARM -> op.submittedNanos + lifetimes.warming().toNanos();
      case PREPARE -> {
        long own = op.submittedNanos + lifetimes.preparation().toNanos();
        // Another rank may have claimed it, for the time of a demand and then for this one.
        boolean shared = op.question != null && op.question.askers.size() > 1;
        yield shared ? own + lifetimes.operation().plus(lifetimes.preparation()).toNanos() : own;
      }
    };
  }

  /** What is due next until a time happens; false when nothing is. */
  boolean deliverNext(long untilNanos) {
    long due = queue.nextNanos();
    Runnable next = due <= untilNanos ? queue.take() : null;
    if (next == null) {
      return false;
    }
    nowNanos = Math.max(nowNanos, due);
    next.run();
    return true;
  }

  // ---- clients ---------------------------------------------------------------------------------

  void require(Invariant invariant, boolean holds, String what, Object subject) {
    checks.require(invariant, holds, () -> what + ": " + subject);
  }

  /** The same for books, which give way to what clients and devices see of the bug. */
  void suspect(Invariant invariant, boolean holds, String what, Object subject) {
    try {
      require(invariant, holds, "step " + steps + ": " + what, subject);
    } catch (InvariantViolation found) {
      remember(found);
    }
  }

  AnswerChecks answers() {
    return answers;
  }

  Effects effects() {
    return effects;
  }

  /** Later, on the way from a client. */
  void later(long delayNanos, Runnable what) {
    queue.at(nowNanos + delayNanos, what);
  }
}
