package io.orbitkv.manager.dispatch;

import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.Event;
import io.orbitkv.kernel.KernelStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The one writer of the kernel's state. Everybody else sends it messages: clients through a bounded
 * mailbox that makes them wait when it is full; copiers, the backing tier, the device thread and
 * the registration of chunks through a queue of reports that never refuses, because each report
 * belongs to a plan, a page, a registration or a chunk that the kernel knows already.
 *
 * <p>Reports go first: they free what waiting requests need. Work is taken in batches, the commands
 * of each step are carried out before the next step. An uncaught Throwable ends the process: the
 * state behind it can no longer be trusted.
 */
public final class Dispatcher implements AutoCloseable {
  private static final int BATCH = 256;
  private static final String THREAD = "orbitkv-dispatcher";

  /**
   * Keys and pages of waiting messages: some thousand messages as large as a frame are too many.
   */
  private static final long MAILBOX_BYTES = 64L << 20;

  private static final long LONGEST_PARK_NANOS = 1_000_000_000;

  private final KernelPort kernel;
  private final LongSupplier clock;
  private final FatalHandler fatal;
  private final PolicyPort policies;
  private final BackingPort backing;
  private final Copiers copiers;
  private final DispatchMeter meter;
  private final Commands commands;
  private final Parker parker = new Parker();
  private final Mailbox<Work> mailbox;
  // Go before other messages: they free what these wait for, and cost next to nothing.
  private final Mailbox<Event.Taken> acknowledgements;
  private final ConcurrentLinkedQueue<Event> reports = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean tickDue = new AtomicBoolean();
  // When the tick became due that was not handled yet.
  private volatile long tickDueNanos;
  private final AtomicBoolean wakeDue = new AtomicBoolean();
  private final List<Command> outbox = new ArrayList<>();
  private final CompletableFuture<Void> drained = new CompletableFuture<>();
  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private final Thread thread;
  private final long longestParkNanos;
  private final Settling settling = new Settling();
  // The dispatcher's own: when the last step ended, or the last look around began.
  private long nowNanos;
  private long handledDeadline = KernelPort.NO_DEADLINE;
  private volatile boolean stopping;

  /**
   * Makes a dispatcher that does nothing before {@link #start}.
   *
   * @param clock monotonic nanoseconds
   * @param backing of this dispatcher alone, not started yet
   * @param capacity messages of clients that can wait
   * @param afterBatch dispatcher: told of the time after each batch of work, and when somebody woke
   *     the dispatcher
   */
  public Dispatcher(
      KernelPort kernel,
      LongSupplier clock,
      Copiers copiers,
      DeviceThread devices,
      BackingPort backing,
      FatalHandler fatal,
      int capacity,
      LongConsumer afterBatch) {
    this(kernel, clock, copiers, devices, backing, fatal, capacity, afterBatch, DispatchMeter.NONE);
  }

  /**
   * Makes a measured dispatcher that does nothing before {@link #start}.
   *
   * @param clock monotonic nanoseconds
   * @param backing of this dispatcher alone, not started yet
   * @param capacity messages of clients that can wait
   * @param afterBatch dispatcher: told of the time after each batch of work, and when somebody woke
   *     the dispatcher
   * @param meter hears of everything
   */
  public Dispatcher(
      KernelPort kernel,
      LongSupplier clock,
      Copiers copiers,
      DeviceThread devices,
      BackingPort backing,
      FatalHandler fatal,
      int capacity,
      LongConsumer afterBatch,
      DispatchMeter meter) {
    this(
        kernel,
        clock,
        copiers,
        devices,
        backing,
        fatal,
        capacity,
        PolicyPort.none(afterBatch),
        meter,
        LONGEST_PARK_NANOS);
  }

  /**
   * Makes a measured dispatcher that asks policies and does nothing before {@link #start}.
   *
   * @param clock monotonic nanoseconds
   * @param backing of this dispatcher alone, not started yet
   * @param capacity messages of clients that can wait
   * @param policies of this dispatcher alone
   * @param meter hears of everything
   */
  public Dispatcher(
      KernelPort kernel,
      LongSupplier clock,
      Copiers copiers,
      DeviceThread devices,
      BackingPort backing,
      FatalHandler fatal,
      int capacity,
      PolicyPort policies,
      DispatchMeter meter) {
    this(
        kernel,
        clock,
        copiers,
        devices,
        backing,
        fatal,
        capacity,
        policies,
        meter,
        LONGEST_PARK_NANOS);
  }

