package io.orbitkv.kernel.operation;

import io.orbitkv.api.query.ErrorCode;
import io.orbitkv.api.query.QueryKind;
import io.orbitkv.kernel.Event;
import io.orbitkv.kernel.KernelCounter;
import io.orbitkv.kernel.QueuedRequest;
import io.orbitkv.kernel.budget.Permit;
import io.orbitkv.kernel.budget.PermitAccount;
import io.orbitkv.kernel.budget.Permits;
import io.orbitkv.kernel.instance.Instance;
import io.orbitkv.kernel.step.Step;
import io.orbitkv.kernel.table.LongMap;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The queues that engines report, and what is prepared or warmed for them on a policy's advice. A
 * preparation lives on for the lifetime of a preparation after its request has left the queue or
 * the reports have fallen silent. Advice is checked like everything else: unknown requests and more
 * than the limits allow are passed over. Dispatcher.
 */
final class Lookahead {
  /** Requests of one instance's queue; a report that exceeds it is refused. */
  static final int QUEUE_LIMIT = 4096;

  /** Instead of the bytes of a request's keys: it is not in the queue. */
  private static final long ABSENT = -1;

  private final Step step;
  private final Replies replies;
  private final Permits permits;
  private final PendingKeys pendingKeys;
  private final Decisions decisions;
  private final QueueQuestions questions;
  private final LongMap<Queue> queues = new LongMap<>();
  private final Map<ContentDigest, Decision> byDigest = new HashMap<>();

  /** The queue of one instance generation. */
  private static final class Queue implements QueueQuestions.Source {
    final Instance instance;
    final Map<String, QueuedRequest> requests = new LinkedHashMap<>();
    final Map<String, Long> arrivals = new HashMap<>();
    final Map<String, Long> toCompute = new HashMap<>();
    final Map<String, Decision> prepared = new LinkedHashMap<>();
    final Map<String, Decision> warmed = new HashMap<>();
    final PermitAccount permits = new PermitAccount();
    long reportedNanos;

    Queue(Instance instance) {
      this.instance = instance;
    }

    @Override
    public Instance instance() {
      return instance;
    }

    @Override
    public Collection<QueuedRequest> requests() {
      return requests.values();
    }

    @Override
    public long arrivalNanos(QueuedRequest request) {
      return arrivals.getOrDefault(request.requestId(), 0L);
    }

    @Override
    public long toCompute(QueuedRequest request, ToLongFunction<QueuedRequest> count) {
      return toCompute.computeIfAbsent(request.requestId(), _ -> count.applyAsLong(request));
    }
  }

  Lookahead(
      Step step,
      Replies replies,
      Permits permits,
      PendingKeys pendingKeys,
      Decisions decisions,
      QueueQuestions questions) {
    this.step = step;
    this.replies = replies;
    this.permits = permits;
    this.pendingKeys = pendingKeys;
    this.decisions = decisions;
    this.questions = questions;
  }

  // ---- reports ---------------------------------------------------------------------------------

