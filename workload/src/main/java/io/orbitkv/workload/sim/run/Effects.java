package io.orbitkv.workload.sim.run;

import io.orbitkv.api.query.QueryKind;
import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.Event;
import io.orbitkv.kernel.KernelCounter;
import io.orbitkv.kernel.KernelStatus;
import io.orbitkv.workload.sim.rule.Invariant;
import io.orbitkv.workload.sim.run.LeaseModel.Standing;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What events mean for the model, and which pairs of phase and happening they visit. */
final class Effects {
  private final World world;
  private final Model model;
  private final Coverage coverage;
  private @Nullable Op claiming;

  Effects(World world) {
    this.world = world;
    this.model = world.model;
    this.coverage = world.tally.coverage;
  }

  private @Nullable Client client(long session) {
    Client client = model.clients.get(session);
    return client != null && client.alive ? client : null;
  }

  /** Before the kernel sees the event. */
  void before(Event event) {
    switch (event) {
      case Event.Submit e -> submit(e);
      case Event.Taken e -> taken(e);
      case Event.Cancel e -> cancel(e);
      case Event.Ask e -> ask(e);
      case Event.Release e -> release(e);
      case Event.Restore e -> restore(e);
      case Event.StageWaited e -> stageWaited(e);
      case Event.Publish e -> again(client(e.session()), e.operation());
      case Event.Commit e -> commit(e);
      case Event.SessionClosed e -> sessionClosed(e);
      case Event.Unregister e -> {
        Client client = client(e.session());
        InstanceModel instance = model.instances.get(e.instance());
        if (client != null && instance != null && client.ranks.containsKey(e.instance())) {
          retire(instance);
        }
      }
      case Event.Evict e -> everywhere(Happening.EVICT);
      case Event.Sync e -> publishes(Happening.SYNC);
      case Event.Drain e -> {
        model.draining = true;
        for (InstanceModel instance : List.copyOf(model.instances.values())) {
          retire(instance);
        }
        for (LeaseModel lease : List.copyOf(model.holding.values())) {
          model.close(lease);
        }
      }
      case Event.Tick e -> tick();
      case Event.Register e -> {}
      case Event.Attach e -> {}
      case Event.DeviceOpened e -> {}
      case Event.DeviceFailed e -> {}
      case Event.DeviceClosed e -> {}
      case Event.EngineStats e -> {}
      case Event.SessionOpened e -> {}
      case Event.CopySubmitted e -> {}
      case Event.CopyCompleted e -> {}
      case Event.ChunkReady e -> {}
      case Event.Claim e -> claim(e);
      case Event.Queue e -> {}
      case Event.Lookahead e -> {}
      case Event.Warming e -> {}
      case Event.Policies e -> {}
      case Event.Advice e -> {}
      case Event.PageStored e -> {}
      case Event.PagesStored e -> {}
      case Event.PageLost e -> {}
      case Event.PageRead e -> {}
      case Event.PageWritten e -> {}
      case Event.WriteAllowance e -> {}
      case Event.StoreFlushed e -> {}
      case Event.StoreForgot e -> {}
    }
  }

  /** After the kernel's step. */
  void after(Event event, KernelStatus former) {
    if (event instanceof Event.Claim claim) {
      claimEnded(claim);
    }
    if (event instanceof Event.Tick
        && counter(world.status, KernelCounter.LEASES_REVOKED)
            != counter(former, KernelCounter.LEASES_REVOKED)) {
      for (LeaseModel lease : model.holding.values()) {
        if (lease.idle() && lease.standing == Standing.OPEN) {
          lease.standing = Standing.UNCERTAIN;
        }
      }
    }
  }

  static long counter(KernelStatus status, KernelCounter counter) {
    Long value = status.counters().get(counter.key());
    return value == null ? 0 : value;
  }

  // ---- queries ---------------------------------------------------------------------------------

  private void submit(Event.Submit event) {
    Client client = client(event.session());
    Op op = client == null ? null : client.operations.get(event.operation());
    if (op == null) {
      return;
    }
    if (op.kind != Op.Kind.QUERY) {
      again(client, event.operation());
      return;
    }
    coverage.visit(
        phase(op),
        event.revision() < op.revision
            ? Happening.SUBMIT_OLD
            : event.revision() > op.revision
                ? Happening.SUBMIT_NEXT
                : asksAgain(event, op) ? Happening.SUBMIT_AGAIN : Happening.SUBMIT_OTHER);
    if (event.revision() > op.revision && model.undecided.containsKey(op)) {
      reads(op, Happening.SUBMIT_NEXT);
    }
  }

