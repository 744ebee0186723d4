package io.orbitkv.manager.policy;

import io.orbitkv.api.policy.Policy;
import io.orbitkv.api.policy.PolicyContext;
import io.orbitkv.manager.dispatch.Mailbox;
import io.orbitkv.manager.dispatch.Parker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs one policy instance on a thread of its own. Its owner (the dispatcher) tells it facts and
 * asks it questions without ever waiting; {@link #advance} hands back what came in time, and the
 * default for the rest.
 *
 * <p>A Java call that loops cannot be stopped. A policy that does not return from a call for a
 * second is abandoned: its thread gets the lowest priority, everything it was or will be asked gets
 * the default, and nobody restarts it.
 *
 * @param <P> the contract of the slot
 */
public final class PolicyRunner<P extends Policy> implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(PolicyRunner.class);
  private static final long LONGEST_PARK_NANOS = 1_000_000_000;
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  /** {@link #nextDeadlineNanos} when no question is open. */
  static final long NONE_OPEN = Long.MAX_VALUE;

  /** Life of an instance. */
  public enum State {
    /** Being made on its thread. */
    STARTING,
    /** At work. */
    RUNNING,
    /** Could not be made. */
    FAILED,
    /** Stuck in a call. */
    ABANDONED,
    /** Ended by its owner. */
    CLOSED
  }

  private final String name;
  private final Function<? super PolicyContext, ? extends P> create;
  private final PolicyLimits limits;
  private final LongSupplier clock;
  private final RunnerContext context;
  private final Runnable wakeOwner;
  private final Parker parker = new Parker();
  private final Mailbox<Task<P>> tasks;
  private final Mailbox<Advice> advice;
  private final Thread thread;
  private volatile State state = State.STARTING;
  private final CompletableFuture<Void> begun = new CompletableFuture<>();
  private final AtomicBoolean busy = new AtomicBoolean();
  private volatile long busySinceNanos;

  /** The thread has nothing to do and has not looked for anything since. */
  private volatile boolean resting;

  // Whoever takes tasks out holds it: the policy's thread one at a time, or the owner the rest.
  private final Object taking = new Object();
  private final Map<Long, Pending<?>> pending = new LinkedHashMap<>();
  private long earliestDeadlineNanos = NONE_OPEN;
  private int questionsOut;
  private long lastTicket;
  private final AtomicLong asked = new AtomicLong();
  private final AtomicLong answered = new AtomicLong();
  private final AtomicLong late = new AtomicLong();
  private final AtomicLong failed = new AtomicLong();
  private final AtomicLong droppedFacts = new AtomicLong();
  private final AtomicLong failedCalls = new AtomicLong();

  private sealed interface Task<P> {
    record Tell<P>(Consumer<? super P> fact, Runnable done) implements Task<P> {}

    record Ask<P>(long ticket, long deadlineNanos, Question<P, ?> question) implements Task<P> {}
  }

  /**
   * What came back.
   *
   * @param nanos when
   * @param callNanos how long the call took
   * @param value null when the call failed or its answer made no sense, or there was no call
   */
  private record Advice(long ticket, long nanos, long callNanos, @Nullable Object value) {}

  private record Pending<A>(
      long deadlineNanos, A byDefault, Consumer<? super Reply<? extends A>> answer) {
    // The value was made by the question with this ticket, so it is an A.
    @SuppressWarnings("unchecked")
    void deliver(Object value, long callNanos) {
      answer.accept(new Reply<>((A) value, Reply.Outcome.ANSWERED, callNanos));
    }

    void deliverDefault(Reply.Outcome outcome, long callNanos) {
      answer.accept(new Reply<>(byDefault, outcome, callNanos));
    }
  }

  /**
   * Makes a runner; the policy is made by {@code create} on its thread after {@link #start}.
   *
   * @param name the policy's name in the configuration
   * @param wakeOwner any thread: makes the owner call {@link #advance} soon
   * @param loader of the policy's classes, for its thread
   */
  PolicyRunner(
      String name,
      Function<? super PolicyContext, ? extends P> create,
      PolicyLimits limits,
      LongSupplier clock,
      RunnerContext context,
      Runnable wakeOwner,
      @Nullable ClassLoader loader) {
    this.name = name;
    this.create = create;
    this.limits = limits;
    this.clock = clock;
    this.context = context;
    this.wakeOwner = wakeOwner;
    this.tasks = new Mailbox<>(limits.facts() + limits.questions(), parker);
    this.advice = new Mailbox<>(limits.questions(), new Parker());
    this.thread =
        Thread.ofPlatform()
            .name("orbitkv-policy-" + name)
            .daemon(true)
            .inheritInheritableThreadLocals(false)
            .unstarted(this::run);
    thread.setContextClassLoader(loader);
  }

  /** Owner. Starts the thread. */
  public void start() {
    thread.start();
  }

  /**
   * Owner. Tells a fact; dropped and counted when too many wait or nobody listens.
   *
   * @return whether it waits for the policy now
   */
  boolean tell(Consumer<? super P> fact) {
    return tell(fact, () -> {});
  }

  /**
   * Owner. The same of a fact that lends something to the policy.
   *
   * @param done the policy does not use it any more, and never will. Policy thread or owner
   * @return whether it waits for the policy now; {@code done} was called otherwise
   */
  boolean tell(Consumer<? super P> fact, Runnable done) {
    if (serves() && tasks.size() < limits.facts() && tasks.offer(new Task.Tell<>(fact, done))) {
      return true;
    }
    droppedFacts.incrementAndGet();
    done.run();
    return false;
  }

  /**
   * Owner. Asks a question. {@code answer} hears exactly one answer, on the owner's thread: now
   * (the default, when nobody is there to ask or too many questions are on their way) or in {@link
   * #advance}.
   *
   * @param deadlineNanos by the injected clock
   */
  <A> void ask(
      Question<P, A> question, long deadlineNanos, Consumer<? super Reply<? extends A>> answer) {
    asked.incrementAndGet();
    long ticket = ++lastTicket;
    if (!serves()
        || questionsOut >= limits.questions()
        || !tasks.offer(new Task.Ask<>(ticket, deadlineNanos, question))) {
      late.incrementAndGet();
      question.done().run();
      answer.accept(new Reply<>(question.byDefault(), Reply.Outcome.LATE, 0));
      return;
    }
    questionsOut++;
    pending.put(ticket, new Pending<A>(deadlineNanos, question.byDefault(), answer));
    earliestDeadlineNanos = Math.min(earliestDeadlineNanos, deadlineNanos);
  }

  /**
   * Owner, often. Hands out what came back, gives defaults where the deadline has passed, notices a
   * policy that is stuck and wakes one whose timer is due.
   */
  public void advance(long nowNanos) {
    takeAdvice();
    if (stuck(nowNanos)) {
      abandon();
    }
    if (state == State.FAILED && tasks.hasMessage()) {
      discardTasks();
    }
    giveDefaults(nowNanos);
    if (context.timerDue(nowNanos)) {
      parker.signal();
    }
  }

  /** Any thread. The life of the instance. */
  public State state() {
    return state;
  }

  /** Any thread. Done once the policy is made, or could not be. */
  CompletableFuture<Void> begun() {
    return begun.copy();
  }

  /** Any thread. Calls that threw, facts and timers included. */
  public long failedCalls() {
    return failedCalls.get();
  }

  /** Any thread. Questions so far. */
  long asked() {
    return asked.get();
  }

  /** Any thread. Questions that the policy answered in time and with sense. */
  long answered() {
    return answered.get();
  }

  /** Any thread. Questions that got the default because no answer was there in time. */
  long late() {
    return late.get();
  }

  /** Any thread. Questions that got the default because the call failed or made no sense. */
  long failed() {
    return failed.get();
  }

  /** Any thread. Facts that nobody took. */
  long droppedFacts() {
    return droppedFacts.get();
  }

  /** Owner. Questions that have no answer so far. */
  int open() {
    return pending.size();
  }

  /**
   * Owner. Whether everything that it was told and asked is done, and no timer of it is due. Nobody
   * but the owner gives it work, so it stays idle until the owner does, or until a timer is due.
   */
  boolean idle(long nowNanos) {
    if (!pending.isEmpty() || advice.size() > 0) {
      return false;
    }
    // In this order: whoever took the last task or timer is not resting since.
    return !serves() || (!tasks.hasMessage() && !context.timerDue(nowNanos) && resting);
  }

  /** Owner. After which time {@link #advance} gives the next default, or {@link #NONE_OPEN}. */
  long nextDeadlineNanos() {
    return earliestDeadlineNanos;
  }

  /** Any thread. Whether its thread has ended, or was never started. */
  boolean threadEnded() {
    return !thread.isAlive();
  }

  /**
   * Owner. Ends the instance and returns at once; its open questions get the default. Its thread
   * ends when the call that it is in returns.
   */
  void end() {
    if (move(State.STARTING, State.CLOSED) || move(State.RUNNING, State.CLOSED)) {
      tasks.close();
      discardTasks();
      parker.signal();
    }
    giveAllDefaults();
  }

  /**
   * Owner, after {@link #end}, often. Gives up a thread that is stuck in a call.
   *
   * @return whether it is given up
   */
  boolean leaveBehindIfStuck(long nowNanos) {
    if (threadEnded() || !stuck(nowNanos)) {
      return false;
    }
    log.warn("policy [{}] does not return from a call; its thread is left behind", name);
    leaveBehind();
    return true;
  }

  /**
   * Owner, after {@link #end}. Waits for the thread; one that was given up is not waited for.
   *
   * @return whether it has ended
   */
  boolean awaitEnd(Duration patience) {
    if (threadEnded()) {
      return true;
    }
    if (state == State.ABANDONED) {
      return false;
    }
    try {
      if (thread.join(patience)) {
        return true;
      }
      log.warn("policy [{}] does not return from a call; its thread is left behind", name);
      leaveBehind();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    return false;
  }

  /**
   * Owner. Ends the instance; its open questions get the default. A thread that does not end is
   * left behind.
   */
  @Override
  public void close() {
    end();
    awaitEnd(PATIENCE);
  }

  private boolean serves() {
    State now = state;
    return now == State.STARTING || now == State.RUNNING;
  }

  private void takeAdvice() {
    Advice next = advice.poll();
    while (next != null) {
      questionsOut--;
      Pending<?> waiting = pending.remove(next.ticket());
      // Without an entry the default was given already and counted as late.
      if (waiting != null) {
        settle(waiting, next);
      }
      next = advice.poll();
    }
  }

  private void settle(Pending<?> waiting, Advice given) {
    if (given.nanos() - waiting.deadlineNanos() > 0) {
      late.incrementAndGet();
      waiting.deliverDefault(Reply.Outcome.LATE, given.callNanos());
    } else if (given.value() == null) {
      failed.incrementAndGet();
      waiting.deliverDefault(Reply.Outcome.FAILED, given.callNanos());
    } else {
      answered.incrementAndGet();
      waiting.deliver(given.value(), given.callNanos());
    }
  }

  private void giveDefaults(long nowNanos) {
    if (pending.isEmpty()) {
      earliestDeadlineNanos = NONE_OPEN;
      return;
    }
    List<Pending<?>> late = new ArrayList<>();
    long earliest = NONE_OPEN;
    boolean serves = serves();
    for (Iterator<Pending<?>> all = pending.values().iterator(); all.hasNext(); ) {
      Pending<?> waiting = all.next();
      if (nowNanos - waiting.deadlineNanos() > 0 || !serves) {
        all.remove();
        late.add(waiting);
      } else {
        earliest = Math.min(earliest, waiting.deadlineNanos());
      }
    }
    earliestDeadlineNanos = earliest;
    late.forEach(this::tooLate);
  }

  private void tooLate(Pending<?> waiting) {
    late.incrementAndGet();
    waiting.deliverDefault(Reply.Outcome.LATE, 0);
  }

  private void giveAllDefaults() {
    List<Pending<?>> open = List.copyOf(pending.values());
    pending.clear();
    earliestDeadlineNanos = NONE_OPEN;
    open.forEach(this::tooLate);
  }

  // The policy's thread takes nothing out any more: its state says that it has ended.
  private void discardTasks() {
    synchronized (taking) {
      Task<P> task = tasks.poll();
      while (task != null) {
        switch (task) {
          case Task.Tell<P> tell -> {
            droppedFacts.incrementAndGet();
            tell.done().run();
          }
          case Task.Ask<P> ask -> {
            questionsOut--;
            ask.question().done().run();
          }
        }
        task = tasks.poll();
      }
    }
  }

  private @Nullable Task<P> nextTask() {
    synchronized (taking) {
      return serves() ? tasks.poll() : null;
    }
  }

  private boolean stuck(long nowNanos) {
    return busy.get() && nowNanos - busySinceNanos >= limits.stuckAfter().toNanos();
  }

  private void abandon() {
    if (!move(State.RUNNING, State.ABANDONED) && !move(State.STARTING, State.ABANDONED)) {
      return;
    }
    log.error(
        "policy [{}] did not return from a call for [{}] ms: it is abandoned and its slot runs the"
            + " default; its classes stay loaded",
        name,
        limits.stuckAfter().toMillis());
    tasks.close();
    discardTasks();
    leaveBehind();
  }

  // Whoever gets there first decides: the policy's thread and the owner both end an instance.
  private synchronized boolean move(State from, State to) {
    if (state != from) {
      return false;
    }
    state = to;
    begun.complete(null);
    return true;
  }

  // Not for correctness: a loop that cannot be stopped shall at least not take time from others.
  @SuppressWarnings("ThreadPriorityCheck")
  private void leaveBehind() {
    thread.setPriority(Thread.MIN_PRIORITY);
    thread.interrupt();
  }

  private void run() {
    P policy = make();
    if (policy == null) {
      return;
    }
    while (serves()) {
      Task<P> task = nextTask();
      if (task != null) {
        handle(policy, task);
      } else if (!context.takeDueTimer(
          clock.getAsLong(), token -> call(() -> policy.onTimer(token)))) {
        resting = true;
        parker.await(
            () -> tasks.hasMessage() || !serves() || context.timerDue(clock.getAsLong()),
            parkNanos());
        resting = false;
      }
    }
  }

  private @Nullable P make() {
    AtomicReference<@Nullable P> made = new AtomicReference<>();
    if (call(() -> made.set(create.apply(context))) && made.get() != null) {
      move(State.STARTING, State.RUNNING);
      return made.get();
    }
    if (move(State.STARTING, State.FAILED)) {
      tasks.close();
      wakeOwner.run();
      log.error("policy [{}] could not be made: its slot runs the default", name);
    }
    return null;
  }

  private void handle(P policy, Task<P> task) {
    switch (task) {
      case Task.Tell<P> tell -> {
        call(() -> tell.fact().accept(policy));
        tell.done().run();
      }
      case Task.Ask<P> ask -> {
        AtomicReference<@Nullable Object> value = new AtomicReference<>();
        long start = clock.getAsLong();
        long end = start;
        // Nobody waits for a late answer: without the call the policy catches up.
        if (start - ask.deadlineNanos() <= 0) {
          call(() -> value.set(answer(policy, ask.question())));
          end = clock.getAsLong();
        }
        ask.question().done().run();
        advice.offer(new Advice(ask.ticket(), end, end - start, value.get()));
        wakeOwner.run();
      }
    }
  }

  private <A> @Nullable A answer(P policy, Question<P, A> question) {
    A answer = question.call().apply(policy);
    if (answer == null || !question.sensible().test(answer)) {
      log.debug("policy [{}] answered [{}], which makes no sense", name, answer);
      return null;
    }
    return answer;
  }

  // Whatever a policy throws, an Error of its class loading included, costs a counter and nothing
  // else.
  private boolean call(Runnable work) {
    busySinceNanos = clock.getAsLong();
    busy.set(true);
    try {
      work.run();
      return true;
    } catch (Throwable thrown) {
      if (failedCalls.incrementAndGet() == 1) {
        log.warn("policy [{}] threw; further exceptions are only counted", name, thrown);
      }
      return false;
    } finally {
      busy.set(false);
    }
  }

  private long parkNanos() {
    long next = context.nextTimerNanos();
    if (next == RunnerContext.NO_TIMER) {
      return LONGEST_PARK_NANOS;
    }
    return Math.clamp(next - clock.getAsLong(), 1, LONGEST_PARK_NANOS);
  }
}
