package io.orbitkv.kernel.machine;

import io.orbitkv.api.backing.StoredKey;
import io.orbitkv.api.copy.CopyOutcome;
import io.orbitkv.api.memory.MemoryTier;
import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.api.policy.TierKind;
import io.orbitkv.api.query.ErrorCode;
import io.orbitkv.kernel.BrokenInvariant;
import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.Event;
import io.orbitkv.kernel.KernelSettings;
import io.orbitkv.kernel.KernelStatus;
import io.orbitkv.kernel.Outbox;
import io.orbitkv.kernel.WriteAdmission;
import io.orbitkv.kernel.budget.Budget;
import io.orbitkv.kernel.budget.Permits;
import io.orbitkv.kernel.instance.Domains;
import io.orbitkv.kernel.instance.Instance;
import io.orbitkv.kernel.instance.Registration;
import io.orbitkv.kernel.lease.Lease;
import io.orbitkv.kernel.lease.Leases;
import io.orbitkv.kernel.operation.Operation;
import io.orbitkv.kernel.operation.PageUse;
import io.orbitkv.kernel.operation.PendingKeys;
import io.orbitkv.kernel.operation.PublishOperation;
import io.orbitkv.kernel.operation.Queries;
import io.orbitkv.kernel.operation.QueryOperation;
import io.orbitkv.kernel.operation.Replies;
import io.orbitkv.kernel.operation.RestoreOperation;
import io.orbitkv.kernel.operation.Session;
import io.orbitkv.kernel.operation.Sessions;
import io.orbitkv.kernel.operation.SubmitProblem;
import io.orbitkv.kernel.partition.Partition;
import io.orbitkv.kernel.policy.Asked;
import io.orbitkv.kernel.policy.Lineage;
import io.orbitkv.kernel.read.Reads;
import io.orbitkv.kernel.registration.Registrar;
import io.orbitkv.kernel.residency.PageState;
import io.orbitkv.kernel.residency.Residency;
import io.orbitkv.kernel.residency.Retention;
import io.orbitkv.kernel.residency.StoredPages;
import io.orbitkv.kernel.step.Step;
import io.orbitkv.kernel.transfer.DurableSyncs;
import io.orbitkv.kernel.transfer.Evictions;
import io.orbitkv.kernel.transfer.Geometries;
import io.orbitkv.kernel.transfer.Plans;
import io.orbitkv.kernel.transfer.Publishes;
import io.orbitkv.kernel.transfer.Restores;
import io.orbitkv.kernel.transfer.StoreTickets;
import io.orbitkv.kernel.transfer.Writes;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * The kernel: all state of sessions, instances, queries, leases, budgets and pages. One event goes
 * in, commands come out. It starts no thread, reads no clock and opens no file; the same events,
 * times and random numbers give the same commands.
 *
 * <p>Every method is called on the dispatcher. What a client does wrong is refused; what the
 * Manager does wrong, and books that do not agree, is a {@link BrokenInvariant}, after which the
 * process must end.
 *
 * <p>A message about something that has ended already (a late commit, cancel, acknowledgement or
 * release) changes nothing and gets no reply, since clients cannot help sending them.
 */
public final class Kernel {
  private final MemoryTier memory;
  private final Step step;
  private final Sessions sessions = new Sessions();
  private final Replies replies;
  private final Partition partition;
  private final PendingKeys pendingKeys;
  private final Queries queries;
  private final Plans plans;
  private final Restores restores;
  private final Publishes publishes;
  private final Registrar registrar;
  private final Permits permits;
  private final StoredPages stored;
  private final Domains domains = new Domains();
  private final Reads reads;
  private final Writes writes;
  private final StoreTickets storeTickets = new StoreTickets();
  private final DurableSyncs durables;
  private final Geometries geometries;
  private final Evictions evictions;
  private final Asked asked = new Asked();
  private final Lineage lineage = new Lineage(Lineage.MOST_PAGES);
  private final Retention retention;
  private boolean drained;

