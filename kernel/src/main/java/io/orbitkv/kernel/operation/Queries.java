package io.orbitkv.kernel.operation;

import io.orbitkv.api.lease.LeaseId;
import io.orbitkv.api.query.AnswerState;
import io.orbitkv.api.query.ErrorCode;
import io.orbitkv.api.query.QueryKind;
import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.Event;
import io.orbitkv.kernel.KernelCounter;
import io.orbitkv.kernel.KernelSettings;
import io.orbitkv.kernel.budget.Permit;
import io.orbitkv.kernel.budget.Permits;
import io.orbitkv.kernel.instance.Instance;
import io.orbitkv.kernel.instance.Registration;
import io.orbitkv.kernel.lease.Lease;
import io.orbitkv.kernel.operation.QueryOperation.Standing;
import io.orbitkv.kernel.partition.Partition;
import io.orbitkv.kernel.policy.Asked;
import io.orbitkv.kernel.policy.Lineage;
import io.orbitkv.kernel.read.Reads;
import io.orbitkv.kernel.step.Step;
import org.jspecify.annotations.Nullable;

/**
 * What clients say about queries: ids, revisions, permits, claims and endings. How a question is
 * decided is the business of {@link Decisions}. Dispatcher.
 */
public final class Queries {
  private final Step step;
  private final Sessions sessions;
  private final Replies replies;
  private final Partition partition;
  private final Permits permits;
  private final PendingKeys pendingKeys;
  private final Interests interests;
  private final Decisions decisions;
  private final Discovery discovery;
  private final JointDecisions joint = new JointDecisions();
  private final Lookahead lookahead;

  /** Works on one partition. */
  public Queries(
      Step step,
      Sessions sessions,
      Replies replies,
      Partition partition,
      Permits permits,
      Reads reads,
      PendingKeys pendingKeys,
      Asked asked,
      Lineage lineage,
      PageUse pageUse) {
    this.step = step;
    this.sessions = sessions;
    this.replies = replies;
    this.partition = partition;
    this.permits = permits;
    this.pendingKeys = pendingKeys;
    this.interests = new Interests(step, replies, permits, partition.leases());
    RequestDescriptions descriptions =
        new RequestDescriptions(partition.residency(), reads, lineage);
    QueueQuestions questions = new QueueQuestions(step, asked, partition.budget(), descriptions);
    this.decisions =
        new Decisions(
            step,
            interests,
            partition,
            permits,
            reads,
            pendingKeys,
            asked,
            lineage,
            descriptions,
            questions,
            pageUse);
    this.discovery = new Discovery(step, partition.residency(), reads);
    this.lookahead = new Lookahead(step, replies, permits, pendingKeys, decisions, questions);
  }

  // ---- submit ----------------------------------------------------------------------------------

  /**
   * A query, or the same query again, or its next revision.
   *
   * @param instance the sealed generation, already looked up
   */
  public void submit(Session session, Event.Submit submit, Instance instance) {
    Operation pending = session.operations().get(submit.operation());
    if (pending != null) {
      resubmit(session, submit, instance, pending);
      return;
    }
    if (submit.operation() <= session.lastOperation()) {
      refuse(session, submit, ErrorCode.STALE_OPERATION, "was used already: ids only grow");
      return;
    }
    String problem = session.recordProblem(submit.record(), submit.operation());
    if (problem != null) {
      refuse(session, submit, ErrorCode.INVALID, problem);
    } else if (submit.kind() == QueryKind.DISCOVER) {
      session.use(submit.operation());
      discovery.discover(session, submit, instance);
    } else {
      accept(session, submit, instance, ContentDigest.of(submit));
    }
  }

  private void resubmit(
      Session session, Event.Submit submit, Instance instance, Operation pending) {
    if (!(pending instanceof QueryOperation query)) {
      refuse(session, submit, ErrorCode.STALE_OPERATION, "is a restore or publish that still runs");
      return;
    }
    ContentDigest digest = ContentDigest.of(submit);
    if (query.standing() == Standing.LEASED) {
      refuse(session, submit, ErrorCode.STALE_OPERATION, "is answered and taken");
    } else if (submit.revision() < query.revision()) {
      refuse(
          session,
          submit,
          ErrorCode.STALE_OPERATION,
          "has the revision [" + query.revision() + "], newer than [" + submit.revision() + "]");
    } else if (submit.revision() == query.revision()) {
      if (query.sameContent(digest) && query.record() == submit.record()) {
        interests.tell(query, submit.record());
      } else {
        refuse(
            session,
            submit,
            ErrorCode.INVALID,
            "was submitted with other content: use a higher revision");
      }
    } else if (!query.sameRequest(digest)) {
      refuse(
          session,
          submit,
          ErrorCode.INVALID,
          "belongs to another request, group or instance: use a new id");
    } else {
      String problem = session.recordProblem(submit.record(), submit.operation());
      if (problem == null && submit.kind() == QueryKind.DISCOVER) {
        problem = "is pending: discover under an id of its own";
      }
      if (problem != null) {
        refuse(session, submit, ErrorCode.INVALID, problem);
        return;
      }
      if (!pendingKeys.admits(PendingKeys.bytesOf(submit.keys()) - query.decision().keyBytes())) {
        refuse(
            session, submit, ErrorCode.LIMIT, "asks for more keys than may wait: try again later");
        return;
      }
      decisions.leave(query);
      accept(session, submit, instance, digest);
    }
  }

