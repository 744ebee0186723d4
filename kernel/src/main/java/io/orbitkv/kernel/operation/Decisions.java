package io.orbitkv.kernel.operation;

import io.orbitkv.api.lease.ReservationPhase;
import io.orbitkv.api.policy.CutoffPolicy;
import io.orbitkv.api.query.AnswerState;
import io.orbitkv.api.query.QueryKind;
import io.orbitkv.kernel.BrokenInvariant;
import io.orbitkv.kernel.Event;
import io.orbitkv.kernel.KernelCounter;
import io.orbitkv.kernel.Lifetimes;
import io.orbitkv.kernel.budget.Admission;
import io.orbitkv.kernel.budget.Budget;
import io.orbitkv.kernel.budget.Permit;
import io.orbitkv.kernel.budget.Permits;
import io.orbitkv.kernel.budget.Reservation;
import io.orbitkv.kernel.instance.Instance;
import io.orbitkv.kernel.lease.Lease;
import io.orbitkv.kernel.operation.Decision.State;
import io.orbitkv.kernel.operation.QueryOperation.Standing;
import io.orbitkv.kernel.partition.Partition;
import io.orbitkv.kernel.policy.Asked;
import io.orbitkv.kernel.policy.Lineage;
import io.orbitkv.kernel.policy.PageIds;
import io.orbitkv.kernel.read.ReadTask;
import io.orbitkv.kernel.read.Reads;
import io.orbitkv.kernel.residency.Residency;
import io.orbitkv.kernel.step.Step;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How questions are decided: admission, lookup, reads, offers and endings. Whoever asks, a question
 * is decided once, and each query that shares the decision is told. Dispatcher.
 */
final class Decisions {
  private final Step step;
  private final Interests interests;
  private final Partition partition;
  private final Permits permits;
  private final Reads reads;
  private final Lookup lookup;
  private final PendingKeys pendingKeys;
  private final AdmissionLine line;
  private final Deadlines deadlines = new Deadlines();
  private final Proofs proofs;
  private final ReadPlans plans;
  private final Promotions promotions;
  private final Lineage lineage;
  private final long[] usedIds = new long[Lineage.BLOCK];
  private final int[] usedEntries = new int[Lineage.BLOCK];
  private final PageUse pageUse;
  // Those that wait, are read or are held; iterated in order of arrival.
  private final Set<Decision> undecided = new LinkedHashSet<>();

  /** Leases without an interest that further ranks may still ask for, oldest first. */
  private final ArrayDeque<Decision> unasked = new ArrayDeque<>();

  private long lastSequence;

  Decisions(
      Step step,
      Interests interests,
      Partition partition,
      Permits permits,
      Reads reads,
      PendingKeys pendingKeys,
      Asked asked,
      Lineage lineage,
      RequestDescriptions descriptions,
      QueueQuestions questions,
      PageUse pageUse) {
    this.step = step;
    this.interests = interests;
    this.partition = partition;
    this.permits = permits;
    this.reads = reads;
    this.lookup = new Lookup(partition.residency(), reads);
    this.pendingKeys = pendingKeys;
    this.line = new AdmissionLine(step, partition);
    this.proofs = new Proofs(step, partition.residency());
    this.plans = new ReadPlans(step, asked, descriptions, questions);
    this.promotions = new Promotions(step, partition.residency(), asked, lineage);
    this.lineage = lineage;
    this.pageUse = pageUse;
  }

  // ---- admission -------------------------------------------------------------------------------

  /** A question that nobody asked yet. */
  Decision create(Event.Submit question, ContentDigest digest, Instance instance) {
    long bytes = 0;
    for (int i = 0; i < question.groups().length; i++) {
      bytes += question.pagesOfGroup()[i] * instance.pageBytes(question.groups()[i]);
    }
    Decision decision = new Decision(this, question, digest, instance, bytes, ++lastSequence);
    decision.deadlineNanos = step.nowNanos() + lifetimeNanos(question.kind());
    plans.begin(decision);
    return decision;
  }

  private long lifetimeNanos(QueryKind kind) {
    Lifetimes lifetimes = step.settings().lifetimes();
    Duration lifetime =
        switch (kind) {
          case DEMAND, PRODUCER_WAIT, SELECTED, DISCOVER -> lifetimes.operation();
          case PREPARE -> lifetimes.preparation();
          case WARM -> lifetimes.warming();
        };
    return lifetime.toNanos();
  }