  private static boolean asksAgain(Event.Submit event, Op op) {
    return op.submit != null && op.submit.requestId().equals(event.requestId());
  }

  private void again(@Nullable Client client, long operation) {
    Op op = client == null ? null : client.operations.get(operation);
    if (op != null && op.end == null && op.kind != Op.Kind.QUERY) {
      coverage.visit(phase(op), Happening.SUBMIT_AGAIN);
    }
  }

  private void taken(Event.Taken event) {
    Client client = client(event.session());
    Op op = client == null ? null : client.operations.get(event.operation());
    if (op == null || op.kind != Op.Kind.QUERY) {
      return;
    }
    boolean current = op.revision == event.revision();
    coverage.visit(phase(op), current ? Happening.TAKEN : Happening.TAKEN_STALE);
    LeaseModel lease = op.lease;
    if (current && lease != null && lease.standing != Standing.CLOSED) {
      coverage.visit(phase(lease), Happening.TAKEN);
      op.acknowledged = true;
      take(lease);
    }
  }

  private void take(LeaseModel lease) {
    if (!lease.taken) {
      lease.taken = true;
      lease.deadlineNanos = world.nowNanos + world.settings.lifetimes().lease().toNanos();
    }
  }

  /** A session uses a lease: whoever of it was offered it has seen the offer. */
  void acknowledge(LeaseModel lease, Client client) {
    Op held = lease.heldBy(client);
    if (held != null) {
      held.acknowledged = true;
    } else if (lease.holders.size() == 1) {
      if (othersMayHold(lease)) {
        lease.vague = true;
      } else {
        lease.holders.getFirst().acknowledged = true;
      }
    }
    take(lease);
  }

  /** Whether queries that were not answered may share the lease. */
  private boolean othersMayHold(LeaseModel lease) {
    for (Op op : model.undecided.values()) {
      if (op.asksLike(lease.owner)) {
        return true;
      }
    }
    return false;
  }

  /** A query's interest in its lease ends; with the last one the lease closes. */
  void leave(Op op) {
    op.left = true;
    LeaseModel lease = op.lease;
    Question question = op.question;
    if (lease == null && question != null && question.lease != null) {
      straggled(op, question.lease);
    }
    if (lease == null || lease.standing == Standing.CLOSED || !lease.holders.remove(op)) {
      return;
    }
    boolean consumed = op.rank != Op.NO_RANK && (lease.shares & 1 << op.rank) == 0;
    if (lease.holders.isEmpty() && !othersMayHold(lease) && !(consumed && lease.shares != 0)) {
      model.close(lease);
    } else {
      if (lease.holders.isEmpty()) {
        lease.vague = true;
        lease.standing = Standing.UNCERTAIN;
        lease.unaskedDeadlineNanos = world.nowNanos + world.settings.lifetimes().offer().toNanos();
      }
      if (op.rank != Op.NO_RANK) {
        dropShare(lease, op.rank);
      }
    }
  }

  private void cancel(Event.Cancel event) {
    Client client = client(event.session());
    Op op = client == null ? null : client.operations.get(event.operation());
    if (op == null) {
      return;
    }
    boolean stale = op.kind == Op.Kind.QUERY && op.revision != event.revision();
    coverage.visit(phase(op), stale ? Happening.CANCEL_STALE : Happening.CANCEL);
    if (stale) {
      return;
    }
    if (model.undecided.containsKey(op)) {
      reads(op, Happening.CANCEL);
    }
    switch (op.kind) {
      case QUERY -> {
        LeaseModel lease = op.lease;
        if (lease != null && lease.standing != Standing.CLOSED) {
          coverage.visit(phase(lease), Happening.CANCEL);
        }
        leave(op);
      }
      case PUBLISH -> say(op, false);
      case RESTORE -> {}
    }
  }

  private void ask(Event.Ask event) {
    Client client = client(event.session());
    Op op = client == null ? null : client.operations.get(event.operation());
    if (op != null) {
      coverage.visit(phase(op), Happening.ASK);
    }
  }

  private void claim(Event.Claim event) {
    claiming = null;
    Client client = client(event.session());
    Op op = client == null ? null : client.operations.get(event.operation());
    if (op == null || op.kind != Op.Kind.QUERY) {
      return;
    }
    boolean stale = op.revision != event.revision();
    coverage.visit(phase(op), stale ? Happening.CLAIM_STALE : Happening.CLAIM);
    boolean claimable = op.query == QueryKind.PREPARE && !op.claimed && !op.left;
    if (!stale && claimable && model.undecided.containsKey(op)) {
      reads(op, Happening.CLAIM);
      claiming = op;
      world.answers().claimedFrom = op.record;
      op.claimed = true;
      op.claimedNanos = world.nowNanos;
      op.record = event.record();
    }
  }