  /**
   * @param longestParkNanos after which it looks for work that nobody woke it for
   */
  Dispatcher(
      KernelPort kernel,
      LongSupplier clock,
      Copiers copiers,
      DeviceThread devices,
      BackingPort backing,
      FatalHandler fatal,
      int capacity,
      PolicyPort policies,
      DispatchMeter meter,
      long longestParkNanos) {
    this.longestParkNanos = longestParkNanos;
    this.kernel = kernel;
    this.copiers = copiers;
    this.meter = meter;
    this.clock = clock;
    this.fatal = fatal;
    this.policies = policies;
    this.backing = backing;
    this.mailbox = new Mailbox<>(capacity, MAILBOX_BYTES, Work::arrayBytes, parker);
    this.acknowledgements = new Mailbox<>(capacity, parker);
    this.commands =
        new Commands(
            copiers, devices, backing, policies, this::report, () -> drained.complete(null), meter);
    backing.connect(this::report, parker::signal, clock);
    policies.connect(this::report, this::wake);
    this.thread = Thread.ofPlatform().name(THREAD).daemon(true).unstarted(this::run);
  }

  /** Starts the thread of a cell, under a name of its own. */
  public void start(String cell) {
    thread.setName(THREAD + "-" + cell);
    thread.start();
  }

  /** Starts the thread. */
  public void start() {
    thread.start();
  }

  /**
   * Any thread but the dispatcher. Hands over an event of a client; waits while the mailbox is
   * full. Events of one thread are handled in their order, but for an acknowledgement: it names an
   * operation and a revision whose answer was seen, so that it may overtake whatever waits.
   *
   * @return false when the dispatcher has ended
   */
  public boolean submit(Event event) {
    return event instanceof Event.Taken taken
        ? acknowledgements.put(taken)
        : mailbox.put(new Work.Step(event));
  }

  /**
   * Any thread but the dispatcher. Lets a session in, before its first event; waits like {@link
   * #submit}.
   */
  public boolean open(SessionPort session) {
    return mailbox.put(new Work.Opened(session));
  }

  /**
   * Any thread. Hands over the one report of something that the kernel asked for; never blocks,
   * never fails.
   */
  public void report(Event event) {
    reports.add(event);
    parker.signal();
  }

  /** Any thread. The maintenance tick is due; a tick that was not handled yet is not doubled. */
  public void tick() {
    if (!tickDue.get()) {
      tickDueNanos = clock.getAsLong();
      tickDue.set(true);
    }
    parker.signal();
  }

  /** Any thread. There is something for {@code afterBatch} to do. */
  public void wake() {
    wakeDue.set(true);
    parker.signal();
  }

  /**
   * Any thread but the dispatcher. A picture of the kernel, after everything that this thread
   * submitted before. The future is completed on the dispatcher: continue it on a thread of your
   * own. It fails when the dispatcher has ended.
   */
  public CompletableFuture<KernelStatus> inspect() {
    return picture().thenApply(DispatcherPicture::kernel);
  }

  /**
   * Any thread but the dispatcher. Like {@link #inspect}, with what the dispatcher itself knows at
   * that moment.
   */
  public CompletableFuture<DispatcherPicture> picture() {
    CompletableFuture<DispatcherPicture> answer = new CompletableFuture<>();
    if (!mailbox.put(new Work.Inspect(answer))) {
      answer.completeExceptionally(hasEnded());
    }
    return answer;
  }

  /**
   * Any thread but the dispatcher. The deep check of all invariants; a broken one ends the process.
   */
  public CompletableFuture<@Nullable Void> verify() {
    CompletableFuture<@Nullable Void> answer = new CompletableFuture<>();
    if (!mailbox.put(new Work.Verify(answer))) {
      answer.completeExceptionally(hasEnded());
    }
    return answer;
  }

  /**
   * Any thread but the dispatcher. Changes something between two events and lets the kernel hear of
   * it before the next one.
   *
   * @param change dispatcher: makes the change, and the event that tells of it if there is one
   * @return done when the kernel has heard of it. Completed on the dispatcher; fails when that has
   *     ended
   */
  public CompletableFuture<@Nullable Void> change(Supplier<Optional<Event>> change) {
    CompletableFuture<@Nullable Void> answer = new CompletableFuture<>();
    if (!mailbox.put(new Work.Change(change, answer))) {
      answer.completeExceptionally(hasEnded());
    }
    return answer;
  }