  /** An engine's queue changed. Everything is checked before anything changes. */
  void queue(Session session, Event.Queue report, Instance instance) {
    Queue known = queues.get(instance.handle());
    Queue queue = known == null ? new Queue(instance) : known;
    int size = queue.requests.size();
    long bytes = 0;
    Map<String, Long> changed = new HashMap<>();
    for (QueuedRequest change : report.changes()) {
      if (change.state() == QueuedRequest.State.ACCEPTED) {
        Event.Submit question = question(instance, change);
        SubmitProblem problem = SubmitProblem.of(question, step.settings().limits());
        if (problem == null) {
          problem = SubmitProblem.unfit(question, instance);
        }
        if (problem != null) {
          refuse(session, report, problem.error(), change.requestId(), problem.message());
          return;
        }
      }
      long after =
          change.state() == QueuedRequest.State.ACCEPTED
              ? PendingKeys.bytesOf(change.keys())
              : ABSENT;
      Long before = changed.put(change.requestId(), after);
      if (before == null) {
        QueuedRequest former = queue.requests.get(change.requestId());
        before = former == null ? ABSENT : PendingKeys.bytesOf(former.keys());
      }
      size += (after == ABSENT ? 0 : 1) - (before == ABSENT ? 0 : 1);
      bytes += Math.max(0, after) - Math.max(0, before);
    }
    // A report that makes the queue smaller is always taken.
    if (size > QUEUE_LIMIT || (bytes > 0 && !pendingKeys.admits(bytes))) {
      refuse(
          session,
          report,
          ErrorCode.LIMIT,
          "",
          "the queue would hold more than ["
              + QUEUE_LIMIT
              + "] requests, or more keys than may be pending: report fewer");
      return;
    }
    if (known == null) {
      queues.put(instance.handle(), queue);
    }
    for (QueuedRequest change : report.changes()) {
      apply(queue, change);
    }
    queue.reportedNanos = step.nowNanos();
    long until = step.nowNanos() + step.settings().lifetimes().preparation().toNanos();
    for (Map.Entry<String, Decision> prepared : queue.prepared.entrySet()) {
      if (queue.requests.containsKey(prepared.getKey()) && prepared.getValue().speculative()) {
        prepared.getValue().deadlineNanos = until;
      }
    }
    if (!report.changes().isEmpty()) {
      questions.changed(queue);
    }
  }

  /** Others are asked from now on. */
  void policiesChanged() {
    for (Queue queue : queues.values()) {
      questions.changed(queue);
    }
  }

  /** At the end of each step. */
  void pump() {
    questions.pump();
  }

  private void apply(Queue queue, QueuedRequest change) {
    QueuedRequest former = queue.requests.remove(change.requestId());
    queue.toCompute.remove(change.requestId());
    if (former != null) {
      pendingKeys.add(-PendingKeys.bytesOf(former.keys()));
    }
    if (change.state() == QueuedRequest.State.ACCEPTED) {
      queue.requests.put(change.requestId(), change);
      queue.arrivals.putIfAbsent(change.requestId(), step.nowNanos());
      pendingKeys.add(PendingKeys.bytesOf(change.keys()));
      Decision prepared = queue.prepared.get(change.requestId());
      if (prepared != null
          && !prepared.digest().equals(ContentDigest.of(queue.instance.handle(), change))) {
        giveUp(queue, change.requestId());
      }
    } else {
      queue.arrivals.remove(change.requestId());
    }
  }

  private static Event.Submit question(Instance instance, QueuedRequest request) {
    return new Event.Submit(
        0,
        1,
        1,
        Event.NO_RECORD,
        instance.handle(),
        QueryKind.PREPARE,
        request.requestId(),
        request.groups(),
        request.pagesOfGroup(),
        request.keys(),
        request.demand());
  }

  private void refuse(
      Session session, Event.Queue report, ErrorCode error, String request, String problem) {
    replies.refuse(
        session,
        report.operation(),
        error,
        "queue report: " + (request.isEmpty() ? "" : "request [" + request + "]: ") + problem);
  }

  // ---- advice ----------------------------------------------------------------------------------

  /** Prepares requests, in order of preference, and gives up what is not wanted any more. */
  void prepare(Instance instance, List<String> requestIds) {
    Queue queue = queues.get(instance.handle());
    if (queue == null) {
      return;
    }
    Set<String> wanted = new LinkedHashSet<>(requestIds);
    for (String request : List.copyOf(queue.prepared.keySet())) {
      if (!wanted.contains(request)) {
        giveUp(queue, request);
      }
    }
    for (String id : wanted) {
      QueuedRequest request = queue.requests.get(id);
      if (request != null && !runs(queue.prepared, id)) {
        begin(queue, request, QueryKind.PREPARE);
      }
    }
  }

  /** Warms requests, in order of preference. */
  void warm(Instance instance, List<String> requestIds) {
    Queue queue = queues.get(instance.handle());
    if (queue == null) {
      return;
    }
    for (String id : new LinkedHashSet<>(requestIds)) {
      QueuedRequest request = queue.requests.get(id);
      if (request != null
          && request.demand() == null
          && !runs(queue.prepared, id)
          && !runs(queue.warmed, id)) {
        begin(queue, request, QueryKind.WARM);
      }
    }
  }