  private void accept(
      Session session, Event.Submit submit, Instance instance, ContentDigest digest) {
    QueryKind kind = submit.kind();
    boolean speculative = kind == QueryKind.PREPARE || kind == QueryKind.WARM;
    boolean preparation = kind == QueryKind.PREPARE;
    if (session.leases >= KernelSettings.SESSION_LEASES
        || !pendingKeys.admits(PendingKeys.bytesOf(submit.keys()))) {
      busy(session, submit);
      return;
    }
    int rank = rankOf(session, instance);
    Decision decision =
        rank == QueryOperation.NO_RANK ? null : joint.find(digest, submit.revision(), rank);
    boolean joins = decision != null;
    boolean fresh = decision == null;
    if (decision == null && speculative) {
      decision = decisions.create(submit, digest, instance);
      if (!decisions.admitsSpeculation(decision)) {
        answerBusy(session, submit); // The reason is counted.
        return;
      }
    }
    Permit permit = permits.acquire(session.permits(), speculative, preparation);
    if (permit == null) {
      busy(session, submit);
      return;
    }
    if (decision == null) {
      decision = lookahead.preparedFor(digest);
      fresh = decision == null;
    }
    if (decision == null) {
      decision = decisions.create(submit, digest, instance);
    }
    session.use(submit.operation());
    session.occupy(submit.record(), submit.operation());
    QueryOperation query =
        new QueryOperation(session, submit, digest, decision, permit, rank, !preparation);
    session.operations().put(query.id(), query);
    decision.join(query);
    if (!joins
        && rank != QueryOperation.NO_RANK
        && instance.worldSize() > 1
        && kind != QueryKind.WARM) {
      decision.joinableUntilNanos =
          step.nowNanos() + step.settings().lifetimes().operation().toNanos();
      joint.add(digest, submit.revision(), decision);
    }
    if (fresh) {
      decisions.begin(decision, permit);
    } else if (joins) {
      step.count(KernelCounter.DECISIONS_JOINED);
      if (decision.everybodyJoined()) {
        joint.remove(digest, submit.revision(), decision);
      }
      decisions.joined(query);
    } else {
      step.count(KernelCounter.PREPARATIONS_MATCHED);
      decision.claimedFromQueue = true;
      decisions.claimed(decision, true);
    }
    decisions.pump();
    if (query.standing() == Standing.PENDING && decision.loading()) {
      interests.tell(query, query.record());
    }
  }

  private static int rankOf(Session session, Instance instance) {
    Registration worker = session.worker(instance.handle());
    return worker == null ? QueryOperation.NO_RANK : worker.rank();
  }

  private void busy(Session session, Event.Submit submit) {
    boolean speculative = submit.kind() == QueryKind.PREPARE || submit.kind() == QueryKind.WARM;
    step.count(speculative ? KernelCounter.SPECULATION_BUSY : KernelCounter.OPERATIONS_BUSY);
    answerBusy(session, submit);
  }

  private void answerBusy(Session session, Event.Submit submit) {
    session.occupy(submit.record(), submit.operation());
    replies.answer(
        session,
        submit.operation(),
        submit.revision(),
        submit.record(),
        AnswerState.BUSY,
        0,
        0,
        LeaseId.NONE,
        "");
  }

  // ---- the client's further messages -----------------------------------------------------------