  /**
   * Any thread but the dispatcher. Waits until nothing is under way: every policy has heard and
   * answered everything, what it said is done, no page is read, copied, written or waits to be. Two
   * maintenance ticks belong to it; the regular ones stay out for two seconds, and questions to
   * policies have as much time as they take.
   *
   * @return null when everything is settled, otherwise what was under way when the time was over
   * @throws IllegalStateException when the dispatcher has ended
   */
  public @Nullable String settle(Duration within) throws InterruptedException {
    Settling.Wait wait = new Settling.Wait();
    if (!mailbox.put(new Work.Settle(wait))) {
      throw hasEnded();
    }
    try {
      wait.settled().get(within.toNanos(), TimeUnit.NANOSECONDS);
      return null;
    } catch (TimeoutException late) {
      wait.settled().cancel(false);
      return wait.awaited();
    } catch (ExecutionException ended) {
      throw new IllegalStateException(hasEnded().getMessage(), ended);
    }
  }

  /**
   * Any thread. Done once nothing is left after a {@link Event.Drain}. Completed on the dispatcher.
   */
  public CompletableFuture<Void> drained() {
    return drained.copy();
  }

  /** Any thread. Done once the dispatcher has ended, for whatever reason. */
  public CompletableFuture<Void> ended() {
    return ended.copy();
  }

  /** Any thread. About how many messages wait. */
  public int backlog() {
    return mailbox.size() + acknowledgements.size();
  }

