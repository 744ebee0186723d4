package io.orbitkv.manager.shadow;

import io.orbitkv.api.backing.BackingUsage;
import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.Event;
import io.orbitkv.manager.dispatch.Mailbox;
import io.orbitkv.manager.dispatch.Parker;
import io.orbitkv.manager.policy.PolicySpec;
import io.orbitkv.manager.policy.ShadowPlan;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shadows of a running Manager. The dispatcher hands over what it hears, which costs it a place in
 * a bounded queue and never a wait; one thread of the lowest priority does the rest. When that is
 * behind, whole lookups and publishes are dropped for all miniatures alike, and counted.
 *
 * <p>A policy that does not return from a call for a second keeps that thread; another one goes on
 * with the other miniatures. One that throws or answers nonsense loses its miniature alone. None of
 * it reaches a request.
 */
public final class Shadows implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Shadows.class);
  private static final int QUEUE = 4096;
  private static final long QUEUE_BYTES = 16L << 20;
  private static final int BATCH = 64;
  private static final long REST_NANOS = 50_000_000;
  private static final long IDLE_NANOS = 1_000_000_000;
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  private final Parts parts;
  // Nobody parks in it: the dispatcher must not pay for waking a thread that looks by itself.
  private final Mailbox<Told> queue =
      new Mailbox<>(QUEUE, QUEUE_BYTES, Told::arrayBytes, new Parker());
  private final PageSizes pageSizes = new PageSizes();
  private final AtomicLong offered = new AtomicLong();
  private final AtomicLong dropped = new AtomicLong();
  private final ShadowWorker worker;
  private volatile Wanted wanted = new Wanted(ShadowPlan.NONE, 0, "start", Map.of(), 0);
  private volatile boolean closed;
  private volatile @Nullable Lane lane;
  private @Nullable Thread thread;

  /**
   * What a miniature is a share of.
   *
   * @param dramBytes host memory for pages
   * @param backed whether there is a backing tier
   * @param ssd that as it was known last; any thread, never waits
   * @param clock monotonic nanoseconds, that of the dispatcher
   */
  public record Parts(
      long dramBytes, boolean backed, Supplier<Optional<BackingUsage>> ssd, LongSupplier clock) {}

  /** Something that the dispatcher heard. */
  record Told(Event event, long nanos) {
    long arrayBytes() {
      return switch (event) {
        case Event.Submit submit -> 8L * submit.keys().length;
        case Event.Publish publish -> 8L * publish.keys().length;
        default -> 0;
      };
    }
  }

  /**
   * What there is to be miniatures of.
   *
   * @param epoch of the policies
   * @param cause of the last change
   * @param serving policies by slot; a slot that is absent runs what is built in
   * @param evictions so many times everything was evicted
   */
  record Wanted(
      ShadowPlan plan,
      long epoch,
      String cause,
      Map<PolicySlot, PolicySpec> serving,
      long evictions) {
    Wanted {
      Map<PolicySlot, PolicySpec> known = new EnumMap<>(PolicySlot.class);
      serving.forEach((slot, spec) -> {
        if (ShadowPlan.SLOTS.contains(slot)) {
          known.put(slot, spec);
        }
      });
      serving = known;
    }

    /** Whether miniatures of the other are miniatures of this one. */
    boolean same(Wanted other) {
      return plan.same(other.plan)
          && evictions == other.evictions
          && identities().equals(other.identities());
    }

    private Map<PolicySlot, Object> identities() {
      Map<PolicySlot, Object> identities = new EnumMap<>(PolicySlot.class);
      serving.forEach((slot, spec) -> identities.put(slot, spec.identity()));
      return identities;
    }
  }

  /** No shadows so far. */
  public Shadows(Parts parts) {
    this.parts = parts;
    this.worker = new ShadowWorker(parts, pageSizes::of);
  }

  // ---- what is wanted ------------------------------------------------------------------------

  /**
   * Any thread but the dispatcher. Other shadows from now on; the miniatures begin anew when they
   * are others than before.
   *
   * @return whether they are
   */
  public synchronized boolean configure(ShadowPlan plan) {
    Wanted now = wanted;
    if (closed || plan.same(now.plan())) {
      return false;
    }
    wanted = new Wanted(plan, now.epoch(), "shadows", now.serving(), now.evictions());
    Thread running = thread;
    if (running != null) {
      LockSupport.unpark(running);
    } else if (!plan.shadows().isEmpty()) {
      startLane();
    }
    return true;
  }

  /**
   * Dispatcher, before its start the boot thread. Other policies serve: the miniatures begin anew,
   * all of them empty, because what a new policy would have kept until now nobody knows.
   *
   * @param serving by slot; a slot that is absent runs what is built in
   */
  public synchronized void serving(long epoch, String cause, Map<PolicySlot, PolicySpec> serving) {
    Wanted now = wanted;
    wanted = new Wanted(now.plan(), epoch, cause, serving, now.evictions());
  }

  // ---- the dispatcher's side -----------------------------------------------------------------

  /** Whether anybody wants to hear. */
  boolean listens() {
    return !wanted.plan().shadows().isEmpty();
  }

  void registering(Event.Register register) {
    pageSizes.registering(register);
  }

  void registered(Command.Registered registered) {
    pageSizes.registered(registered);
  }

  void attached(Command.Attached attached) {
    pageSizes.attached(attached);
  }

  void submitted(Event.Submit submit, long nowNanos) {
    switch (submit.kind()) {
      case DEMAND, PRODUCER_WAIT, SELECTED -> lookup(submit, nowNanos);
      case PREPARE -> {
        boolean _ = queue.offer(new Told(submit, nowNanos));
      }
      case DISCOVER, WARM -> {}
    }
  }

  void claimed(Event.Claim claim, long nowNanos) {
    if (claim.countLookup()) {
      lookup(claim, nowNanos);
    }
  }

  private void lookup(Event event, long nowNanos) {
    offered.incrementAndGet();
    if (!queue.offer(new Told(event, nowNanos))) {
      dropped.incrementAndGet();
    }
  }

  void published(Event.Publish publish, long nowNanos) {
    if (publish.group() == 0) {
      boolean _ = queue.offer(new Told(publish, nowNanos));
    }
  }

  synchronized void evicted() {
    Wanted now = wanted;
    wanted = new Wanted(now.plan(), now.epoch(), "evict", now.serving(), now.evictions() + 1);
  }

  /** Often. Gives up a thread that a policy keeps; another one goes on. */
  void watch() {
    Lane now = lane;
    if (now != null && now.takeAwayIfStuck(parts.clock().getAsLong(), PATIENCE.toNanos())) {
      replaceLane();
    }
  }

  // ---- the thread ----------------------------------------------------------------------------

  private synchronized void replaceLane() {
    leaveBehind(thread);
    thread = null;
    if (!closed) {
      log.error(
          "a shadow policy did not return from a call for [{}] ms: its miniature is abandoned and"
              + " its classes stay loaded; requests are not concerned",
          PATIENCE.toMillis());
      startLane();
    }
  }

  // Not for correctness: requests go first, and a loop that cannot be stopped goes last.
  @SuppressWarnings("ThreadPriorityCheck")
  private synchronized void startLane() {
    Lane mine = new Lane();
    boolean replaces = lane != null;
    lane = mine;
    Thread started =
        Thread.ofPlatform()
            .name("orbitkv-shadows")
            .daemon(true)
            .inheritInheritableThreadLocals(false)
            .unstarted(() -> run(mine, replaces));
    started.setPriority(Thread.MIN_PRIORITY);
    thread = started;
    started.start();
  }

  private static void leaveBehind(@Nullable Thread stuck) {
    if (stuck != null) {
      stuck.interrupt();
    }
  }

  private void run(Lane mine, boolean replaces) {
    try {
      worker.enter(mine);
      if (replaces) {
        worker.goOn(PATIENCE.toMillis());
      }
      while (!closed) {
        worker.adjust(wanted);
        boolean worked = takeBatch();
        worker.pass(parts.clock().getAsLong());
        if (!worked) {
          LockSupport.parkNanos(this, listens() ? REST_NANOS : IDLE_NANOS);
        }
      }
    } catch (Lane.GoneException gone) {
      log.debug("a thread of the shadows came back too late", gone);
    } catch (Throwable broken) {
      // Ours, not a policy's. Requests must not hear of it: what comes is dropped from now on.
      log.error("the shadows have ended: requests are not concerned", broken);
      worker.broke(broken);
    }
  }

  private boolean takeBatch() {
    int taken = 0;
    Told told = queue.poll();
    while (told != null) {
      worker.handle(told);
      taken++;
      told = taken < BATCH ? queue.poll() : null;
    }
    worker.publish();
    return taken > 0;
  }

  // ---- pictures ------------------------------------------------------------------------------

  /** Any thread. What the miniatures have found so far. */
  public ShadowFigures figures() {
    // In this order: what is counted as done was offered before.
    ShadowFigures done = worker.figures();
    long droppedNow = dropped.get();
    long offeredNow = offered.get();
    ShadowFigures.Lookups of = done.lookups();
    ShadowFigures.Lookups lookups =
        new ShadowFigures.Lookups(offeredNow, of.sampled(), of.others(), droppedNow, of.leftOut());
    return listens()
        ? new ShadowFigures(
            done.state().equals("off") ? "waiting" : done.state(),
            done.trouble(),
            done.epoch(),
            done.cause(),
            done.share(),
            done.dramPages(),
            done.ssdPages(),
            done.knownPages(),
            done.turnedOver(),
            lookups,
            done.miniatures())
        : ShadowFigures.off(lookups);
  }

  /**
   * After the dispatcher has ended, before the plugins do. A thread that a policy keeps is left
   * behind.
   */
  @Override
  public void close() {
    Thread ending;
    Lane last;
    synchronized (this) {
      closed = true;
      ending = thread;
      last = lane;
    }
    if (ending == null || last == null) {
      return;
    }
    LockSupport.unpark(ending);
    try {
      if (!ending.join(PATIENCE)) {
        boolean _ = last.takeAway();
        log.warn("a shadow policy does not return from a call; its thread is left behind");
        leaveBehind(ending);
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