  /** The client wants a preparation now. */
  public void claim(Session session, Event.Claim claim) {
    Operation pending = session.operations().get(claim.operation());
    if (!(pending instanceof QueryOperation query)) {
      if (pending != null) {
        refuseClaim(session, claim, ErrorCode.INVALID, "is a restore or publish");
      } else if (claim.operation() > session.lastOperation()) {
        refuseClaim(session, claim, ErrorCode.UNKNOWN, "was never submitted");
      } else {
        claimBusy(session, claim);
      }
      return;
    }
    Decision decision = query.decision();
    if (claim.revision() != query.revision()) {
      refuseClaim(
          session,
          claim,
          ErrorCode.STALE_OPERATION,
          "has the revision [" + query.revision() + "], not [" + claim.revision() + "]");
      return;
    }
    if (decision.kind() != QueryKind.PREPARE || query.claimed()) {
      refuseClaim(session, claim, ErrorCode.INVALID, "is no preparation that waits for a claim");
      return;
    }
    String problem = session.recordProblem(claim.record(), claim.operation());
    if (problem != null) {
      refuseClaim(session, claim, ErrorCode.INVALID, problem);
      return;
    }
    if (decision.speculative() && decision.deadlineNanos - step.nowNanos() <= 0) {
      // Too old, though the sweep has not come by yet.
      decisions.expireForClaim(query);
      claimBusy(session, claim);
      return;
    }
    session.vacate(query.record(), query.id());
    session.occupy(claim.record(), claim.operation());
    query.claim(claim.record());
    permits.makeForeground(query.permit());
    if (decision.speculative()) {
      decisions.claimed(decision, claim.countLookup());
    } else {
      decisions.joined(query);
    }
    decisions.pump();
    if (query.standing() == Standing.PENDING) {
      interests.tell(query, query.record());
    }
  }

  private void claimBusy(Session session, Event.Claim claim) {
    step.count(KernelCounter.CLAIMS_BUSY);
    // Over the socket: the operation is over, and its record may be another one's by now.
    replies.answer(
        session,
        claim.operation(),
        claim.revision(),
        Event.NO_RECORD,
        AnswerState.BUSY,
        0,
        0,
        LeaseId.NONE,
        "");
  }

  private void refuseClaim(Session session, Event.Claim claim, ErrorCode error, String problem) {
    replies.refuse(
        session, claim.operation(), error, "operation [" + claim.operation() + "] " + problem);
  }

  /** The client has seen an offer. */
  public void taken(Session session, long operation, int revision) {
    QueryOperation query = ticket(session, operation, revision);
    if (query != null) {
      interests.acknowledge(query);
    }
  }

  /** A lease is used: whoever of the session has an offer of it has seen it. */
  public void acknowledge(Session session, Lease lease) {
    if (lease.holder() instanceof Decision decision) {
      for (int i = 0; i < decision.queries().size(); i++) {
        QueryOperation query = decision.queries().get(i);
        if (query.session() == session) {
          interests.acknowledge(query);
          return;
        }
      }
      // A worker restores for the session that asked: it can only know the lease from there.
      if (decision.queries().size() == 1) {
        interests.acknowledge(decision.queries().getFirst());
      }
      partition.leases().acknowledge(lease);
    }
  }

  /** The query of a session that has a lease, or null. */
  public @Nullable QueryOperation queryOf(Session session, Lease lease) {
    if (lease.holder() instanceof Decision decision) {
      for (QueryOperation query : decision.queries()) {
        if (query.session() == session) {
          return query;
        }
      }
    }
    return null;
  }

  /** A session gives its interest in a lease back. */
  public void release(QueryOperation query) {
    decisions.leave(query);
  }

  /** The client is no longer interested. */
  public void cancel(Session session, QueryOperation query, int revision) {
    if (revision < query.revision()) {
      return; // A late cancel of a former revision cannot hurt the present one.
    }
    if (revision > query.revision()) {
      replies.refuse(
          session,
          query.id(),
          ErrorCode.STALE_OPERATION,
          "operation [" + query.id() + "] has no revision [" + revision + "]");
      return;
    }
    boolean pending = query.standing() == Standing.PENDING;
    decisions.leave(query);
    if (pending) {
      replies.answer(
          session,
          query.id(),
          query.revision(),
          query.record(),
          AnswerState.CANCELLED,
          0,
          0,
          LeaseId.NONE,
          "");
    }
  }

  /** The current state of a pending query over the socket. */
  public void ask(QueryOperation query, int revision) {
    if (revision != query.revision()) {
      replies.refuse(
          query.session(),
          query.id(),
          ErrorCode.STALE_OPERATION,
          "operation ["
              + query.id()
              + "] has the revision ["
              + query.revision()
              + "], not ["
              + revision
              + "]");
      return;
    }
    interests.tell(query, Event.NO_RECORD);
  }

  /** Repeats the last answer of an ended operation over the socket; false when it is forgotten. */
  public boolean repeatRemembered(Session session, long operation, int revision) {
    Command.Answer answer = session.remembered(operation);
    if (answer == null || (answer.revision() != 0 && answer.revision() != revision)) {
      return false;
    }
    replies.repeat(answer);
    return true;
  }