  /** Whether speculation may begin now; otherwise the reason is counted. */
  boolean admitsSpeculation(Decision decision) {
    Admission admission =
        partition.budget().judge(decision.instance().account(), decision.bytes(), decision.phase());
    // Whoever waits for bytes must not be delayed by speculation that takes them first.
    if (admission == Admission.ADMITTED && line.size() == 0) {
      return true;
    }
    step.count(
        admission == Admission.YIELDS
            ? KernelCounter.WARMINGS_YIELDED
            : KernelCounter.SPECULATION_BUSY);
    return false;
  }

  /** Decides a new question, or puts it into the line. Speculation was admitted before. */
  void begin(Decision decision, Permit permit) {
    pendingKeys.add(decision.keyBytes());
    if (decision.speculative()) {
      step.count(decision.warming() ? KernelCounter.WARMINGS : KernelCounter.PREPARATIONS);
      run(decision, permit);
      return;
    }
    countQuery(decision);
    Admission admission = line.judge(decision);
    if (admission == Admission.TOO_LARGE) {
      step.count(KernelCounter.BUDGET_BYPASSES);
      miss(decision);
    } else if (admission == Admission.ADMITTED && line.size() == 0) {
      run(decision, permit);
    } else {
      decision.become(State.WAITING);
      undecided.add(decision);
      deadlines.watch(decision);
      line.add(decision);
      pump();
      if (decision.state() == State.WAITING) {
        step.count(KernelCounter.BUDGET_WAITS);
      }
    }
  }

  private void countQuery(Decision decision) {
    decision.counted = true;
    step.count(KernelCounter.QUERIES);
    step.count(KernelCounter.QUERY_PAGES, decision.pages());
  }

  /** Admits whoever is next, as long as bytes are free, and decides what was read. */
  void pump() {
    boolean more = true;
    while (more) {
      more = false;
      for (ReadTask task = reads.ready(); task != null; task = reads.ready()) {
        readFinished((Decision) task.owner());
        more = true;
      }
      for (Decision next = line.next(); next != null; next = line.next()) {
        run(next, next.queries().getFirst().permit());
        more = true;
      }
    }
  }

  // ---- lookup ----------------------------------------------------------------------------------

  private void run(Decision decision, Permit permit) {
    int hits = lookup.resident(decision);
    boolean all = hits == decision.pages();
    if (decision.warming() || (!all && lookup.obtainable(decision, hits))) {
      read(decision, permit);
      return;
    }
    if (decision.strict() && !all) {
      hits = 0;
    }
    if (hits == 0) {
      nothing(decision);
      return;
    }
    Budget budget = partition.budget();
    Reservation reservation =
        budget.reserve(decision.instance().account(), decision.bytes(), decision.phase());
    int[] pages = lookup.pages(hits);
    Residency residency = partition.residency();
    // From the tail to the head, so that the tail counts as older and is evicted first.
    for (int i = hits - 1; i >= 0; i--) {
      residency.lease(pages[i]);
    }
    if (!all) {
      budget.shrink(reservation, hits * decision.instance().pageBytes(decision.groups()[0]));
    }
    decide(decision, pages, reservation);
  }

  // ---- reads -----------------------------------------------------------------------------------

  private void read(Decision decision, Permit permit) {
    Reservation reservation =
        partition
            .budget()
            .reserve(decision.instance().account(), decision.bytes(), decision.phase());
    ReadTask.Purpose purpose = ReadTask.Purpose.PREFIX;
    if (decision.warming()) {
      purpose = ReadTask.Purpose.WARMING;
    } else if (decision.strict()) {
      purpose = ReadTask.Purpose.ALL;
    }
    ReadTask task =
        new ReadTask(
            decision,
            decision.instance(),
            decision.groups(),
            decision.pagesOfGroup(),
            decision.keys(),
            purpose,
            decision.speculative(),
            plans.limits(decision),
            reservation,
            permit);
    task.submittedAt(decision.submittedNanos);
    decision.task = task;
    decision.become(State.READING);
    undecided.add(decision);
    deadlines.watch(decision);
    if (plans.asks(decision)) {
      task.awaitPlan();
      reads.start(task);
      plans.ask(decision, task);
      return;
    }
    reads.start(task);
    // What needed no read after all is decided by the pump that follows each event.
  }

