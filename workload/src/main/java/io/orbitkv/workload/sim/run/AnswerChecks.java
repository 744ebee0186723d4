package io.orbitkv.workload.sim.run;

import io.orbitkv.api.query.AnswerState;
import io.orbitkv.api.query.QueryKind;
import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.Event;
import io.orbitkv.workload.sim.hardware.Chance;
import io.orbitkv.workload.sim.hardware.Mix;
import io.orbitkv.workload.sim.rule.Fault;
import io.orbitkv.workload.sim.rule.Invariant;
import io.orbitkv.workload.sim.rule.InvariantViolation;
import io.orbitkv.workload.sim.run.LeaseModel.Standing;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Checks what clients are told, and keeps it. */
final class AnswerChecks {
  private static final int LOST_EVERY = 12;

  private final World world;
  private final Model model;
  private final List<Op> servedNow = new ArrayList<>();
  private boolean subjectHeard;
  private boolean asked;

  /** Where a preparation's answers went before it was claimed in the present step. */
  int claimedFrom = Event.NO_RECORD;

  AnswerChecks(World world) {
    this.world = world;
    this.model = world.model;
  }

  private Client live(long session, Object command) {
    Client client = model.clients.get(session);
    if (client == null || !client.alive) {
      throw new InvariantViolation(
          Invariant.REVISION_FENCED, "a command for a session that is gone: " + command);
    }
    return client;
  }

  // ---- control requests ------------------------------------------------------------------------

  void control(long session, long operation) {
    Client client = live(session, operation);
    world.require(
        Invariant.CONTROL_ANSWERED_ONCE,
        client.controls.remove(operation),
        "a second reply to a control request of " + client,
        operation);
  }

  void done(Command.Done done) {
    control(done.session(), done.operation());
    if (live(done.session(), done).evictions.contains(done.operation())) {
      model.evictedStep = world.steps;
    }
  }

  void registered(Command.Registered registered, Event event) {
    control(registered.session(), registered.operation());
    Client client = live(registered.session(), registered);
    Registering registering = client.registering.remove(registered.operation());
    if (registering == null || !(event instanceof Event.DeviceOpened)) {
      throw new InvariantViolation(
          Invariant.CONTROL_ANSWERED_ONCE, "registered without a request: " + registered);
    }
    client.ranks.put(registered.instance(), registering.rank());
    InstanceModel instance =
        model.instances.computeIfAbsent(
            registered.instance(), handle -> new InstanceModel(handle, registering.shape()));
    instance.workers[registering.rank()] = client;
  }

  void refused(Command.Refused refused, Event event) {
    Client client = live(refused.session(), refused);
    world.require(
        Invariant.REFUSAL_IS_PRECISE,
        !refused.message().isEmpty(),
        "a refusal without a reason",
        refused);
    client.registering.remove(refused.operation());
    boolean control = client.controls.remove(refused.operation());
    boolean own =
        EventNames.session(event) == refused.session()
            && EventNames.operation(event) == refused.operation();
    world.require(
        Invariant.REFUSAL_IS_PRECISE, control || own, "a refusal of what was not asked", refused);
    subjectHeard |= own;
    asked |= own;
  }

  // ---- operations ------------------------------------------------------------------------------

  /** The kernel took an operation: its id is used up. */
  static void accept(World world, Op op) {
    if (op.accepted) {
      return;
    }
    Client client = op.client;
    Op former = client.operations.get(op.id);
    world.require(
        Invariant.OPERATION_ID_USED_ONCE,
        op.id > client.lastAccepted
            || (former != null
                && former.kind == Op.Kind.QUERY
                && op.kind == Op.Kind.QUERY
                && former.revision < op.revision
                && Effects.phase(former) != Phase.QUERY_ENDED),
        "an id is accepted again",
        op);
    if (former != null) {
      supersede(world, former);
    }
    client.operations.put(op.id, op);
    client.lastAccepted = Math.max(client.lastAccepted, op.id);
    op.accepted = true;
    op.order = world.steps;
    op.submittedNanos = world.nowNanos;
    op.rank = client.ranks.getOrDefault(op.instance, Op.NO_RANK);
    if (op.kind == Op.Kind.QUERY) {
      world.model.undecided.put(op, op);
      asked(world, op);
    }
  }