  /**
   * An empty kernel.
   *
   * @param settings limits and times
   * @param memory called on the dispatcher; stays the caller's to close
   * @param random names leases: give a seeded one for replay, an unpredictable one in production
   */
  public Kernel(KernelSettings settings, MemoryTier memory, RandomGenerator random) {
    this(settings, memory, random, WriteAdmission.ALL);
  }

  /**
   * An empty kernel that asks what is to be written to the backing tier.
   *
   * @param settings limits and times
   * @param memory called on the dispatcher; stays the caller's to close
   * @param random names leases
   * @param admission asked on the dispatcher
   */
  public Kernel(
      KernelSettings settings,
      MemoryTier memory,
      RandomGenerator random,
      WriteAdmission admission) {
    this.memory = memory;
    step = new Step(settings, random);
    replies = new Replies(step);
    Residency residency = new Residency(memory, settings.maxPages(), step.counters());
    Budget budget = new Budget(settings.budget());
    Leases leases = new Leases(step, residency, budget);
    partition = new Partition(residency, budget, leases);
    permits = new Permits(settings.limits());
    stored = new StoredPages(settings.writes().maxStoredPages(), step.counters());
    pendingKeys = new PendingKeys(KernelSettings.PENDING_KEY_BYTES);
    reads = new Reads(step, residency, stored, domains, budget, permits, asked);
    writes = new Writes(step, residency, stored, domains, admission, asked, lineage);
    durables = new DurableSyncs(step, replies, writes, storeTickets);
    geometries = new Geometries(step, domains, storeTickets);
    queries =
        new Queries(
            step,
            sessions,
            replies,
            partition,
            permits,
            reads,
            pendingKeys,
            asked,
            lineage,
            new Uses(writes));
    plans = new Plans(step, residency);
    restores = new Restores(step, replies, partition, queries, plans);
    publishes =
        new Publishes(
            step, replies, residency, plans, pendingKeys, writes, durables, asked, lineage);
    registrar =
        new Registrar(step, sessions, replies, partition, queries, publishes, domains, geometries);
    evictions = new Evictions(step, replies, residency, stored, reads, writes, storeTickets);
    retention = new Retention(step, asked, residency, stored, domains::stored);
  }

  /**
   * Handles one event.
   *
   * @param event its arrays belong to the kernel from now on
   * @param nowNanos monotonic time; a value below an earlier one counts as that one
   * @param outbox gets the commands, in order
   * @throws BrokenInvariant when the books do not agree: end the process
   */
  public void step(Event event, long nowNanos, Outbox outbox) {
    step.begin(nowNanos, outbox);
    handle(event);
    queries.pump();
    evictions.pump();
    writes.pump();
    durables.pump();
    retention.pump();
    partition.check();
    tellDrained();
    step.end();
  }