  /**
   * The plan of a read has come. What does not wait for it any more is none of its business.
   * Returns whether it was asked for.
   */
  boolean planAdvised(Event.ReadPlanAdvice advice) {
    Decision decision = plans.answered(advice);
    if (decision == null) {
      return false;
    }
    if (ReadPlans.waits(decision)) {
      planned(decision, advice.limits());
    }
    return true;
  }

  private void planned(Decision decision, CutoffPolicy.ReadLimits plan) {
    plans.take(decision, plan);
    int wanted = ReadPlans.wanted(decision, plan);
    if (wanted < taskOf(decision).wanted()) {
      step.count(KernelCounter.READ_PLANS_SHORTENED);
    }
    if (wanted < decision.pages() && decision.strict()) {
      conclude(decision, 0);
    } else if (decision.readDeadlineNanos - step.nowNanos() <= 0) {
      stopReading(decision);
    } else {
      deadlines.watch(decision);
      reads.proceed(taskOf(decision), plans.limits(decision), plan.stepwise(), wanted);
    }
  }

  /** The answer to a question whether pages stay that were read; returns whether it was one. */
  boolean promotionAdvised(Event.AdmissionAdvice advice) {
    return promotions.advised(advice);
  }

  private void readFinished(Decision decision) {
    ReadTask task = taskOf(decision);
    if (decision.warming()) {
      finishWarming(decision, AnswerState.WARMED);
      return;
    }
    int keep = task.prefix();
    conclude(decision, decision.strict() && keep < decision.pages() ? 0 : keep);
  }

  /** The read ends with its first pages, or with nothing. */
  private void conclude(Decision decision, int keep) {
    decision.read = taskOf(decision).readOf(keep);
    Reads.Conclusion conclusion = reads.conclude(taskOf(decision), keep);
    decision.task = null;
    Reservation reservation = conclusion.reservation();
    if (reservation == null) {
      nothing(decision);
    } else {
      decide(decision, conclusion.pages(), reservation);
    }
  }

  private void finishWarming(Decision decision, AnswerState state) {
    ReadTask task = taskOf(decision);
    int warmed = task.arrived();
    reads.conclude(task, 0);
    decision.task = null;
    step.count(KernelCounter.WARMED_PAGES, warmed);
    end(decision, state, warmed);
  }

  private static ReadTask taskOf(Decision decision) {
    ReadTask task = decision.task;
    if (task == null) {
      throw new BrokenInvariant("request [" + decision.requestId() + "] is not being read");
    }
    return task;
  }

  // ---- the decision ----------------------------------------------------------------------------

  private void decide(Decision decision, int[] pages, Reservation reservation) {
    decision.certificate = proofs.prove(decision, decision.pagesOfGroup(pages.length), pages);
    if (decision.speculative()) {
      prepare(decision, pages, reservation);
    } else {
      grant(decision, pages, reservation);
    }
  }

  /** Nothing was found. A preparation of nothing still answers its claim. */
  private void nothing(Decision decision) {
    if (decision.speculative() && !decision.warming()) {
      prepare(decision, decision.heldPages, null);
    } else {
      miss(decision);
    }
  }

  private void prepare(Decision decision, int[] pages, @Nullable Reservation reservation) {
    forgetKeys(decision);
    decision.become(State.PREPARED);
    undecided.add(decision);
    deadlines.watch(decision);
    decision.heldPages = pages;
    decision.held = reservation;
    if (reservation != null) {
      partition.budget().move(reservation, ReservationPhase.PREPARED);
    }
    for (QueryOperation query : decision.queries()) {
      interests.tell(query, query.record());
    }
  }

