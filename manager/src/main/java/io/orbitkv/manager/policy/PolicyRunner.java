package io.orbitkv.manager.policy;

import io.orbitkv.api.policy.Policy;
import io.orbitkv.api.policy.PolicyContext;
import io.orbitkv.manager.dispatch.Mailbox;
import io.orbitkv.manager.dispatch.Parker;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
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
  private final AtomicBoolean busy = new AtomicBoolean();
  private volatile long busySinceNanos;

  private final Map<Long, Pending<?>> pending = new LinkedHashMap<>();
  private int questionsOut;
  private long lastTicket;
  private final AtomicLong asked = new AtomicLong();
  private final AtomicLong answered = new AtomicLong();
  private final AtomicLong late = new AtomicLong();
  private final AtomicLong failed = new AtomicLong();
  private final AtomicLong droppedFacts = new AtomicLong();
  private final AtomicLong failedCalls = new AtomicLong();

  private sealed interface Task<P> {
    record Tell<P>(Consumer<? super P> fact) implements Task<P> {}

    record Ask<P>(long ticket, Question<P, ?> question) implements Task<P> {}
  }

  /** What came back: {@code value} is null when the call failed or its answer made no sense. */
  private record Advice(long ticket, long nanos, @Nullable Object value) {}

  private record Pending<A>(long deadlineNanos, A byDefault, Consumer<? super A> answer) {
    // The value was made by the question with this ticket, so it is an A.
    @SuppressWarnings("unchecked")
    void deliver(Object value) {
      answer.accept((A) value);
    }

    void deliverDefault() {
      answer.accept(byDefault);
    }
  }

  /**
   * Makes a runner; the policy is made by {@code create} on its thread after {@link #start}.
   *
   * @param name the policy's name in the configuration
   * @param wakeOwner any thread: makes the owner call {@link #advance} soon
   */
  PolicyRunner(
      String name,
      Function<? super PolicyContext, ? extends P> create,
      PolicyLimits limits,
      LongSupplier clock,
      RunnerContext context,
      Runnable wakeOwner) {
    this.name = name;
    this.create = create;
    this.limits = limits;
    this.clock = clock;
    this.context = context;
    this.wakeOwner = wakeOwner;
    this.tasks = new Mailbox<>(limits.facts() + limits.questions(), parker);
    this.advice = new Mailbox<>(limits.questions(), new Parker());
    this.thread =
        Thread.ofPlatform().name("orbitkv-policy-" + name).daemon(true).unstarted(this::run);
  }

  /** Owner. Starts the thread. */
  public void start() {
    thread.start();
  }

  /** Owner. Tells a fact; dropped and counted when too many wait or nobody listens. */
  public void tell(Consumer<? super P> fact) {
    if (!serves() || tasks.size() >= limits.facts() || !tasks.offer(new Task.Tell<>(fact))) {
      droppedFacts.incrementAndGet();
    }
  }

  /**
   * Owner. Asks a question. {@code answer} hears exactly one answer, on the owner's thread: now
   * (the default, when nobody is there to ask or too many questions are on their way) or in {@link
   * #advance}.
   *
   * @param deadlineNanos by the injected clock
   */
  public <A> void ask(Question<P, A> question, long deadlineNanos, Consumer<? super A> answer) {
    asked.incrementAndGet();
    long ticket = ++lastTicket;
    if (!serves()
        || questionsOut >= limits.questions()
        || !tasks.offer(new Task.Ask<>(ticket, question))) {
      late.incrementAndGet();
      answer.accept(question.byDefault());
      return;
    }
    questionsOut++;
    pending.put(ticket, new Pending<>(deadlineNanos, question.byDefault(), answer));
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
    giveDefaults(nowNanos);
    if (context.timerDue(nowNanos)) {
      parker.signal();
    }
  }

  /** Any thread. The life of the instance. */
  public State state() {
    return state;
  }

  /** Any thread. Calls that threw, facts and timers included. */
  public long failedCalls() {
    return failedCalls.get();
  }

  /** Any thread. Its place in the status. */
  public PolicyStatus status(String slot) {
    return new PolicyStatus(
        slot,
        name,
        state.name().toLowerCase(Locale.ROOT),
        asked.get(),
        answered.get(),
        late.get(),
        failed.get(),
        droppedFacts.get());
  }

  /**
   * Owner. Ends the instance; its open questions get the default. A thread that does not end is
   * left behind.
   */
  @Override
  public void close() {
    boolean wasThere = move(State.STARTING, State.CLOSED) || move(State.RUNNING, State.CLOSED);
    tasks.close();
    giveAllDefaults();
    if (!wasThere || !thread.isAlive()) {
      return;
    }
    try {
      if (!thread.join(PATIENCE)) {
        log.warn("policy [{}] does not return from a call; its thread is left behind", name);
        leaveBehind();
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
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
      waiting.deliverDefault();
    } else if (given.value() == null) {
      failed.incrementAndGet();
      waiting.deliverDefault();
    } else {
      answered.incrementAndGet();
      waiting.deliver(given.value());
    }
  }

  private void giveDefaults(long nowNanos) {
    for (Iterator<Pending<?>> all = pending.values().iterator(); all.hasNext(); ) {
      Pending<?> waiting = all.next();
      if (nowNanos - waiting.deadlineNanos() > 0 || !serves()) {
        all.remove();
        late.incrementAndGet();
        waiting.deliverDefault();
      }
    }
  }

  private void giveAllDefaults() {
    for (Pending<?> waiting : pending.values()) {
      late.incrementAndGet();
      waiting.deliverDefault();
    }
    pending.clear();
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
    leaveBehind();
  }

  // Whoever gets there first decides: the policy's thread and the owner both end an instance.
  private synchronized boolean move(State from, State to) {
    if (state != from) {
      return false;
    }
    state = to;
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
      Task<P> task = tasks.poll();
      if (task != null) {
        handle(policy, task);
      } else if (!context.takeDueTimer(
          clock.getAsLong(), token -> call(() -> policy.onTimer(token)))) {
        parker.await(
            () -> tasks.hasMessage() || !serves() || context.timerDue(clock.getAsLong()),
            parkNanos());
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
      log.error("policy [{}] could not be made: its slot runs the default", name);
    }
    return null;
  }

  private void handle(P policy, Task<P> task) {
    switch (task) {
      case Task.Tell<P>(Consumer<? super P> fact) -> call(() -> fact.accept(policy));
      case Task.Ask<P>(long ticket, Question<P, ?> question) -> {
        AtomicReference<@Nullable Object> value = new AtomicReference<>();
        call(() -> value.set(answer(policy, question)));
        advice.offer(new Advice(ticket, clock.getAsLong(), value.get()));
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