  private void handle(Event event) {
    switch (event) {
      case Event.Submit e -> submit(e);
      case Event.Taken e -> {
        Session session = sessions.get(e.session());
        if (session != null) {
          queries.taken(session, e.operation(), e.revision());
        }
      }
      case Event.Release e -> release(e);
      case Event.Restore e -> {
        Session session = sessions.get(e.session());
        if (session != null) {
          restores.restore(session, e, session.worker(e.instance()));
        }
      }
      case Event.StageWaited e -> {
        Session session = sessions.get(e.session());
        if (session != null) {
          session.stageWaited(e.operation());
        }
      }
      case Event.CopySubmitted e -> {
        if (plans.running(e.plan()).owner() instanceof RestoreOperation restore) {
          restores.submitted(restore);
        } else {
          throw new BrokenInvariant("plan [" + e.plan() + "] is staged, but no restore's");
        }
      }
      case Event.CopyCompleted e -> copyCompleted(e);
      case Event.Publish e -> publish(e);
      case Event.Commit e -> commit(e);
      case Event.Cancel e -> cancel(e);
      case Event.Ask e -> ask(e);
      case Event.Claim e -> {
        Session session = sessions.get(e.session());
        if (session != null) {
          queries.claim(session, e);
        }
      }
      case Event.Queue e -> queue(e);
      case Event.Lookahead e -> {
        Instance instance = registrar.live(e.instance());
        if (instance != null && !step.draining()) {
          queries.lookahead(instance, e);
        }
      }
      case Event.Warming e -> {
        Instance instance = registrar.live(e.instance());
        if (instance != null && !step.draining()) {
          queries.warm(instance, e);
        }
      }
      case Event.Policies e -> policies(e);
      case Event.Advice e -> advice(e);
      case Event.PageStored e -> stored.add(domains.of(e.key()), high(e.key()), low(e.key()));
      case Event.PagesStored e -> storedPages(e.keys());
      case Event.PageLost e -> stored.remove(domains.of(e.key()), high(e.key()), low(e.key()));
      case Event.PageRead e -> reads.completed(e);
      case Event.PageWritten e -> writes.completed(e);
      case Event.WriteAllowance e -> writes.allowance(e.bytes());
      case Event.StoreFlushed e -> durables.flushed(e);
      case Event.StoreForgot e -> {
        if (!evictions.forgot(e) && !geometries.forgot(e)) {
          throw new BrokenInvariant(
              "the store forgot pages for request [" + e.ticket() + "], which does not run");
        }
      }
      case Event.SessionOpened e -> sessions.open(e.session(), e.boardRecords());
      case Event.SessionClosed e -> sessionClosed(e);
      case Event.Register e -> register(e);
      case Event.Attach e -> attach(e);
      case Event.Unregister e -> {
        Session session = sessions.get(e.session());
        if (session != null) {
          registrar.unregister(session, e);
        }
      }
      case Event.DeviceOpened e -> registrar.deviceOpened(e.registration(), e.memory());
      case Event.DeviceFailed e -> registrar.deviceFailed(e.registration(), e.message());
      case Event.DeviceClosed e -> registrar.deviceClosed(e.registration());
      case Event.EngineStats e -> {
        Instance instance = registrar.live(e.instance());
        if (instance != null && e.prefillTokensPerSecond() > 0) {
          instance.prefillTokensPerSecond(e.prefillTokensPerSecond());
        }
      }
      case Event.ChunkReady e -> memory.activate(e.chunk());
      case Event.Sync e -> {
        Session session = sessions.get(e.session());
        if (session != null) {
          publishes.sync(session, e.operation(), e.durable());
        }
      }
      case Event.Evict e -> {
        Session session = sessions.get(e.session());
        if (session != null) {
          evictions.evict(session, e.operation(), e.everywhere());
        }
      }
      case Event.Drain e -> drain();
      case Event.Tick e -> tick();
    }
  }

  // ---- queries ---------------------------------------------------------------------------------

  private void submit(Event.Submit submit) {
    Session session = sessions.get(submit.session());
    if (session == null) {
      return;
    }
    if (refusedWhileDraining(session, submit.operation())) {
      return;
    }
    SubmitProblem problem = SubmitProblem.of(submit, step.settings().limits());
    if (problem != null) {
      refuse(session, submit, problem);
      return;
    }
    Instance instance = registrar.live(submit.instance());
    if (instance == null) {
      refuse(session, submit, SubmitProblem.unknownInstance(submit));
    } else if (!instance.sealed()) {
      refuse(session, submit, SubmitProblem.notSealed(instance));
    } else {
      problem = SubmitProblem.unfit(submit, instance);
      if (problem != null) {
        refuse(session, submit, problem);
      } else {
        queries.submit(session, submit, instance);
      }
    }
  }