  private void grant(Decision decision, int[] pages, Reservation reservation) {
    for (int page : pages) {
      partition.residency().promote(page);
    }
    partition.residency().used(pages);
    used(decision, pages);
    forgetKeys(decision);
    undecided.remove(decision);
    decision.become(State.OPEN);
    Lease lease =
        partition
            .leases()
            .grant(
                decision,
                decision.instance(),
                decision.groups(),
                decision.pagesOfGroup(pages.length),
                pages,
                reservation);
    decision.lease = lease;
    if (decision.counted) {
      step.count(
          pages.length == decision.pages()
              ? KernelCounter.QUERY_HITS
              : KernelCounter.QUERY_PARTIAL_HITS);
      step.count(KernelCounter.QUERY_HIT_PAGES, pages.length);
      step.count(KernelCounter.QUERY_MISSED_PAGES, decision.pages() - pages.length);
    }
    for (int rank = 0; rank < decision.instance().worldSize(); rank++) {
      if (decision.hasLeft(rank)) {
        partition.leases().giveBack(lease, rank);
      }
    }
    List<QueryOperation> queries = decision.queries();
    for (int i = 0; i < queries.size(); i++) {
      QueryOperation query = queries.get(i);
      if (query.claimed()) {
        interests.offer(query);
      } else {
        interests.straggle(query);
      }
    }
  }

  /** Tells of pages that somebody wants, while their keys are known. */
  private void used(Decision decision, int[] pages) {
    boolean listens = pageUse.listens();
    if (listens || lineage.listening()) {
      tellOfUses(decision, pages, listens);
    }
    BitSet read = decision.read;
    if (read != null) {
      decision.read = null;
      // Whether they stay is asked with the use that they were read for.
      promotions.granted(decision, pages, read);
    }
  }

  private void tellOfUses(Decision decision, int[] pages, boolean listens) {
    int place = 0;
    for (int i = 0; i < decision.groups().length; i++) {
      int end = Math.min(pages.length, place + decision.pagesOfGroup()[i]);
      for (int from = place; from < end; from += Lineage.BLOCK) {
        int to = Math.min(end, from + Lineage.BLOCK);
        findInLineage(pages, from, to);
        for (int at = from; at < to; at++) {
          if (listens) {
            tellOfUse(decision, decision.groups()[i], pages, at, at == place);
          }
          lineage.use(usedEntries[at - from], step.nowNanos());
        }
      }
      place = end;
    }
  }

  private void findInLineage(int[] pages, int from, int to) {
    Residency residency = partition.residency();
    for (int at = from; at < to; at++) {
      usedIds[at - from] = PageIds.of(residency.keyHigh(pages[at]), residency.keyLow(pages[at]));
    }
    lineage.find(usedIds, to - from, usedEntries);
  }

  private void tellOfUse(Decision decision, int group, int[] pages, int at, boolean first) {
    Residency residency = partition.residency();
    int before = first ? residency.parent(pages[at]) : pages[at - 1];
    long high = before == Residency.NONE ? 0 : residency.keyHigh(before);
    long low = before == Residency.NONE ? 0 : residency.keyLow(before);
    if (high != 0 || low != 0 || residency.beginsChain(pages[at])) {
      pageUse.used(decision.instance(), group, pages[at], high, low);
    }
  }

  private void miss(Decision decision) {
    if (decision.counted) {
      step.count(KernelCounter.QUERY_MISSES);
      step.count(KernelCounter.QUERY_MISSED_PAGES, decision.pages());
    }
    end(decision, AnswerState.MISS, 0);
  }

  private void end(Decision decision, AnswerState state, int hits) {
    over(decision);
    for (QueryOperation query : List.copyOf(decision.queries())) {
      interests.finish(query, state, hits);
    }
  }

  /** Nothing of the decision is left but what drains. */
  private void over(Decision decision) {
    forgetKeys(decision);
    undecided.remove(decision);
    decision.become(State.ENDED);
    decision.forgetPages();
    Permit queuePermit = decision.queuePermit;
    if (queuePermit != null) {
      decision.queuePermit = null;
      permits.release(queuePermit);
    }
  }

  private void forgetKeys(Decision decision) {
    pendingKeys.add(-decision.keyBytes());
    decision.forgetKeys();
  }

  // ---- claims ----------------------------------------------------------------------------------