  private static void supersede(World world, Op former) {
    former.superseded = true;
    world.model.decided(former);
    world.effects().leave(former);
  }

  private static void asked(World world, Op op) {
    Event.Submit submit = op.submit;
    if (submit == null || op.query == QueryKind.DISCOVER) {
      return;
    }
    int worldSize = op.shape.worldSize();
    String key = Question.key(submit);
    Question question = world.model.questions.get(key);
    long lifetime = world.settings.lifetimes().operation().toNanos();
    if (question == null
        || op.rank == Op.NO_RANK
        || !question.open(op.rank, worldSize, world.nowNanos, lifetime)) {
      boolean shared = worldSize > 1 && op.rank != Op.NO_RANK && op.query != QueryKind.WARM;
      question = new Question(world.nowNanos);
      if (shared) {
        world.model.questions.put(key, question);
      }
    }
    question.ask(op);
    op.question = question;
  }

  void answer(Command.Answer answer, Event event, @Nullable Op subject) {
    Client client = live(answer.session(), answer);
    boolean about = subject != null && subject.client == client && subject.id == answer.operation();
    Op op = about && subject != null ? subject : client.operations.get(answer.operation());
    boolean claim =
        event instanceof Event.Claim e
            && e.session() == client.id
            && e.operation() == answer.operation();
    if (claim && answer.state() == AnswerState.BUSY) {
      subjectHeard = true;
      boolean over = op == null || op.kind != Op.Kind.QUERY || !model.undecided.containsKey(op);
      world.require(Invariant.ENDS_EXACTLY_ONCE, over, "BUSY for what is pending: " + op, answer);
      if (op != null && op.kind == Op.Kind.QUERY) {
        op.busyLast = true;
      }
      return;
    }
    if (op == null) {
      throw new InvariantViolation(
          Invariant.REVISION_FENCED, "an answer to what was never asked: " + answer);
    }
    if (event instanceof Event.Ask ask
        && ask.session() == client.id
        && ask.operation() == answer.operation()) {
      repaired(answer, op);
      return;
    }
    if (subject == null && names(event, answer)) {
      throw new InvariantViolation(
          Invariant.OPERATION_ID_USED_ONCE, "a former id is accepted: " + op + ", " + answer);
    }
    boolean fenced =
        !op.superseded
            && (answer.record() == op.record || (claim && answer.record() == claimedFrom))
            && answer.revision() == (op.kind == Op.Kind.QUERY ? op.revision : 0);
    world.require(
        Invariant.REVISION_FENCED, fenced, "another record or revision than that of " + op, answer);
    if (about && op.accepted && event instanceof Event.Submit) {
      subjectHeard = true;
      world.require(
          Invariant.LOST_ANSWER_REPAIRED, same(answer, op), "repeated otherwise: " + op, answer);
      return;
    }
    subjectHeard |= about;
    if (answer.state() == AnswerState.BUSY && op.kind == Op.Kind.QUERY && !op.accepted) {
      op.end = AnswerState.BUSY; // The id is not used up.
      Op former = client.operations.get(op.id);
      if (former != null && former != op) {
        supersede(world, former); // But the revision before is gone.
        former.busyLast = true;
      }
      takeRecord(op, answer);
      return;
    }
    accept(world, op);
    world.require(Invariant.ENDS_EXACTLY_ONCE, op.end == null, "a second answer for " + op, answer);
    takeRecord(op, answer);
    op.seen = Mix.of(client.id, op.id, op.revision) % LOST_EVERY != 0;
    if (answer.state() == AnswerState.SUBMITTED) {
      submitted(answer, op, event);
      return;
    }
    if (!answer.state().terminal()) {
      loading(answer, op);
      return;
    }
    if (!op.seen) {
      world.tally.fault(Fault.LOST_NOTIFICATION);
    }
    op.end = answer.state();
    op.hits = answer.hits();
    boolean waited = model.decided(op);
    switch (op.kind) {
      case QUERY -> query(answer, op, waited);
      case RESTORE -> restore(answer, op);
      case PUBLISH -> publish(answer, op);
    }
  }