  private void queue(Event.Queue queue) {
    Session session = sessions.get(queue.session());
    if (session == null || refusedWhileDraining(session, queue.operation())) {
      return;
    }
    Instance instance = registrar.live(queue.instance());
    if (instance == null || !instance.sealed()) {
      replies.refuse(
          session,
          queue.operation(),
          ErrorCode.UNKNOWN,
          "instance [" + queue.instance() + "] is not registered (any more): attach again");
    } else {
      queries.queue(session, queue, instance);
    }
  }

  /** A million of them come at the start: neighbours are mostly of one key space. */
  private void storedPages(List<StoredKey> keys) {
    StoredKey last = null;
    int domain = 0;
    for (StoredKey key : keys) {
      if (last == null
          || key.group() != last.group()
          || !key.namespace().equals(last.namespace())) {
        domain = domains.of(key);
        last = key;
      }
      stored.add(domain, high(key), low(key));
    }
  }

  private static long high(StoredKey key) {
    return key.key().high();
  }

  private static long low(StoredKey key) {
    return key.key().low();
  }

  private void refuse(Session session, Event.Submit submit, SubmitProblem problem) {
    String message = "query [" + submit.operation() + "]: " + problem.message();
    replies.refuse(session, submit.operation(), problem.error(), message);
  }

  private void release(Event.Release release) {
    Session session = sessions.get(release.session());
    if (session == null) {
      return;
    }
    Lease lease = partition.leases().find(release.lease());
    if (lease == null) {
      return; // Gone already: just what was asked for.
    }
    QueryOperation query = queries.queryOf(session, lease);
    if (query != null) {
      queries.release(query);
      return;
    }
    Registration worker = session.worker(lease.instance().handle());
    if (worker == null) {
      replies.refuse(
          session,
          release.operation(),
          ErrorCode.NOT_OWNER,
          "the lease is neither of this connection nor of an instance of which it is a worker");
      return;
    }
    queries.acknowledge(session, lease);
    partition.leases().giveBack(lease, worker.rank());
  }

  private void cancel(Event.Cancel cancel) {
    Session session = sessions.get(cancel.session());
    if (session == null) {
      return;
    }
    switch (session.operations().get(cancel.operation())) {
      case null -> refuseIfUnused(session, cancel.operation());
      case QueryOperation query -> queries.cancel(session, query, cancel.revision());
      // A submitted copy runs to its end and is answered then; a cancelled publish never seals.
      case PublishOperation publish -> publishes.commit(publish, false);
      case RestoreOperation restore -> {}
    }
  }

  private void ask(Event.Ask ask) {
    Session session = sessions.get(ask.session());
    if (session == null) {
      return;
    }
    Operation operation = session.operations().get(ask.operation());
    switch (operation) {
      case null -> {
        if (!queries.repeatRemembered(session, ask.operation(), ask.revision())) {
          replies.refuse(
              session,
              ask.operation(),
              ErrorCode.UNKNOWN,
              "operation [" + ask.operation() + "] is not pending, and no answer of it is kept");
        }
      }
      case QueryOperation query -> queries.ask(query, ask.revision());
      case RestoreOperation restore -> restores.ask(restore);
      case PublishOperation publish -> publishes.ask(publish);
    }
  }

  // ---- policies --------------------------------------------------------------------------------

  private void advice(Event.Advice advice) {
    boolean wasAsked =
        switch (advice) {
          case Event.ScoresAdvice e -> retention.answered(e);
          case Event.AdmissionAdvice e ->
              publishes.advised(e) || writes.advised(e) || queries.promotionAdvised(e);
          case Event.ReadPlanAdvice e -> queries.planAdvised(e);
          case Event.ReadOnAdvice e -> reads.stepAdvised(e);
        };
    if (!wasAsked) {
      throw new BrokenInvariant(
          "question ["
              + advice.ticket()
              + "] is answered by "
              + advice.getClass().getSimpleName()
              + ", and nobody asked it");
    }
  }

  // ---- copies ----------------------------------------------------------------------------------

