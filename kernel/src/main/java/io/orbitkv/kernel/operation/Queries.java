package io.orbitkv.kernel.operation;

import io.orbitkv.api.lease.LeaseId;
import io.orbitkv.api.lease.ReservationPhase;
import io.orbitkv.api.query.AnswerState;
import io.orbitkv.api.query.ErrorCode;
import io.orbitkv.api.query.QueryKind;
import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.Event;
import io.orbitkv.kernel.KernelCounter;
import io.orbitkv.kernel.KernelSettings;
import io.orbitkv.kernel.budget.Admission;
import io.orbitkv.kernel.budget.Budget;
import io.orbitkv.kernel.instance.Instance;
import io.orbitkv.kernel.lease.Lease;
import io.orbitkv.kernel.partition.Partition;
import io.orbitkv.kernel.residency.Residency;
import io.orbitkv.kernel.step.Step;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The state machine of queries: permits, admission, lookup, offers, and who waits for bytes.
 * Dispatcher.
 */
public final class Queries {
  private final Step step;
  private final Sessions sessions;
  private final Replies replies;
  private final Partition partition;
  private final PendingKeys pendingKeys;
  private final AdmissionLine line;
  private int permits;
  private int[] found = new int[64];

  /** Works on one partition. */
  public Queries(
      Step step, Sessions sessions, Replies replies, Partition partition, PendingKeys pendingKeys) {
    this.step = step;
    this.sessions = sessions;
    this.replies = replies;
    this.partition = partition;
    this.pendingKeys = pendingKeys;
    this.line = new AdmissionLine(step, partition);
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
      return;
    }
    if (session.queries >= step.settings().sessionOperations()
        || permits >= step.settings().managerOperations()
        || session.leases >= KernelSettings.SESSION_LEASES
        || !pendingKeys.admits(PendingKeys.bytesOf(submit.keys()))) {
      step.count(KernelCounter.OPERATIONS_BUSY);
      session.occupy(submit.record(), submit.operation());
      answer(session, submit, AnswerState.BUSY, 0, LeaseId.NONE);
      return;
    }
    accept(session, submit, instance);
  }

  private void resubmit(
      Session session, Event.Submit submit, Instance instance, Operation pending) {
    if (!(pending instanceof QueryOperation query)) {
      refuse(session, submit, ErrorCode.STALE_OPERATION, "is a restore or publish that still runs");
      return;
    }
    if (query.state() instanceof QueryState.Leased) {
      refuse(session, submit, ErrorCode.STALE_OPERATION, "is answered and taken");
    } else if (submit.revision() < query.revision()) {
      refuse(
          session,
          submit,
          ErrorCode.STALE_OPERATION,
          "has the revision [" + query.revision() + "], newer than [" + submit.revision() + "]");
    } else if (submit.revision() == query.revision()) {
      if (query.sameContent(submit)) {
        tell(query, submit.record());
      } else {
        refuse(
            session,
            submit,
            ErrorCode.INVALID,
            "was submitted with other content: use a higher revision");
      }
    } else if (!query.sameRequest(submit)) {
      refuse(
          session,
          submit,
          ErrorCode.INVALID,
          "belongs to another request, group or instance: use a new id");
    } else {
      String problem = session.recordProblem(submit.record(), submit.operation());
      if (problem != null) {
        refuse(session, submit, ErrorCode.INVALID, problem);
        return;
      }
      if (!pendingKeys.admits(PendingKeys.bytesOf(submit.keys()) - query.keyBytes())) {
        refuse(
            session, submit, ErrorCode.LIMIT, "asks for more keys than may wait: try again later");
        return;
      }
      withdraw(query);
      accept(session, submit, instance);
    }
  }

  private void accept(Session session, Event.Submit submit, Instance instance) {
    step.count(KernelCounter.QUERIES);
    int pages = submit.keys().length / 2;
    step.count(KernelCounter.QUERY_PAGES, pages);
    session.use(submit.operation());
    session.occupy(submit.record(), submit.operation());
    long bytes = pages * instance.pageBytes(QueryOperation.PREFIX_GROUP);
    long deadline = step.nowNanos() + step.settings().operationLifetime().toNanos();
    QueryOperation query = new QueryOperation(session, submit, instance, bytes, deadline);
    session.operations().put(query.id(), query);
    session.queries++;
    permits++;
    pendingKeys.add(query.keyBytes());
    Admission admission = line.judge(query);
    if (admission == Admission.TOO_LARGE) {
      step.count(KernelCounter.BUDGET_BYPASSES);
      miss(query);
      return;
    }
    if (admission == Admission.ADMITTED && line.size() == 0) {
      run(query);
      return;
    }
    line.add(query);
    pump();
    if (query.state() instanceof QueryState.Waiting) {
      step.count(KernelCounter.BUDGET_WAITS);
      tell(query, query.record());
    }
  }

  // ---- lookup ----------------------------------------------------------------------------------

  private void run(QueryOperation query) {
    Residency residency = partition.residency();
    Budget budget = partition.budget();
    Instance instance = query.instance();
    int domain = instance.domain(QueryOperation.PREFIX_GROUP);
    long[] keys = query.keys();
    int asked = query.pages();
    if (found.length < asked) {
      found = new int[Math.max(asked, found.length * 2)];
    }
    int hits = 0;
    while (hits < asked) {
      int page = residency.find(domain, keys[2 * hits], keys[2 * hits + 1]);
      if (page == Residency.NONE) {
        break;
      }
      found[hits++] = page;
    }
    if (query.kind() == QueryKind.PRODUCER_WAIT && hits < asked) {
      hits = 0;
    }
    if (hits == 0) {
      miss(query);
      return;
    }
    var reservation = budget.reserve(instance.account(), query.bytes(), ReservationPhase.PREPARING);
    int[] pages = Arrays.copyOf(found, hits);
    // From the tail to the head, so that the tail counts as older and is evicted first.
    for (int i = hits - 1; i >= 0; i--) {
      residency.lease(pages[i]);
    }
    budget.shrink(reservation, hits * instance.pageBytes(QueryOperation.PREFIX_GROUP));
    Lease lease =
        partition
            .leases()
            .grant(
                query.session().id(),
                query.id(),
                instance,
                QueryOperation.PREFIX_GROUP,
                pages,
                reservation);
    pendingKeys.add(-query.keyBytes());
    query.become(new QueryState.Offered(lease));
    query.session().leases++;
    step.count(hits == asked ? KernelCounter.QUERY_HITS : KernelCounter.QUERY_PARTIAL_HITS);
    step.count(KernelCounter.QUERY_HIT_PAGES, hits);
    step.count(KernelCounter.QUERY_MISSED_PAGES, asked - hits);
    tell(query, query.record());
  }

  private void miss(QueryOperation query) {
    step.count(KernelCounter.QUERY_MISSES);
    step.count(KernelCounter.QUERY_MISSED_PAGES, query.pages());
    end(query, AnswerState.MISS);
  }

  // ---- the client's further messages -----------------------------------------------------------

  /** The client has seen an offer. */
  public void taken(Session session, long operation, int revision) {
    QueryOperation query = ticket(session, operation, revision);
    if (query != null && query.state() instanceof QueryState.Offered offer) {
      acknowledge(offer.lease());
    }
  }

  /** An offer was seen, by whatever message: it gives up its permit and its record. */
  public void acknowledge(Lease lease) {
    partition.leases().acknowledge(lease);
    QueryOperation query = queryOf(lease);
    if (query != null && query.state() instanceof QueryState.Offered offer) {
      query.become(new QueryState.Leased(offer.lease()));
      giveUpPermit(query);
    }
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
    if (query.state() instanceof QueryState.Waiting) {
      countCancelled(query);
      line.remove(query);
      end(query, AnswerState.CANCELLED);
    } else {
      closeLeaseOf(query);
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
    tell(query, Event.NO_RECORD);
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

  // ---- endings ---------------------------------------------------------------------------------

  /** Interest of a session ends. */
  public void sessionClosed(Session session) {
    for (Operation operation : session.operations().values()) {
      if (operation instanceof QueryOperation query) {
        withdraw(query);
      }
    }
  }

  /** A generation ended: what waits for it is answered. */
  public void retired(Instance instance) {
    for (QueryOperation query : line.all()) {
      if (query.instance() == instance) {
        line.remove(query);
        miss(query);
      }
    }
  }

  /** Told by the leases. */
  public void leaseClosed(Lease lease) {
    QueryOperation query = queryOf(lease);
    if (query != null) {
      if (query.state() instanceof QueryState.Offered) {
        giveUpPermit(query);
      }
      query.session().leases--;
      query.end();
      query.session().operations().remove(query.id());
    }
  }

  /** The maintenance tick: queries that are too old, and heads that wait behind idle leases. */
  public void tick() {
    for (QueryOperation query : line.all()) {
      if (query.deadlineNanos() - step.nowNanos() <= 0) {
        step.count(KernelCounter.QUERIES_EXPIRED);
        step.count(KernelCounter.QUERY_MISSED_PAGES, query.pages());
        line.remove(query);
        end(query, AnswerState.MISS);
      }
    }
    pump();
    line.revokeForBlockedHeads();
    pump();
  }

  /** Admits whoever is next, as long as bytes are free. */
  public void pump() {
    for (QueryOperation query = line.next(); query != null; query = line.next()) {
      run(query);
    }
  }

  /** Ends a query without an answer: its client is gone or asks something else. */
  private void withdraw(QueryOperation query) {
    if (query.state() instanceof QueryState.Waiting) {
      countCancelled(query);
      line.remove(query);
      giveUpPermit(query);
      pendingKeys.add(-query.keyBytes());
      query.end();
      query.session().operations().remove(query.id());
    } else {
      closeLeaseOf(query);
    }
  }

  private void closeLeaseOf(QueryOperation query) {
    switch (query.state()) {
      case QueryState.Offered offer -> partition.leases().close(offer.lease());
      case QueryState.Leased leased -> partition.leases().close(leased.lease());
      case QueryState.Waiting waits -> {}
      case QueryState.Ended ended -> {}
    }
  }

  private void countCancelled(QueryOperation query) {
    step.count(KernelCounter.QUERIES_CANCELLED);
    step.count(KernelCounter.QUERY_CANCELLED_PAGES, query.pages());
  }

  private void end(QueryOperation query, AnswerState state) {
    giveUpPermit(query);
    pendingKeys.add(-query.keyBytes());
    query.end();
    query.session().operations().remove(query.id());
    replies.answer(
        query.session(),
        query.id(),
        query.revision(),
        query.record(),
        state,
        0,
        0,
        LeaseId.NONE,
        "");
  }

  private void giveUpPermit(QueryOperation query) {
    query.session().queries--;
    permits--;
    query.session().free(query.record(), query.id());
  }

  private @Nullable QueryOperation queryOf(Lease lease) {
    Session session = sessions.get(lease.session());
    return session != null
            && session.operations().get(lease.operation()) instanceof QueryOperation query
        ? query
        : null;
  }

  private void tell(QueryOperation query, int record) {
    switch (query.state()) {
      case QueryState.Waiting waits ->
          replies.answer(
              query.session(),
              query.id(),
              query.revision(),
              record,
              AnswerState.LOADING,
              0,
              0,
              LeaseId.NONE,
              "");
      case QueryState.Offered offer -> tellLease(query, record, offer.lease());
      case QueryState.Leased leased -> tellLease(query, record, leased.lease());
      case QueryState.Ended ended -> {}
    }
  }

  private void tellLease(QueryOperation query, int record, Lease lease) {
    replies.answer(
        query.session(),
        query.id(),
        query.revision(),
        record,
        AnswerState.READY,
        lease.pages().length,
        0,
        lease.id(),
        "");
  }

  private void answer(
      Session session, Event.Submit submit, AnswerState state, int hits, LeaseId lease) {
    replies.answer(
        session, submit.operation(), submit.revision(), submit.record(), state, hits, 0, lease, "");
  }

  private void refuse(Session session, Event.Submit submit, ErrorCode error, String problem) {
    replies.refuse(
        session, submit.operation(), error, "operation [" + submit.operation() + "]: " + problem);
  }

  // ---- books -----------------------------------------------------------------------------------

  /** Queries in the line. */
  public int waiting() {
    return line.size();
  }

  /** Queries that hold a permit. */
  public int permits() {
    return permits;
  }

  /** Bytes of the keys of the queries in the line. */
  public long pendingKeyBytes() {
    return line.all().stream().mapToLong(QueryOperation::keyBytes).sum();
  }

  /** The deep check. */
  public void verify() {
    line.verify();
    int held = 0;
    for (Session session : sessions.all()) {
      int own = 0;
      int leases = 0;
      for (Operation operation : session.operations().values()) {
        if (operation instanceof QueryOperation query) {
          leases += query.state() instanceof QueryState.Waiting ? 0 : 1;
          own += query.state() instanceof QueryState.Leased ? 0 : 1;
          if (query.state() instanceof QueryState.Ended) {
            throw new IllegalStateException("ended query [" + query.id() + "] is still pending");
          }
        }
      }
      if (leases != session.leases) {
        throw new IllegalStateException(
            "session ["
                + session.id()
                + "] counts ["
                + session.leases
                + "] leases and has ["
                + leases
                + "]");
      }
      if (own != session.queries) {
        throw new IllegalStateException(
            "session ["
                + session.id()
                + "] holds ["
                + session.queries
                + "] permits for ["
                + own
                + "] queries");
      }
      held += own;
    }
    if (held != permits) {
      throw new IllegalStateException("[" + permits + "] permits are given, [" + held + "] held");
    }
  }
}