  /** Whether an event submits the operation of an answer. */
  private static boolean names(Event event, Command.Answer answer) {
    boolean submits =
        event instanceof Event.Submit
            || event instanceof Event.Restore
            || event instanceof Event.Publish;
    return submits
        && EventNames.session(event) == answer.session()
        && EventNames.operation(event) == answer.operation();
  }

  /** A staged restore is told to be submitted: its client waits for the layers, sooner or later. */
  private void submitted(Command.Answer answer, Op op, Event event) {
    boolean right =
        event instanceof Event.CopySubmitted
            && op.staged
            && op.copiesSubmitted
            && !op.told
            && op.running > 0
            && answer.detail() == op.stageSlot
            && answer.hits() > 0;
    world.require(
        Invariant.SUBMITTED_AFTER_COPIES, right, "told too early, or twice: " + op, answer);
    op.told = true;
    Chance chance = new Chance(Mix.of(op.client.id, op.id, 79));
    if (chance.oneIn(20)) {
      Event cancel = new Event.Cancel(op.client.id, op.id, op.revision);
      world.later(chance.below(20_000_000L), () -> world.send(cancel, null));
    }
    if (chance.oneIn(7)) {
      world.tally.fault(Fault.STAGE_WAIT_MISSING);
      return;
    }
    int times = 1;
    if (chance.oneIn(10)) {
      world.tally.fault(Fault.DUPLICATE_MESSAGE);
      times = 2;
    }
    for (int i = 0; i < times; i++) {
      long nanos = chance.below(chance.oneIn(3) ? 2_000_000_000L : 30_000_000L);
      Event waited = new Event.StageWaited(op.client.id, op.id);
      world.later(nanos, () -> world.send(waited, null));
    }
  }

  private void loading(Command.Answer answer, Op op) {
    world.require(
        Invariant.PREPARATION_HAS_NO_LEASE,
        answer.lease().isNone(),
        "a lease without an offer",
        answer);
    op.loading = true;
    op.prepared = answer.state() == AnswerState.PREPARED;
  }

  private static boolean same(Command.Answer answer, Op op) {
    AnswerState wanted =
        op.end != null
            ? op.end
            : op.told
                ? AnswerState.SUBMITTED
                : op.prepared ? AnswerState.PREPARED : AnswerState.LOADING;
    if (op.end == null && shared(op) && op.speculative()) {
      // Another rank may have claimed it meanwhile.
      return answer.state() == AnswerState.PREPARED || answer.state() == AnswerState.LOADING;
    }
    if (op.busyLast && answer.state() == AnswerState.BUSY) {
      return true; // What was said last.
    }
    boolean lease =
        op.kind != Op.Kind.QUERY
            || wanted != AnswerState.READY
            || (op.lease != null && op.lease.id.equals(answer.lease()) && op.hits == answer.hits());
    return answer.state() == wanted && lease;
  }

  private void repaired(Command.Answer answer, Op op) {
    asked = true;
    // A claim in vain is answered for whatever revision it named.
    boolean vain = op.busyLast && answer.state() == AnswerState.BUSY;
    boolean right =
        answer.record() == Event.NO_RECORD
            && same(answer, op)
            && (vain || answer.revision() == (op.kind == Op.Kind.QUERY ? op.revision : 0));
    world.require(Invariant.LOST_ANSWER_REPAIRED, right, "asked for " + op, answer);
    op.seen = true;
  }

  private void takeRecord(Op op, Command.Answer answer) {
    if (answer.record() == Event.NO_RECORD) {
      return;
    }
    Op owner = op.client.records.put(answer.record(), op);
    if (owner == null || owner == op || owner.id == op.id) {
      return;
    }
    LeaseModel lease = owner.lease;
    boolean free =
        owner.acknowledged
            || owner.superseded
            || owner.left
            || (owner.end != null
                && (owner.kind != Op.Kind.QUERY
                    || lease == null
                    || lease.standing != Standing.OPEN));
    boolean restoresIt =
        op.kind == Op.Kind.RESTORE && lease != null && lease.id.equals(op.restores);
    world.require(
        Invariant.BOARD_RECORD_OWNED,
        free || restoresIt,
        "the record still shows " + owner,
        answer);
  }