  private void publish(Event.Publish publish) {
    Session session = sessions.get(publish.session());
    if (session != null && !refusedWhileDraining(session, publish.operation())) {
      publishes.publish(session, publish, session.worker(publish.instance()));
    }
  }

  private void commit(Event.Commit commit) {
    Session session = sessions.get(commit.session());
    if (session == null) {
      return;
    }
    Operation operation = session.operations().get(commit.operation());
    if (operation instanceof PublishOperation publish) {
      publishes.commit(publish, commit.produced());
    } else if (operation != null) {
      replies.refuse(
          session,
          commit.operation(),
          ErrorCode.INVALID,
          "operation [" + commit.operation() + "] is no publish");
    } else {
      refuseIfUnused(session, commit.operation());
    }
  }

  private void copyCompleted(Event.CopyCompleted completed) {
    Plans.Plan plan = plans.ended(completed.plan());
    if (completed.outcome() instanceof CopyOutcome.Unknown) {
      plan.registration().outcomeUnknown();
    }
    switch (plan.owner()) {
      case RestoreOperation restore -> restores.completed(restore, completed.outcome());
      case PublishOperation publish -> publishes.completed(publish, completed.outcome());
      case QueryOperation query ->
          throw new BrokenInvariant(
              "query [" + query.id() + "] owns the plan [" + completed.plan() + "]");
    }
    registrar.closeIfDrained(plan.registration());
  }

  // ---- policies --------------------------------------------------------------------------------

  /** Pages that queries return are an occasion to write them. */
  private record Uses(Writes writes) implements PageUse {
    @Override
    public boolean listens() {
      return writes.listensToTouches();
    }

    @Override
    public void used(Instance instance, int group, int page, long parentHigh, long parentLow) {
      writes.touched(instance, group, page, parentHigh, parentLow);
    }
  }

  private void policies(Event.Policies policies) {
    asked.set(policies.asked(), policies.fresh());
    boolean learns = policies.follow();
    for (PolicySlot slot : policies.asked()) {
      learns |=
          switch (slot) {
            case LOOKAHEAD, WARMING, CUTOFF, ADMISSION_DRAM, ADMISSION_SSD, ADMISSION_PROMOTE ->
                true;
            case RETENTION_DRAM, RETENTION_SSD -> false;
          };
    }
    lineage.listen(learns);
    queries.policiesChanged();
    retention.policiesChanged();
  }

  // ---- sessions and life cycle -----------------------------------------------------------------

  private void register(Event.Register register) {
    Session session = sessions.get(register.session());
    if (session != null && !refusedWhileDraining(session, register.operation())) {
      registrar.register(session, register);
    }
  }

  private void attach(Event.Attach attach) {
    Session session = sessions.get(attach.session());
    if (session != null && !refusedWhileDraining(session, attach.operation())) {
      registrar.attach(session, attach);
    }
  }

  private void sessionClosed(Event.SessionClosed closed) {
    Session session = sessions.get(closed.session());
    if (session == null) {
      return;
    }
    session.close();
    queries.sessionClosed(session);
    publishes.sessionClosed(session);
    evictions.sessionClosed(session);
    registrar.sessionClosed(session);
    sessions.remove(closed.session());
  }

  private void drain() {
    if (step.draining()) {
      return;
    }
    step.drain();
    registrar.retireAll();
    partition.leases().closeAll();
  }

  private void tellDrained() {
    if (step.draining()
        && !drained
        && !evictions.running()
        && !durables.waiting()
        && queries.undecided() == 0
        && reads.tasks() == 0
        && writes.running() == 0
        && storeTickets.running() == 0
        && partition.leases().alive() == 0
        && publishes.live() == 0
        && plans.running() == 0
        && registrar.openDevices() == 0) {
      drained = true;
      step.emit(new Command.Drained());
    }
  }