  /** Somebody wants a preparation now. */
  void claimed(Decision decision, boolean countLookup) {
    if (!decision.speculative()) {
      return; // Another rank claimed it before.
    }
    decision.makeForeground();
    step.count(KernelCounter.PREPARATIONS_CLAIMED);
    if (countLookup) {
      countQuery(decision);
    }
    Permit queuePermit = decision.queuePermit;
    if (queuePermit != null) {
      decision.queuePermit = null;
      permits.makeForeground(queuePermit);
      permits.release(queuePermit);
    }
    if (decision.state() == State.PREPARED) {
      Reservation held = decision.held;
      decision.held = null;
      if (held == null) {
        miss(decision);
      } else {
        proofs.proveHeld(decision, decision.heldPages);
        grant(decision, decision.heldPages, held);
      }
      return;
    }
    decision.deadlineNanos = step.nowNanos() + step.settings().lifetimes().operation().toNanos();
    plans.begin(decision);
    ReadTask task = taskOf(decision);
    task.submittedAt(decision.submittedNanos);
    partition.budget().move(task.reservation(), ReservationPhase.PREPARING);
    reads.raise(task);
  }

  /** A further rank shares the decision, or claims what another one claimed before. */
  void joined(QueryOperation query) {
    Decision decision = query.decision();
    switch (decision.state()) {
      case NEW, WAITING, READING -> {}
      case PREPARED -> interests.tell(query, query.record());
      case OPEN -> {
        if (query.claimed()) {
          interests.offer(query);
        } else {
          interests.straggle(query);
          interests.tell(query, query.record());
        }
      }
      case ENDED -> interests.finish(query, AnswerState.MISS, 0);
    }
  }

  // ---- leaving ---------------------------------------------------------------------------------

  /**
   * A query loses its interest without an answer. With the last one its decision ends; what was
   * submitted drains.
   */
  void leave(QueryOperation query) {
    Decision decision = query.decision();
    interests.remove(query);
    decision.leave(query);
    Lease lease = decision.lease;
    if (lease != null && lease.open()) {
      boolean holdsShare = query.rank() == QueryOperation.NO_RANK || lease.hasShare(query.rank());
      if (decision.queries().isEmpty() && holdsShare) {
        partition.leases().close(lease);
      } else {
        interests.giveBackShare(query);
        awaitFurtherRanks(decision);
      }
    } else if (decision.undecided()
        && decision.queries().isEmpty()
        && decision.queuePermit == null) {
      abandon(decision);
    }
  }

  /**
   * Whoever has consumed its share takes nothing from ranks that have not asked yet; but these have
   * no longer than for an offer that nobody takes.
   */
  private void awaitFurtherRanks(Decision decision) {
    if (decision.queries().isEmpty()) {
      decision.unaskedDeadlineNanos =
          step.nowNanos() + step.settings().lifetimes().offer().toNanos();
      unasked.add(decision);
    }
  }

  private void endUnasked(long nowNanos) {
    Decision oldest = unasked.peek();
    while (oldest != null && oldest.unaskedDeadlineNanos - nowNanos <= 0) {
      unasked.remove();
      Lease lease = oldest.lease;
      if (lease != null && lease.open() && oldest.queries().isEmpty()) {
        step.count(KernelCounter.OFFERS_LAPSED);
        partition.leases().close(lease);
      }
      oldest = unasked.peek();
    }
  }

  /** Nobody wants the decision any more. */
  void abandon(Decision decision) {
    if (decision.counted) {
      step.count(KernelCounter.QUERIES_CANCELLED);
      step.count(KernelCounter.QUERY_CANCELLED_PAGES, decision.pages());
    } else {
      countGivenUp(decision);
    }
    decision.abandoned = true;
    letGo(decision);
    over(decision);
  }

  /** A preparation that was claimed before is counted as such already. */
  private void countGivenUp(Decision decision) {
    if (decision.speculative() && !decision.warming()) {
      step.count(KernelCounter.PREPARATIONS_GIVEN_UP);
    }
  }

  /** What an undecided decision has goes back; what is in flight drains. */
  private void letGo(Decision decision) {
    switch (decision.state()) {
      case WAITING -> line.remove(decision);
      case READING -> {
        reads.conclude(taskOf(decision), 0);
        decision.task = null;
      }
      case PREPARED -> {
        Reservation held = decision.held;
        if (held != null) {
          decision.held = null;
          int[] pages = decision.heldPages;
          for (int i = pages.length - 1; i >= 0; i--) {
            partition.residency().letGo(pages[i]);
          }
          partition.budget().release(held);
        }
      }
      case NEW, OPEN, ENDED -> {}
    }
  }