  private void claimEnded(Event.Claim event) {
    Op op = claiming;
    if (op == null) {
      return;
    }
    int former = world.answers().claimedFrom;
    world.answers().claimedFrom = Event.NO_RECORD;
    boolean refused =
        world.commands().stream()
            .anyMatch(command ->
                command instanceof Command.Refused refusal
                    && refusal.session() == event.session()
                    && refusal.operation() == event.operation());
    if (refused) {
      op.claimed = false;
      op.record = former;
      return;
    }
    if (former != op.record) {
      op.client.records.remove(former, op);
    }
    if (model.undecided.containsKey(op)) {
      op.prepared = false;
      ReadModel read = model.reading.get(op.page(0));
      world.require(
          Invariant.JOINED_READ_RAISED,
          // With the page in memory, published meanwhile, nobody waits for the read; and while the
          // preparation's own read is planned it has joined none.
          read == null
              || !read.speculative
              || model.pageOf(op.page(0)).findable()
              || world.policies.advice().plans(op),
          "its first page is still read as speculation",
          op);
    }
  }

  // ---- leases ----------------------------------------------------------------------------------

  private void release(Event.Release event) {
    Client client = client(event.session());
    LeaseModel lease = model.leasesById.get(event.lease());
    if (client == null || lease == null) {
      return;
    }
    Op held = lease.heldBy(client);
    if (held != null || lease.owner.client == client) {
      coverage.visit(phase(lease), Happening.RELEASE);
    }
    if (lease.standing == Standing.CLOSED) {
      return;
    }
    if (held != null) {
      leave(held);
      return;
    }
    for (Op op : List.copyOf(model.undecided.values())) {
      if (op.client == client && op.asksLike(lease.owner)) {
        // A preparation that shares the lease without knowing: its interest ends with it.
        op.left = true;
        lease.vague = true;
        model.decided(op);
        return;
      }
    }
    Integer rank = client.ranks.get(lease.instance);
    if (rank != null) {
      coverage.visit(phase(lease), Happening.RELEASE_BY_RANK);
      acknowledge(lease, client);
      dropShare(lease, rank);
    }
  }

  private void restore(Event.Restore event) {
    Client client = client(event.session());
    again(client, event.operation());
    LeaseModel lease = model.leasesById.get(event.lease());
    if (lease != null && client != null) {
      coverage.visit(phase(lease), Happening.RESTORE);
    }
  }

  private void stageWaited(Event.StageWaited event) {
    Client client = client(event.session());
    Op op = client == null ? null : client.operations.get(event.operation());
    if (op != null && op.kind == Op.Kind.RESTORE && op.told && !op.waited) {
      coverage.visit(phase(op), Happening.STAGE_WAITED);
      op.waited = true;
    }
  }

  /** A rank's share was used: so the lease was there. */
  void takeShare(LeaseModel lease, int rank) {
    if (lease.standing == Standing.UNCERTAIN && !lease.vague) {
      lease.standing = Standing.OPEN;
    }
    dropShare(lease, rank);
  }

  /** Another rank claimed what this one prepared too, and this one never did. */
  void straggled(Op op, LeaseModel lease) {
    if (lease.standing != Standing.CLOSED && op.rank != Op.NO_RANK) {
      dropShare(lease, op.rank);
    }
  }

  /** A rank does without its share. */
  private void dropShare(LeaseModel lease, int rank) {
    lease.shares &= ~(1 << rank);
    if (lease.shares == 0) {
      model.close(lease);
    } else if (lease.vague && lease.standing == Standing.OPEN) {
      lease.standing = Standing.UNCERTAIN;
    }
  }