  private static boolean runs(Map<String, Decision> decisions, String request) {
    Decision decision = decisions.get(request);
    return decision != null && decision.undecided();
  }

  private void begin(Queue queue, QueuedRequest request, QueryKind kind) {
    Event.Submit prepare = question(queue.instance, request);
    Event.Submit question =
        kind == QueryKind.PREPARE
            ? prepare
            : new Event.Submit(
                0,
                1,
                1,
                Event.NO_RECORD,
                prepare.instance(),
                kind,
                prepare.requestId(),
                prepare.groups(),
                prepare.pagesOfGroup(),
                prepare.keys(),
                null);
    ContentDigest digest = ContentDigest.of(queue.instance.handle(), request);
    Decision decision = decisions.create(question, digest, queue.instance);
    if (!decisions.admitsSpeculation(decision)) {
      return;
    }
    Permit permit = permits.acquire(queue.permits, true, kind == QueryKind.PREPARE);
    if (permit == null) {
      step.count(KernelCounter.SPECULATION_BUSY);
      return;
    }
    decision.queuePermit = permit;
    if (kind == QueryKind.PREPARE) {
      queue.prepared.put(request.requestId(), decision);
      byDigest.put(digest, decision);
    } else {
      queue.warmed.put(request.requestId(), decision);
    }
    decisions.begin(decision, permit);
  }

  private void giveUp(Queue queue, String request) {
    Decision prepared = queue.prepared.remove(request);
    if (prepared != null) {
      byDigest.remove(prepared.digest(), prepared);
      if (prepared.undecided() && prepared.speculative()) {
        decisions.abandon(prepared);
      }
    }
  }

  /**
   * The preparation that announced exactly this demand, or null. It is the demand's from now on.
   */
  @Nullable Decision preparedFor(ContentDigest digest) {
    if (byDigest.isEmpty()) {
      return null;
    }
    Decision prepared = byDigest.remove(digest);
    if (prepared == null) {
      return null;
    }
    Queue queue = queues.get(prepared.instance().handle());
    if (queue != null) {
      queue.prepared.remove(prepared.requestId(), prepared);
    }
    if (!prepared.undecided()
        || !prepared.speculative()
        || prepared.deadlineNanos - step.nowNanos() <= 0) {
      return null;
    }
    if (prepared.foundNothing()) {
      // A hint is no proof: what it did not find may have come since.
      decisions.abandon(prepared);
      return null;
    }
    return prepared;
  }

  // ---- endings ---------------------------------------------------------------------------------

  /** Forgets preparations that ended and queues that nobody reports any more. */
  void tick() {
    long silent = step.settings().lifetimes().operation().toNanos();
    for (Queue queue : queues.values()) {
      queue.prepared.values().removeIf(prepared -> !prepared.undecided());
      queue.warmed.values().removeIf(warmed -> !warmed.undecided());
      if (step.nowNanos() - queue.reportedNanos > silent) {
        forget(queue);
      }
    }
    byDigest.values().removeIf(prepared -> !prepared.undecided());
  }

  /** A generation ended. */
  void retired(Instance instance) {
    Queue queue = queues.get(instance.handle());
    if (queue != null) {
      forget(queue);
    }
  }

  private void forget(Queue queue) {
    for (String request : List.copyOf(queue.prepared.keySet())) {
      giveUp(queue, request);
    }
    for (QueuedRequest request : queue.requests.values()) {
      pendingKeys.add(-PendingKeys.bytesOf(request.keys()));
    }
    queues.remove(queue.instance.handle());
    questions.gone(queue);
  }

  /** Bytes of the keys of all queued requests. */
  long keyBytes() {
    long bytes = 0;
    for (Queue queue : queues.values()) {
      for (QueuedRequest request : queue.requests.values()) {
        bytes += PendingKeys.bytesOf(request.keys());
      }
    }
    return bytes;
  }
}