  /**
   * Any thread but the dispatcher. Handles what has arrived and ends. Nothing is accepted any more.
   */
  @Override
  public void close() {
    mailbox.close();
    acknowledgements.close();
    stopping = true;
    parker.signal();
    if (!thread.isAlive()) {
      return;
    }
    try {
      thread.join();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    try {
      while (true) {
        long start = clock.getAsLong();
        nowNanos = start;
        boolean worked = takeReports();
        worked |= takeMail();
        worked |= commands.advance();
        worked |= takeTick();
        worked |= wakeDue.getAndSet(false);
        worked |= adviceIsDue();
        if (worked) {
          meter.batched(nowNanos - start);
          policies.advance(nowNanos);
        } else {
          // A place that was claimed before the end is filled in a moment.
          if (stopping && !workWaits() && backlog() == 0) {
            break;
          }
          parker.await(() -> workWaits() || stopping, parkNanos());
        }
        settle();
      }
    } catch (Throwable broken) {
      fatal.fatal(broken);
    } finally {
      stopping = true;
      mailbox.close();
      acknowledgements.close();
      abandonMail();
      settling.abandon(hasEnded());
      commands.abandonSessions();
      ended.complete(null);
    }
  }

  private boolean workWaits() {
    return mailbox.hasMessage()
        || acknowledgements.hasMessage()
        || !reports.isEmpty()
        || tickIsDue()
        || wakeDue.get()
        || commands.workWaits();
  }

  private boolean takeReports() {
    int taken = 0;
    Event event = reports.poll();
    while (event != null) {
      step(event);
      taken++;
      event = taken < BATCH ? reports.poll() : null;
    }
    return taken > 0;
  }

  private boolean takeMail() {
    boolean worked = takeAcknowledgements();
    int taken = 0;
    Work work = mailbox.poll();
    while (work != null) {
      handle(work);
      taken++;
      takeAcknowledgements();
      work = taken < BATCH && reports.isEmpty() ? mailbox.poll() : null;
    }
    return worked || taken > 0;
  }

  private boolean takeAcknowledgements() {
    int taken = 0;
    Event.Taken event = acknowledgements.poll();
    while (event != null) {
      step(event);
      taken++;
      event = taken < BATCH ? acknowledgements.poll() : null;
    }
    return taken > 0;
  }

  private boolean takeTick() {
    boolean deadlineDue = deadlineIsDue();
    boolean regular = tickIsDue();
    if (!regular && !deadlineDue) {
      return false;
    }
    if (regular) {
      meter.maintained(nowNanos - tickDueNanos);
      tickDue.set(false);
    }
    if (deadlineDue) {
      handledDeadline = kernel.nextDeadlineNanos();
    }
    step(new Event.Tick());
    return true;
  }

  private boolean tickIsDue() {
    return tickDue.get() && !settling.holds(clock.getAsLong());
  }

  // A deadline that a tick has not moved waits for the next tick: it is not stepped again and
  // again.
  private boolean deadlineIsDue() {
    long deadline = kernel.nextDeadlineNanos();
    return deadline != KernelPort.NO_DEADLINE
        && deadline != handledDeadline
        && clock.getAsLong() - deadline >= 0;
  }

  private boolean adviceIsDue() {
    long deadline = policies.nextDeadlineNanos();
    return deadline != KernelPort.NO_DEADLINE && deadline - nowNanos <= 0;
  }

  private void settle() {
    if (settling.endsHold(clock.getAsLong())) {
      policies.patient(false);
    }
    settling.forgetCancelled();
    if (!settling.waits() || workWaits()) {
      return;
    }
    String busy = busy();
    if (busy != null) {
      settling.busy(busy);
    } else if (settling.quiet(clock.getAsLong())) {
      step(new Event.Tick());
    }
  }

  /** What is under way, or null. */
  private @Nullable String busy() {
    List<String> thinking = policies.busy(clock.getAsLong());
    if (!thinking.isEmpty()) {
      return "policies " + thinking;
    }
    if (backing.busy()) {
      return "the backing tier";
    }
    if (deadlineIsDue()) {
      return "the kernel";
    }
    KernelStatus status = kernel.status();
    int transfers = status.queuedWrites() + status.writes() + status.reads() + status.copies();
    return transfers == 0 ? null : "[" + transfers + "] copies, reads and writes";
  }

  private long parkNanos() {
    return settling.waits() ? Math.min(Settling.LOOK_NANOS, usualParkNanos()) : usualParkNanos();
  }

  private long usualParkNanos() {
    long deadline = kernel.nextDeadlineNanos();
    long now = clock.getAsLong();
    long park =
        deadline == KernelPort.NO_DEADLINE || deadline == handledDeadline
            ? longestParkNanos
            : Math.clamp(deadline - now, 0, longestParkNanos);
    long advice = policies.nextDeadlineNanos();
    return advice == KernelPort.NO_DEADLINE ? park : Math.clamp(advice - now, 0, park);
  }

  private void handle(Work work) {
    switch (work) {
      case Work.Step step -> step(step.event());
      case Work.Opened opened -> {
        SessionPort session = opened.session();
        commands.opened(session);
        step(new Event.SessionOpened(session.number(), session.boardRecords()));
      }
      case Work.Inspect inspect -> {
        answer(inspect.answer(), this::look);
        nowNanos = clock.getAsLong();
      }
      case Work.Verify verify ->
          answer(
              verify.answer(),
              () -> {
                kernel.verify();
                return null;
              });
      case Work.Settle settle -> {
        policies.patient(true);
        settling.add(settle.waiting(), clock.getAsLong());
      }
      case Work.Change change ->
          answer(
              change.answer(),
              () -> {
                change.change().get().ifPresent(this::step);
                return null;
              });
    }
  }

  private DispatcherPicture look() {
    KernelStatus status = kernel.status();
    return new DispatcherPicture(
        status, copiers.figures(), policies.figures(), policies.variants(status));
  }

  // Whoever waits must hear of a failure too: in a test the process does not end with it.
  private static <T extends @Nullable Object> void answer(
      CompletableFuture<T> waiting, Supplier<T> question) {
    try {
      waiting.complete(question.get());
    } catch (RuntimeException | Error broken) {
      waiting.completeExceptionally(broken);
      throw broken;
    }
  }

  private void step(Event event) {
    long start = nowNanos;
    meter.arrived(event, start);
    if (!commands.before(event, start)) {
      return;
    }
    kernel.step(event, start, outbox::add);
    // Carrying out a command makes no further command: what follows from it arrives as an event.
    for (int i = 0; i < outbox.size(); i++) {
      commands.carryOut(outbox.get(i));
    }
    commands.after(event);
    // One look at the clock: for the end of this step, for what was told in it, for the next one.
    long end = clock.getAsLong();
    nowNanos = end;
    for (int i = 0; i < outbox.size(); i++) {
      meter.told(outbox.get(i), end);
    }
    outbox.clear();
    meter.stepped(end - start);
  }

  private void abandonMail() {
    while (mailbox.size() > 0) {
      Work work = mailbox.poll();
      if (work == null) {
        // Claimed by a producer that fills it in a moment.
        Thread.onSpinWait();
      } else {
        abandon(work);
      }
    }
  }

  private static void abandon(Work work) {
    switch (work) {
      case Work.Inspect inspect -> inspect.answer().completeExceptionally(hasEnded());
      case Work.Verify verify -> verify.answer().completeExceptionally(hasEnded());
      case Work.Change change -> change.answer().completeExceptionally(hasEnded());
      case Work.Settle settle -> settle.waiting().settled().completeExceptionally(hasEnded());
      case Work.Opened opened -> opened.session().ended();
      case Work.Step _ -> {}
    }
  }

  private static IllegalStateException hasEnded() {
    return new IllegalStateException("the Manager has ended");
  }
}