  private void tick() {
    for (LeaseModel lease : List.copyOf(model.holding.values())) {
      if (lease.standing == Standing.CLOSED) {
        continue;
      }
      boolean unasked =
          lease.holders.isEmpty()
              && !othersMayHold(lease)
              && lease.unaskedDeadlineNanos - world.nowNanos <= 0;
      if (unasked || lease.deadlineNanos - world.nowNanos <= 0) {
        coverage.visit(phase(lease), Happening.EXPIRE);
        model.close(lease);
        continue;
      }
      for (Op op : List.copyOf(lease.holders)) {
        if (!op.acknowledged && op.offerDeadlineNanos - world.nowNanos <= 0) {
          coverage.visit(phase(lease), Happening.EXPIRE);
          leave(op);
        }
      }
    }
    for (Op op : model.undecided.values()) {
      if (world.deadlineNanos(op) - world.nowNanos <= 0) {
        coverage.visit(phase(op), Happening.EXPIRE);
        reads(op, Happening.EXPIRE);
      }
    }
    long unsealed = world.settings.lifetimes().unsealed().toNanos();
    model.unsealed.removeIf(op -> op.copyFailed || op.committed || op.rejected);
    model.unsealed.removeIf(op -> {
      boolean due = op.copied && op.submittedNanos + unsealed - world.nowNanos <= 0;
      if (due) {
        coverage.visit(phase(op), Happening.EXPIRE);
      }
      return due;
    });
  }

  // ---- publishes -------------------------------------------------------------------------------

  /** A publish waits for a policy: its client keeps the device pages. */
  void intoQuestion(Op op) {
    op.inQuestion = true;
    model.inQuestion.add(op);
    for (int place = 0; place < op.names.length; place++) {
      op.client.busyDevicePages.put(
          Client.devicePage(op.instance, op.groups[place], op.devicePages[place]), op);
    }
  }

  /** It is decided what is copied, or that nothing is. */
  void outOfQuestion(Op op) {
    if (op.inQuestion) {
      op.inQuestion = false;
      model.inQuestion.remove(op);
      for (int place = 0; place < op.names.length; place++) {
        op.client.busyDevicePages.remove(
            Client.devicePage(op.instance, op.groups[place], op.devicePages[place]), op);
      }
    }
  }

  private void commit(Event.Commit event) {
    Client client = client(event.session());
    Op op = client == null ? null : client.operations.get(event.operation());
    if (op == null || op.kind != Op.Kind.PUBLISH) {
      return;
    }
    coverage.visit(phase(op), event.produced() ? Happening.COMMIT : Happening.REJECT);
    say(op, event.produced());
  }

  private void say(Op op, boolean produced) {
    if (op.committed || op.rejected) {
      return; // The first word counts.
    }
    op.committed = produced;
    op.rejected = !produced;
    slots(op, world.steps);
  }

  /** What a publish's slots are from a step on. */
  void slots(Op op, long step) {
    Integer rank = op.client.ranks.get(op.instance);
    if (!op.copied || rank == null) {
      return;
    }
    for (int place : op.plannedPlaces) {
      PageModel page = model.page(op.shape, op.page(place));
      page.copied(rank, step);
      if (op.committed) {
        page.committed(rank, step);
      }
    }
  }

  // ---- ends ------------------------------------------------------------------------------------

  private void sessionClosed(Event.SessionClosed event) {
    Client client = client(event.session());
    if (client == null) {
      return;
    }
    for (Op op : client.operations.values()) {
      if (!over(op)) {
        coverage.visit(phase(op), Happening.SESSION_CLOSED);
      }
      LeaseModel lease = op.lease;
      if (op.kind == Op.Kind.QUERY && lease != null && lease.standing != Standing.CLOSED) {
        coverage.visit(phase(lease), Happening.SESSION_CLOSED);
      }
      if (model.undecided.containsKey(op)) {
        reads(op, Happening.SESSION_CLOSED);
      }
      model.decided(op);
      if (op.kind == Op.Kind.QUERY) {
        leave(op);
      }
    }
    for (LeaseModel lease : model.holding.values()) {
      if (lease.standing == Standing.CLOSED && lease.owner.client == client) {
        coverage.visit(phase(lease), Happening.SESSION_CLOSED);
      }
    }
    for (int handle : client.ranks.keySet()) {
      InstanceModel instance = model.instances.get(handle);
      if (instance != null) {
        retire(instance);
      }
    }
    client.alive = false;
    for (Op op : List.copyOf(model.inQuestion)) {
      if (op.client == client) {
        outOfQuestion(op);
      }
    }
    model.alive.remove(client);
    model.unsealed.removeIf(op -> op.client == client);
  }