  private @Nullable QueryOperation ticket(Session session, long operation, int revision) {
    Operation pending = session.operations().get(operation);
    if (pending instanceof QueryOperation query) {
      if (revision == query.revision()) {
        return query;
      }
      replies.refuse(
          session,
          operation,
          ErrorCode.STALE_OPERATION,
          "operation ["
              + operation
              + "] has the revision ["
              + query.revision()
              + "], not ["
              + revision
              + "]");
    } else if (operation > session.lastOperation()) {
      replies.refuse(
          session,
          operation,
          ErrorCode.UNKNOWN,
          "operation [" + operation + "] was never submitted");
    }
    return null; // What is late concerns nobody any more.
  }

  private void refuse(Session session, Event.Submit submit, ErrorCode error, String problem) {
    replies.refuse(
        session, submit.operation(), error, "operation [" + submit.operation() + "]: " + problem);
  }

  // ---- queues ----------------------------------------------------------------------------------

  /** An engine's queue changed. */
  public void queue(Session session, Event.Queue queue, Instance instance) {
    lookahead.queue(session, queue, instance);
  }

  /** Advice: what to prepare. */
  public void lookahead(Instance instance, Event.Lookahead advice) {
    lookahead.prepare(instance, advice.requestIds());
  }

  /** Advice: what to warm. */
  public void warm(Instance instance, Event.Warming advice) {
    lookahead.warm(instance, advice.requestIds());
  }

  // ---- advice ----------------------------------------------------------------------------------

  /** How a read is limited; returns whether that was asked. */
  public boolean planAdvised(Event.ReadPlanAdvice advice) {
    return decisions.planAdvised(advice);
  }

  /** Whether pages stay that were read; returns whether that was asked. */
  public boolean promotionAdvised(Event.AdmissionAdvice advice) {
    return decisions.promotionAdvised(advice);
  }

  /** Others are asked from now on. */
  public void policiesChanged() {
    lookahead.policiesChanged();
  }

  // ---- endings ---------------------------------------------------------------------------------

  /** Interest of a session ends. */
  public void sessionClosed(Session session) {
    for (Operation operation : session.operations().values()) {
      if (operation instanceof QueryOperation query && query.standing() != Standing.ENDED) {
        decisions.leave(query);
      }
    }
  }

  /** A generation ended: what is undecided for it is answered. */
  public void retired(Instance instance) {
    joint.retired(instance);
    lookahead.retired(instance);
    decisions.retired(instance);
  }

  /** The maintenance tick. */
  public void tick() {
    joint.expire(step.nowNanos());
    lookahead.tick();
    decisions.tick();
  }

  /**
   * Admits whoever is next, as long as bytes are free, decides what was read, and asks about the
   * queues that changed.
   */
  public void pump() {
    decisions.pump();
    lookahead.pump();
  }

  /** The next moment at which a tick has something to do, or {@link Long#MAX_VALUE}. */
  public long nextDeadlineNanos() {
    return decisions.nextDeadlineNanos();
  }

  // ---- books -----------------------------------------------------------------------------------

  /** Queries that are not decided. */
  public int undecided() {
    return decisions.undecided();
  }

  /** Bytes of keys that they and the queues hold. */
  public long pendingKeyBytes() {
    return decisions.keyBytes() + lookahead.keyBytes();
  }

  /** Reservations that preparations own. */
  public int reservations() {
    return decisions.reservations();
  }

  /** Adds the references that preparations hold, by page. For the deep check. */
  public void countReferences(int[] references) {
    decisions.countReferences(references);
  }

  /** The deep check. */
  public void verify() {
    decisions.verify();
    int held = 0;
    for (Session session : sessions.all()) {
      int own = 0;
      int leased = 0;
      for (Operation operation : session.operations().values()) {
        if (operation instanceof QueryOperation query) {
          leased += query.standing() == Standing.LEASED ? 1 : 0;
          own += query.standing() == Standing.LEASED ? 0 : 1;
          if (query.standing() == Standing.ENDED || !query.decision().queries().contains(query)) {
            throw new IllegalStateException("ended query [" + query.id() + "] is still pending");
          }
        }
      }
      if (leased != session.leases || own > session.permits().all()) {
        throw new IllegalStateException(
            "session ["
                + session.id()
                + "] has ["
                + leased
                + "] taken leases, ["
                + session.leases
                + "] are booked, and ["
                + own
                + "] queries with ["
                + session.permits().all()
                + "] permits");
      }
      held += own;
    }
    if (held > permits.all()) {
      throw new IllegalStateException(
          "[" + permits.all() + "] permits are given, [" + held + "] held");
    }
  }
}