  /** Told by the lease: no share can be taken any more. */
  void leaseClosed(Decision decision) {
    decision.become(State.ENDED);
    for (QueryOperation query : List.copyOf(decision.queries())) {
      if (query.standing() == Standing.PENDING) {
        interests.finish(
            query, AnswerState.MISS, 0); // A preparation that others claimed and used up.
      } else {
        interests.remove(query);
        decision.queries().remove(query);
      }
    }
    decision.forgetPages();
  }

  // ---- time ------------------------------------------------------------------------------------

  /** The maintenance tick: whatever is too old, and heads that wait behind idle leases. */
  void tick() {
    long now = step.nowNanos();
    for (Decision due = deadlines.due(now); due != null; due = deadlines.due(now)) {
      expire(due);
    }
    for (QueryOperation query = interests.lapsedOffer(now);
        query != null;
        query = interests.lapsedOffer(now)) {
      step.count(KernelCounter.OFFERS_LAPSED);
      leave(query);
    }
    interests.endStragglers(now);
    endUnasked(now);
    pump();
    line.revokeForBlockedHeads();
    pump();
  }

  /** The next moment at which a tick has something to do, or {@link Long#MAX_VALUE}. */
  long nextDeadlineNanos() {
    return deadlines.next();
  }

  /** A time of an undecided decision ran out. */
  void expire(Decision decision) {
    boolean tooOld = decision.deadlineNanos - step.nowNanos() <= 0;
    if (decision.warming()) {
      finishWarming(decision, AnswerState.WARMED);
    } else if (decision.speculative()) {
      if (tooOld) {
        step.count(KernelCounter.PREPARATIONS_EXPIRED);
        decision.abandoned = true; // Who comes later prepares anew.
        letGo(decision);
        end(decision, AnswerState.MISS, 0);
      } else {
        stopReading(decision);
      }
    } else if (tooOld) {
      if (decision.counted) {
        step.count(KernelCounter.QUERIES_EXPIRED);
        step.count(KernelCounter.QUERY_MISSED_PAGES, decision.pages());
      }
      letGo(decision);
      end(decision, AnswerState.MISS, 0);
    } else {
      stopReading(decision);
    }
  }

  /** A claim found its preparation too old: it is told so itself, and whoever shares it a miss. */
  void expireForClaim(QueryOperation query) {
    Decision decision = query.decision();
    interests.remove(query);
    decision.queries().remove(query);
    expire(decision);
  }

  /** The read deadline passed: no further batch, and the caller is told at once. */
  private void stopReading(Decision decision) {
    step.count(KernelCounter.READ_DEADLINES);
    if (decision.state() == State.WAITING) {
      line.remove(decision);
      miss(decision);
      return;
    }
    boolean handOver = decision.handOver && !decision.strict();
    conclude(decision, handOver ? taskOf(decision).prefix() : 0);
  }

  /** A generation ended: what is undecided for it is answered. */
  void retired(Instance instance) {
    for (Decision decision : List.copyOf(undecided)) {
      if (decision.instance() == instance && decision.undecided()) {
        letGo(decision);
        if (decision.counted) {
          miss(decision);
        } else {
          countGivenUp(decision);
          end(decision, AnswerState.MISS, 0);
        }
      }
    }
  }

  // ---- books -----------------------------------------------------------------------------------

  /** Decisions that wait for bytes, are read or are held. */
  int undecided() {
    return undecided.size();
  }

  /** Bytes of the keys of the undecided ones. */
  long keyBytes() {
    return undecided.stream().mapToLong(Decision::keyBytes).sum();
  }

  /** Adds the references that preparations hold, by page. */
  void countReferences(int[] references) {
    for (Decision decision : undecided) {
      if (decision.held != null) {
        for (int page : decision.heldPages) {
          references[page]++;
        }
      }
    }
  }

  /** Reservations that preparations own. */
  int reservations() {
    return (int) undecided.stream().filter(decision -> decision.held != null).count();
  }

  /** The deep check. */
  void verify() {
    line.verify();
    for (Decision decision : undecided) {
      if (!decision.undecided()
          || (decision.queries().isEmpty() && decision.queuePermit == null)
          || (decision.task != null) != (decision.state() == State.READING)) {
        throw new IllegalStateException(
            "request [" + decision.requestId() + "] is undecided as " + decision.state());
      }
    }
  }
}