  private void retire(InstanceModel instance) {
    if (instance.retired) {
      return;
    }
    for (Op op : model.undecided.values()) {
      if (op.instance == instance.handle) {
        coverage.visit(phase(op), Happening.INSTANCE_ENDED);
        reads(op, Happening.INSTANCE_ENDED);
      }
    }
    for (Op op : model.unsealed) {
      if (op.instance == instance.handle) {
        coverage.visit(phase(op), Happening.INSTANCE_ENDED);
      }
    }
    for (Op op : model.inQuestion) {
      if (op.instance == instance.handle) {
        coverage.visit(phase(op), Happening.INSTANCE_ENDED);
      }
    }
    for (RunningCopy copy : model.running.values()) {
      if (copy.op().kind == Op.Kind.RESTORE && copy.op().instance == instance.handle) {
        coverage.visit(phase(copy.op()), Happening.INSTANCE_ENDED);
      }
    }
    for (LeaseModel lease : model.holding.values()) {
      if (lease.instance == instance.handle && lease.standing != Standing.CLOSED) {
        coverage.visit(phase(lease), Happening.INSTANCE_ENDED);
        for (Op op : lease.holders) {
          coverage.visit(phase(op), Happening.INSTANCE_ENDED);
        }
      }
    }
    model.retire(instance);
    model.unsealed.removeIf(op -> op.instance == instance.handle);
  }

  private void everywhere(Happening happening) {
    for (Op op : model.undecided.values()) {
      coverage.visit(phase(op), happening);
    }
    for (LeaseModel lease : model.holding.values()) {
      coverage.visit(phase(lease), happening);
      for (Op op : lease.holders) {
        coverage.visit(phase(op), happening);
      }
    }
    for (RunningCopy copy : model.running.values()) {
      coverage.visit(phase(copy.op()), happening);
    }
    for (ReadModel read : model.reading.values()) {
      coverage.visit(phase(read), happening);
    }
    publishes(happening);
  }

  private void publishes(Happening happening) {
    for (Op op : model.inQuestion) {
      coverage.visit(phase(op), happening);
    }
    for (Op op : model.unsealed) {
      coverage.visit(phase(op), happening);
    }
  }

  /** The pages of a query that are being read. */
  private void reads(Op op, Happening happening) {
    if (model.reading.isEmpty()) {
      return;
    }
    for (int place = 0; place < op.names.length; place++) {
      ReadModel read = model.reading.get(op.page(place));
      if (read != null) {
        coverage.visit(phase(read), happening);
      }
    }
  }

  /** Who wants a page that is being read. */
  Phase phase(ReadModel read) {
    if (read.speculative) {
      return Phase.READ_AHEAD;
    }
    for (Op op : model.undecided.values()) {
      for (int place = 0; place < op.names.length; place++) {
        if (op.page(place) == read.page) {
          return Phase.READ_WANTED;
        }
      }
    }
    return Phase.READ_DRAINING;
  }

  // ---- phases ----------------------------------------------------------------------------------

  private static boolean over(Op op) {
    return phase(op) == Phase.QUERY_ENDED;
  }

  static Phase phase(Op op) {
    return switch (op.kind) {
      case QUERY -> {
        LeaseModel lease = op.lease;
        if (op.end == null && !op.superseded && !op.left) {
          yield !op.speculative()
              ? Phase.QUERY_WAITING
              : op.prepared ? Phase.PREPARATION_HELD : Phase.PREPARATION_LOADING;
        }
        yield lease == null || lease.standing == Standing.CLOSED || op.left
            ? Phase.QUERY_ENDED
            : op.acknowledged ? Phase.QUERY_TAKEN : Phase.QUERY_OFFERED;
      }
      case RESTORE -> {
        if (op.running > 0) {
          yield op.told ? Phase.RESTORE_SUBMITTED : Phase.RESTORE_COPYING;
        }
        yield op.told && !op.waited ? Phase.RESTORE_UNWAITED : Phase.QUERY_ENDED;
      }
      case PUBLISH -> {
        if (op.inQuestion) {
          yield Phase.PUBLISH_IN_QUESTION;
        }
        if (op.running > 0) {
          yield op.committed
              ? Phase.PUBLISH_COPYING_COMMITTED
              : op.rejected ? Phase.PUBLISH_COPYING_REJECTED : Phase.PUBLISH_COPYING;
        }
        yield !op.copied || op.rejected
            ? Phase.QUERY_ENDED
            : op.committed ? Phase.PUBLISH_COMMITTED : Phase.PUBLISH_COPIED;
      }
    };
  }

  static Phase phase(LeaseModel lease) {
    if (lease.standing == Standing.CLOSED) {
      return lease.copies > 0 ? Phase.LEASE_DRAINING : Phase.LEASE_ENDED;
    }
    if (lease.shares != (1 << lease.shape.worldSize()) - 1) {
      return Phase.LEASE_PARTLY;
    }
    return lease.taken ? Phase.LEASE_TAKEN : Phase.LEASE_OFFERED;
  }
}