  // ---- ends ------------------------------------------------------------------------------------

  private void query(Command.Answer answer, Op op, boolean waited) {
    switch (answer.state()) {
      case READY -> ready(answer, op);
      case MISS -> {
        Question question = op.question;
        if (question != null) {
          question.missed |= question.lease == null;
          if (question.lease != null) {
            world.effects().straggled(op, question.lease);
          }
        }
      }
      case CANCELLED, BUSY, WARMED ->
          world.require(
              Invariant.REVISION_FENCED,
              answer.lease().isNone(),
              "a lease with " + answer.state(),
              answer);
      case LOADING, PREPARED, RESTORED, PUBLISHED, FAILED, REFUSED, SUBMITTED ->
          throw new InvariantViolation(Invariant.ENDS_EXACTLY_ONCE, op + " ends as " + answer);
    }
    boolean inLine =
        (answer.state() == AnswerState.READY || answer.state() == AnswerState.MISS)
            && op.query != QueryKind.PREPARE
            && op.query != QueryKind.WARM
            && !outOfTime(op)
            && !op.announced()
            && !shared(op);
    boolean bypass = op.bytes() > instanceBudget();
    if (inLine && waited && !bypass && !model.draining) {
      servedNow.add(op);
    }
  }

  private boolean outOfTime(Op op) {
    long timeout = world.settings.reads().timeout().toNanos();
    long limit = Math.min(timeout > 0 ? timeout : Long.MAX_VALUE, plannedNanos(op));
    return world.event instanceof Event.Tick && world.nowNanos - op.submittedNanos >= limit;
  }

  private long plannedNanos(Op op) {
    return world.policies.advice().deadlineNanos(op);
  }

  private long instanceBudget() {
    return world.settings.budget().instanceBytes();
  }

  private void inOrder(Op op) {
    for (Op other : model.undecided.values()) {
      world.checks.require(
          Invariant.WAITERS_IN_ORDER,
          other.instance != op.instance
              || other.order >= op.order
              || !other.loading
              || other.admitted
              || other.speculative()
              || shared(other),
          () -> op + " overtakes " + other);
    }
  }

  private void ready(Command.Answer answer, Op op) {
    world.require(
        Invariant.PREPARATION_HAS_NO_LEASE,
        op.query != QueryKind.PREPARE || op.claimed,
        "an offer of a preparation that nobody claimed: " + op,
        answer);
    boolean plausible =
        !answer.lease().isNone() && answer.hits() > 0 && answer.hits() <= op.names.length;
    world.require(
        Invariant.LEASED_PAGES_COMPLETE, plausible, "an offer of nothing for " + op, answer);
    world.require(
        Invariant.STRICT_IS_WHOLE,
        !op.strict() || answer.hits() == op.names.length,
        "a part for " + op,
        answer);
    LeaseModel lease = model.leasesById.get(answer.lease());
    boolean joins =
        lease != null
            && lease.standing != Standing.CLOSED
            && lease.owner.asksLike(op)
            && lease.names.length == answer.hits()
            && lease.heldBy(op.client) == null;
    agree(op, lease, answer);
    world.require(
        Invariant.LEASE_ID_UNIQUE, lease == null || joins, "a lease id again for " + op, answer);
    if (lease == null) {
      lease = new LeaseModel(answer.lease(), op, answer.hits());
      model.addLease(lease);
      withoutThoseWhoLeft(lease, op.question);
    } else {
      lease.holders.add(op);
    }
    Question question = op.question;
    if (question != null) {
      question.lease = lease;
    }
    op.offerDeadlineNanos = world.nowNanos + world.settings.lifetimes().offer().toNanos();
    op.lease = lease;
    if (joins || (answer.detail() & Command.CLAIMED_PREPARATION) != 0) {
      return; // Its pages were checked before, or held since before.
    }
    boolean dense = op.submit == null || op.submit.demand() == null;
    int last = answer.hits() - 1;
    boolean tail = there(op, last) && foundSince(page(op, last), op);
    for (int place = 0; place < answer.hits(); place++) {
      findable(op, place, dense && tail);
    }
  }