  private void tick() {
    partition.leases().expire();
    publishes.expire();
    queries.tick();
    writes.tick();
    evictions.slice();
    retention.tick();
    KernelStatus status = status();
    if (status.leakedBytes() != 0) {
      throw new BrokenInvariant("[" + status.leakedBytes() + "] allocated bytes belong to no page");
    }
  }

  /**
   * When the next {@link Event.Tick} has something to do that should not wait for the regular one:
   * monotonic time, {@link Long#MAX_VALUE} for never.
   */
  public long nextDeadlineNanos() {
    return evictions.slicing() || retention.slicing()
        ? step.nowNanos()
        : Math.min(queries.nextDeadlineNanos(), writes.nextDeadlineNanos());
  }

  private boolean refusedWhileDraining(Session session, long operation) {
    if (step.draining()) {
      replies.refuse(
          session, operation, ErrorCode.DRAINING, "the Manager is ending and takes nothing new");
    }
    return step.draining();
  }

  private void refuseIfUnused(Session session, long operation) {
    if (operation > session.lastOperation()) {
      replies.refuse(
          session,
          operation,
          ErrorCode.UNKNOWN,
          "operation [" + operation + "] was never submitted");
    }
  }

  // ---- books -----------------------------------------------------------------------------------

  /**
   * The draw of the root of a prompt's deepest known chain, in [0, 1): what policies are told of a
   * request with it.
   *
   * @param keys halves of the keys of its pages, as (high, low)
   * @param pages how many of them, at least 1
   */
  public double unitHash(long[] keys, int pages) {
    return lineage.deepest(keys, pages, 0, TierKind.DRAM).unitHash();
  }

  /** A picture of this moment. */
  public KernelStatus status() {
    Residency residency = partition.residency();
    Budget budget = partition.budget();
    return new KernelStatus(
        budget.totalBytes(),
        budget.peakBytes(),
        budget.speculativeBytes(),
        budget.byPhase(),
        budget.limits().totalBytes(),
        residency.pages(PageState.RESIDENT),
        residency.bytes(PageState.RESIDENT),
        residency.pages(PageState.UNSEALED),
        residency.bytes(PageState.UNSEALED),
        residency.bytes(PageState.ORPHAN),
        residency.bytes(PageState.QUARANTINED),
        residency.pages(PageState.READING),
        residency.bytes(PageState.READING),
        residency.speculatedBytes(),
        stored.size(),
        writes.queued(),
        writes.queuedBytes(),
        reads.running(),
        writes.running(),
        memory.usage(),
        sessions.size(),
        registrar.instances(),
        permits.all() + restores.running() + publishes.live(),
        partition.leases().alive(),
        plans.running(),
        step.counters().snapshot());
  }

  /**
   * The deep conservation check: counts every page, reference, byte and operation anew. Costs as
   * much as everything that there is.
   *
   * @throws IllegalStateException naming the invariant that does not hold
   */
  public void verify() {
    Residency residency = partition.residency();
    int[] references = new int[residency.highWater()];
    partition.leases().countReferences(references);
    publishes.countReferences(references);
    queries.countReferences(references);
    reads.countReferences(references);
    writes.countReferences(references);
    int owners = partition.leases().alive() + queries.reservations() + reads.tasks();
    if (owners != partition.budget().owners()) {
      throw new IllegalStateException(
          "[" + partition.budget().owners() + "] reservations have [" + owners + "] owners");
    }
    residency.verify(references);
    retention.verify();
    queries.verify();
    registrar.verify();
    if (queries.pendingKeyBytes() + publishes.pendingKeyBytes() != pendingKeys.bytes()) {
      throw new IllegalStateException(
          "pending keys have ["
              + (queries.pendingKeyBytes() + publishes.pendingKeyBytes())
              + "] bytes, counted are ["
              + pendingKeys.bytes()
              + "]");
    }
    if (status().leakedBytes() != 0) {
      throw new IllegalStateException(
          "[" + status().leakedBytes() + "] allocated bytes belong to no page");
    }
  }
}