  private boolean foundSince(PageModel page, Op op) {
    return page.findableSince(model.evictedStep)
        || page.heldSince(op.order)
        || page.reported()
        || op.order <= model.evictedStep
        || shared(op);
  }

  private static boolean sameWords(Op one, Op other) {
    return one.submit != null
        && other.submit != null
        && Question.key(one.submit).equals(Question.key(other.submit));
  }

  /** A rank that left before there was a lease has no share of it. */
  private void withoutThoseWhoLeft(LeaseModel lease, @Nullable Question question) {
    if (question != null) {
      for (Op asker : question.askers) {
        if ((asker.left || asker.superseded) && asker.rank != Op.NO_RANK) {
          lease.shares &= ~(1 << asker.rank);
        }
      }
    }
  }

  /** Ranks that ask the same are told the same. */
  private void agree(Op op, @Nullable LeaseModel lease, Command.Answer answer) {
    Question question = op.question;
    boolean others = lease != null && !lease.owner.asksLike(op) && sameWords(lease.owner, op);
    world.require(
        Invariant.RANKS_AGREE,
        !others,
        "a decision that is not that of its ranks for " + op,
        answer);
    if (question == null || question.askers.size() < 2) {
      return;
    }
    LeaseModel before = question.lease;
    world.require(
        Invariant.RANKS_AGREE,
        before == null ? !question.missed : before == lease && before.names.length == answer.hits(),
        "another decision than for " + question.askers,
        answer);
  }

  private PageModel page(Op op, int place) {
    return model.page(op.shape, op.page(place));
  }

  /** Whether the kernel may have a page for a query: findable, or held since the query came. */
  private boolean there(Op op, int place) {
    PageModel page = page(op, place);
    Question question = op.question;
    long asked = question == null ? op.order : question.askers.getFirst().order;
    return page.findable() || page.heldSince(asked) || page.reported();
  }

  private void findable(Op op, int place, boolean dense) {
    PageModel page = page(op, place);
    boolean there = there(op, place);
    if (dense) {
      world.checks.require(
          Invariant.DENSE_HIT_CONTIGUOUS,
          there && foundSince(page, op),
          () -> "page [" + op.names[place] + "] is not there, and later ones are leased: " + op);
    }
    world.checks.require(
        Invariant.LEASED_PAGES_COMPLETE,
        there || page.copiedByAll(),
        () -> "page [" + op.names[place] + "] was never copied by all ranks: " + op);
    world.checks.require(
        Invariant.SEALS_ON_COMMIT,
        there,
        () -> "page [" + op.names[place] + "] was never committed by all ranks: " + op);
    // What was found before the eviction may be held since then.
    world.checks.require(
        Invariant.EVICTED_NOT_FINDABLE,
        foundSince(page, op),
        () ->
            "page [" + op.names[place] + "] was evicted and not found since: " + page + ": " + op);
  }

  /** Positions are a hint, but true at their moment. */
  void candidates(Command.Candidates command, @Nullable Op subject) {
    Client client = live(command.session(), command);
    boolean own =
        subject != null
            && subject.client == client
            && subject.id == command.operation()
            && subject.revision == command.revision()
            && subject.query == QueryKind.DISCOVER
            && subject.id > client.lastAccepted;
    if (subject == null || !own) {
      throw new InvariantViolation(
          Invariant.REVISION_FENCED, "positions that nobody asked for: " + command.operation());
    }
    client.lastAccepted = subject.id;
    subjectHeard = true;
    int next = 0;
    int first = 0;
    int[] asked = subject.submit == null ? new int[0] : subject.submit.pagesOfGroup();
    for (int i = 0; i < command.groups().length; i++) {
      for (int j = 0; j < command.pagesOfGroup()[i]; j++) {
        int position = command.positions()[next++];
        long page = subject.page(first + position);
        boolean there =
            model.pageOf(page).findableSince(model.evictedStep)
                || model.reading.containsKey(page)
                || world.store.told(page);
        boolean prefix = command.groups()[i] != 0 || position == j;
        world.require(Invariant.EVICTED_NOT_FINDABLE, there, "position " + position, subject);
        world.require(
            Invariant.DENSE_HIT_CONTIGUOUS, prefix, "a gap before position " + position, subject);
      }
      first += asked[i];
    }
  }

  static boolean shared(Op op) {
    Question question = op.question;
    return question != null && question.askers.size() > 1;
  }

  private void restore(Command.Answer answer, Op op) {
    reported(answer, op, Invariant.NO_WRITE_AFTER_TERMINAL);
    LeaseModel lease = op.restores == null ? null : model.leasesById.get(op.restores);
    switch (answer.state()) {
      case MISS -> {
        Integer rank = op.client.ranks.get(op.instance);
        boolean honoured =
            lease != null
                && rank != null
                && lease.standing == Standing.OPEN
                && lease.instance == op.instance
                && (lease.shares & 1 << rank) != 0
                && !model.draining;
        world.require(Invariant.LEASE_HONOURED, !honoured, "a miss for an open " + lease, op);
      }
      case RESTORED -> {
        if (op.order == world.steps && op.lease == null) {
          Integer rank = op.client.ranks.get(op.instance);
          world.require(
              Invariant.UNDELIVERED_OFFER_RELEASED,
              lease != null && lease.standing != Standing.CLOSED,
              "a lease that is gone is restored",
              op);
          if (rank != null) {
            skippedAll(op, rank, lease);
          }
        }
        world.require(Invariant.RIGHT_BYTES, !op.copyFailed, "restored by a failed copy", op);
      }
      case FAILED ->
          world.require(Invariant.FAILURES_COUNTED, op.copyFailed, "failed without a failure", op);
      case LOADING, READY, BUSY, PUBLISHED, CANCELLED, REFUSED, PREPARED, WARMED, SUBMITTED ->
          throw new InvariantViolation(Invariant.ENDS_EXACTLY_ONCE, op + " ends as " + answer);
    }
  }

  private void skippedAll(Op op, int rank, @Nullable LeaseModel lease) {
    if (lease != null && lease.standing != Standing.CLOSED) {
      world.effects().acknowledge(lease, op.client);
      world.effects().takeShare(lease, rank);
    }
  }

  private void publish(Command.Answer answer, Op op) {
    world.effects().outOfQuestion(op);
    reported(answer, op, Invariant.PUBLISH_HOLDS_SOURCE);
    switch (answer.state()) {
      case PUBLISHED ->
          world.require(
              Invariant.PUBLISH_HOLDS_SOURCE,
              op.copied || op.plannedPlaces.length == 0,
              "published without its copy",
              op);
      case FAILED ->
          world.require(Invariant.FAILURES_COUNTED, op.copyFailed, "failed without a failure", op);
      case LOADING, READY, MISS, BUSY, RESTORED, CANCELLED, REFUSED, PREPARED, WARMED, SUBMITTED ->
          throw new InvariantViolation(Invariant.ENDS_EXACTLY_ONCE, op + " ends as " + answer);
    }
  }

  private void reported(Command.Answer answer, Op op, Invariant invariant) {
    world.require(invariant, op.running == 0, "answered while its copy runs: " + op, answer);
  }

  // ---- after a step ----------------------------------------------------------------------------

  /** Whether a publish may wait for a policy. */
  private boolean inQuestion(Op op) {
    return op.kind == Op.Kind.PUBLISH && world.policies.advice().publishQuestions() > 0;
  }

  /** Whoever asked for something was told something. */
  void after(Event event, @Nullable Op subject) {
    if (subject != null && subject.client.alive) {
      boolean copying = subject.running > 0;
      if (!subjectHeard && !copying && inQuestion(subject)) {
        accept(world, subject);
        world.effects().intoQuestion(subject);
      } else {
        world.require(
            Invariant.ENDS_EXACTLY_ONCE, subjectHeard || copying, "no word about it", subject);
      }
    }
    for (Op op : model.undecided.values()) {
      op.admitted |= model.inFlight(op) || world.policies.advice().plans(op);
    }
    servedNow.forEach(this::inOrder);
    servedNow.clear();
    if (event instanceof Event.Ask ask) {
      Client client = model.clients.get(ask.session());
      if (client != null && client.alive) {
        world.require(Invariant.LOST_ANSWER_REPAIRED, asked, "no reply", ask);
      }
    }
    subjectHeard = false;
    asked = false;
  }
}
