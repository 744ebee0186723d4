package io.orbitkv.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.orbitkv.api.backing.BackingStatus;
import io.orbitkv.api.copy.CopyPlan;
import io.orbitkv.api.lease.LeaseId;
import io.orbitkv.api.query.AnswerState;
import io.orbitkv.api.query.ErrorCode;
import io.orbitkv.api.query.QueryKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Ranks that ask the same question are told the same; each answers for its own share. */
class JointDecisionTest {
  private static final String REQUEST = "request";

  private TieredKernel kernel = ranks(2);

  /** A page has a run of each rank. */
  private static TieredKernel ranks(int ranks) {
    return new TieredKernel(TieredKernel.settings(100), 1L << 30, ranks, TieredKernel.DENSE);
  }

  private long ask(int rank, int revision, QueryKind kind, long... names) {
    long operation = kernel.kernel.operation();
    kernel.kernel.step(
        kernel.question(TieredKernel.WORKER + rank, operation, revision, kind, REQUEST, names));
    return operation;
  }

  private long demand(int rank, long... names) {
    return ask(rank, 1, QueryKind.DEMAND, names);
  }

  private long prepare(int rank, long... names) {
    return ask(rank, 1, QueryKind.PREPARE, names);
  }

  private void take(int rank, long operation) {
    kernel.kernel.step(new Event.Taken(TieredKernel.WORKER + rank, operation, 1));
  }

  private void cancel(int rank, long operation) {
    kernel.kernel.step(new Event.Cancel(TieredKernel.WORKER + rank, operation, 1));
  }

  private void claim(int rank, long operation) {
    kernel.kernel.step(
        new Event.Claim(TieredKernel.WORKER + rank, operation, 1, Event.NO_RECORD, true));
  }

  private CopyPlan restoring(int rank, LeaseId lease, int... devicePages) {
    kernel.kernel.restore(TieredKernel.WORKER + rank, kernel.engine, lease, devicePages);
    return kernel.kernel.plan();
  }

  private void restore(int rank, LeaseId lease, int... devicePages) {
    kernel.kernel.done(restoring(rank, lease, devicePages));
  }

  // ---- one decision ----------------------------------------------------------------------------

  @Test
  void rankThatRestoredAndReleased_leavesTheLeaseToARankThatAsksLate() {
    kernel.publish(1, 2);
    long early = demand(0, 1, 2);
    LeaseId lease = kernel.assertReady(early, 2);
    restore(0, lease, 1, 2);
    kernel.kernel.release(TieredKernel.WORKER, lease);
    cancel(0, early);
    long late = demand(1, 1, 2);
    assertEquals(lease, kernel.assertReady(late, 2));
    restore(1, lease, 1, 2);
    kernel.assertDrained();
  }

  @Test
  void leaseThatOneRankUsed_waitsForTheOthersNoLongerThanAnOffer() {
    kernel.publish(1, 2);
    long early = demand(0, 1, 2);
    LeaseId lease = kernel.assertReady(early, 2);
    restore(0, lease, 1, 2);
    cancel(0, early);
    kernel.pass(Duration.ofMillis(4999));
    assertEquals(1, kernel.status().leases());

    kernel.pass(Duration.ofMillis(1));

    assertEquals(1, kernel.count(KernelCounter.OFFERS_LAPSED));
    kernel.assertDrained();
  }

  @Test
  void ranksThatAskTheSame_getOneLeaseAndOneReservation() {
    kernel.publish(1, 2);
    long a = demand(0, 1, 2);
    LeaseId lease = kernel.assertReady(a, 2);
    long b = demand(1, 1, 2);
    assertEquals(lease, kernel.assertReady(b, 2));
    assertEquals(4, kernel.reserved(), "two pages of two ranks");
    assertEquals(1, kernel.status().leases());
    assertEquals(1, kernel.count(KernelCounter.QUERIES));
    assertEquals(1, kernel.count(KernelCounter.DECISIONS_JOINED));
    restore(0, lease, 1, 2);
    assertEquals(4, kernel.reserved());
    restore(1, lease, 3, 4);
    kernel.assertDrained();
  }

  @Test
  void ranksThatWaitForReads_areToldTogether() {
    kernel.have(1);
    long a = demand(0, 1);
    long b = demand(1, 1);
    assertEquals(1, kernel.count(KernelCounter.READ_PAGES));
    assertEquals(0, kernel.count(KernelCounter.READ_JOINED_PAGES));
    assertEquals(2, kernel.read(1).runs().size());
    kernel.assertState(AnswerState.LOADING, b);
    kernel.arrive(1);
    assertEquals(kernel.assertReady(a, 1), kernel.assertReady(b, 1));
  }

  @Test
  void threeRanks_shareALeaseUntilTheLastRestored() {
    kernel = ranks(3);
    kernel.publish(1);
    long a = demand(0, 1);
    LeaseId lease = kernel.assertReady(a, 1);
    restore(0, lease, 1);
    demand(1, 1);
    restore(1, lease, 1);
    assertEquals(3, kernel.reserved());
    long c = demand(2, 1);
    assertEquals(lease, kernel.assertReady(c, 1));
    restore(2, lease, 1);
    kernel.assertDrained();
  }

  @Test
  void miss_isSharedWithALateRank_evenIfThePageCameSince() {
    long a = demand(0, 1);
    kernel.assertState(AnswerState.MISS, a);
    kernel.publish(1);
    long b = demand(1, 1);
    kernel.assertState(AnswerState.MISS, b);
    assertEquals(1, kernel.count(KernelCounter.QUERIES));
    long c = demand(1, 1);
    kernel.assertReady(c, 1);
  }

  @Test
  void lateRank_isToldAsMuchAsTheFirst_thoughMoreIsThere() {
    kernel.publish(1);
    kernel.assertReady(demand(0, 1, 2), 1);
    kernel.publish(2);
    kernel.assertReady(demand(1, 1, 2), 1);
  }

  @Test
  void lateRank_afterAMinute_isDecidedAnew() {
    kernel.assertState(AnswerState.MISS, demand(0, 1));
    kernel.pass(Duration.ofSeconds(60));
    kernel.publish(1);
    kernel.assertReady(demand(1, 1), 1);
  }

  @Test
  void rankWithOtherContent_isDecidedApart() {
    kernel.publish(1, 2);
    LeaseId one = kernel.assertReady(demand(0, 1), 1);
    LeaseId two = kernel.assertReady(demand(1, 1, 2), 2);
    assertNotEquals(one, two);
    assertEquals(2, kernel.count(KernelCounter.QUERIES));
  }

  @Test
  void rankWithAnotherRevision_isDecidedApart() {
    kernel.publish(1);
    LeaseId one = kernel.assertReady(ask(0, 1, QueryKind.DEMAND, 1), 1);
    LeaseId two = kernel.assertReady(ask(1, 2, QueryKind.DEMAND, 1), 1);
    assertNotEquals(one, two);
  }

  @Test
  void sameRankThatAsksAgain_isDecidedAnew() {
    kernel.publish(1);
    LeaseId one = kernel.assertReady(demand(0, 1), 1);
    LeaseId two = kernel.assertReady(demand(0, 1), 1);
    assertNotEquals(one, two);
    assertEquals(two, kernel.assertReady(demand(1, 1), 1));
  }

  @Test
  void sessionOfNoRank_joinsNobody() {
    kernel.publish(1);
    LeaseId one = kernel.assertReady(demand(0, 1), 1);
    long scheduler = kernel.kernel.operation();
    kernel.kernel.step(
        kernel.question(TieredKernel.SCHEDULER, scheduler, 1, QueryKind.DEMAND, REQUEST, 1));
    assertNotEquals(one, kernel.assertReady(scheduler, 1));
    assertEquals(0, kernel.count(KernelCounter.DECISIONS_JOINED));
  }

  @Test
  void schedulersAlone_areDecidedApart() {
    kernel.publish(1);
    kernel.kernel.open(101);
    long a = kernel.kernel.operation();
    kernel.kernel.step(kernel.question(TieredKernel.SCHEDULER, a, 1, QueryKind.DEMAND, REQUEST, 1));
    long b = kernel.kernel.operation();
    kernel.kernel.step(kernel.question(101, b, 1, QueryKind.DEMAND, REQUEST, 1));
    assertNotEquals(kernel.assertReady(a, 1), kernel.assertReady(b, 1));
  }

  @Test
  void failedRead_isAMissForAllRanks() {
    kernel.have(1);
    long a = demand(0, 1);
    long b = demand(1, 1);
    kernel.report(1, BackingStatus.CORRUPT);
    kernel.assertState(AnswerState.MISS, a);
    kernel.assertState(AnswerState.MISS, b);
    kernel.assertDrained();
    assertEquals(1, kernel.count(KernelCounter.QUERY_MISSES));
  }

  // ---- shares ----------------------------------------------------------------------------------

  @Test
  void offers_areAcknowledgedApart() {
    kernel.publish(1);
    long a = demand(0, 1);
    long b = demand(1, 1);
    take(0, a);
    kernel.pass(Duration.ofSeconds(5));
    assertEquals(1, kernel.count(KernelCounter.OFFERS_LAPSED));
    LeaseId lease = kernel.answer(a).lease();
    kernel.kernel.restore(TieredKernel.WORKER + 1, kernel.engine, lease, 1);
    assertEquals(AnswerState.MISS, kernel.kernel.only(Command.Answer.class).state());
    restore(0, lease, 1);
    kernel.assertDrained();
    assertEquals(b, kernel.answer(b).operation());
  }

  @Test
  void lapseOfAll_endsTheLease() {
    kernel.publish(1);
    demand(0, 1);
    demand(1, 1);
    kernel.pass(Duration.ofSeconds(5));
    assertEquals(2, kernel.count(KernelCounter.OFFERS_LAPSED));
    kernel.assertDrained();
  }

  @Test
  void restore_isTheAcknowledgementOfItsOwnRankAlone() {
    kernel.publish(1);
    long a = demand(0, 1);
    demand(1, 1);
    restore(0, kernel.answer(a).lease(), 1);
    kernel.pass(Duration.ofSeconds(5));
    assertEquals(1, kernel.count(KernelCounter.OFFERS_LAPSED));
    kernel.assertDrained();
  }

  @Test
  void cancelOfOneOffer_givesBackItsShareAlone() {
    kernel.publish(1);
    long a = demand(0, 1);
    long b = demand(1, 1);
    cancel(1, b);
    assertEquals(1, kernel.status().leases());
    restore(0, kernel.answer(a).lease(), 1);
    kernel.assertDrained();
  }

  @Test
  void releaseOfOne_givesBackItsShareAlone() {
    kernel.publish(1);
    long a = demand(0, 1);
    long b = demand(1, 1);
    take(0, a);
    take(1, b);
    kernel.kernel.release(TieredKernel.WORKER, kernel.answer(a).lease());
    assertEquals(2, kernel.reserved());
    restore(1, kernel.answer(b).lease(), 1);
    kernel.assertDrained();
  }

  @Test
  void cancelOfOneWhileReading_leavesTheOther() {
    kernel.have(1);
    long a = demand(0, 1);
    long b = demand(1, 1);
    cancel(0, a);
    kernel.assertState(AnswerState.CANCELLED, a);
    assertEquals(0, kernel.count(KernelCounter.QUERIES_CANCELLED));
    kernel.arrive(1);
    kernel.assertReady(b, 1);
  }

  @Test
  void cancelOfOneWhileReading_gaveBackItsShareToo() {
    kernel.have(1);
    long a = demand(0, 1);
    long b = demand(1, 1);
    cancel(0, a);
    kernel.arrive(1);
    restore(1, kernel.assertReady(b, 1), 1);
    kernel.assertDrained();
  }

  @Test
  void cancelOfOneWhileWaitingForBytes_gaveBackItsShareToo() {
    kernel = new TieredKernel(TieredKernel.settings(2), 1L << 30, 2, TieredKernel.DENSE);
    kernel.publish(1);
    long holder = kernel.demand(1);
    long a = demand(0, 1);
    long b = demand(1, 1);
    cancel(1, b);
    kernel.cancel(holder);
    restore(0, kernel.assertReady(a, 1), 1);
    kernel.assertDrained();
  }

  @Test
  void cancelOfAllWhileReading_endsTheDecisionForLateRanksToo() {
    kernel.have(1);
    cancel(0, demand(0, 1));
    long b = demand(1, 1);
    assertEquals(2, kernel.count(KernelCounter.QUERIES));
    kernel.arrive(1);
    kernel.assertReady(b, 1);
  }

  @Test
  void revisionOfOneRank_leavesTheOthersDecision() {
    kernel.publish(1, 2);
    long a = demand(0, 1);
    long b = demand(1, 1);
    kernel.kernel.step(kernel.question(TieredKernel.WORKER, a, 2, QueryKind.DEMAND, REQUEST, 1, 2));
    LeaseId revised = kernel.assertReady(a, 2);
    restore(1, kernel.assertReady(b, 1), 1);
    assertEquals(4, kernel.reserved());
    kernel.kernel.step(
        kernel.question(TieredKernel.WORKER + 1, b, 2, QueryKind.DEMAND, REQUEST, 1, 2));
    // The restore answered the first revision and its lease is over: the id is used up.
    assertEquals(ErrorCode.STALE_OPERATION, kernel.kernel.only(Command.Refused.class).error());
    assertEquals(revised, kernel.assertReady(ask(1, 2, QueryKind.DEMAND, 1, 2), 2));
  }

  @Test
  void revisionOfBothRanks_isOneDecisionAgain() {
    kernel.publish(1, 2);
    long a = demand(0, 1);
    long b = demand(1, 1);
    kernel.kernel.step(kernel.question(TieredKernel.WORKER, a, 2, QueryKind.DEMAND, REQUEST, 1, 2));
    kernel.kernel.step(
        kernel.question(TieredKernel.WORKER + 1, b, 2, QueryKind.DEMAND, REQUEST, 1, 2));
    assertEquals(kernel.assertReady(a, 2), kernel.assertReady(b, 2));
    assertEquals(4, kernel.reserved(), "the first decision's lease ended with its last share");
  }

  @Test
  void deathOfARank_endsTheGenerationWhateverRuns() {
    kernel.publish(1);
    kernel.have(2);
    long a = demand(0, 1, 2);
    demand(1, 1, 2);
    kernel.kernel.close(TieredKernel.WORKER + 1);
    kernel.assertState(AnswerState.MISS, a);
    assertEquals(2, kernel.reserved(), "the page in flight drains");
    kernel.arrive(2);
    kernel.assertDrained();
    kernel.kernel.step(
        kernel.question(
            TieredKernel.WORKER, kernel.kernel.operation(), 1, QueryKind.DEMAND, REQUEST, 1));
    assertEquals(ErrorCode.UNKNOWN, kernel.kernel.only(Command.Refused.class).error());
  }

  @Test
  void deathOfARank_whileAnotherCopies_waitsForTheCopy() {
    kernel.publish(1);
    long a = demand(0, 1);
    demand(1, 1);
    CopyPlan copy = restoring(0, kernel.answer(a).lease(), 1);
    kernel.kernel.close(TieredKernel.WORKER + 1);
    assertEquals(2, kernel.reserved());
    kernel.kernel.done(copy);
    kernel.assertDrained();
  }

  // ---- preparations of ranks -------------------------------------------------------------------

  @Test
  void preparationsOfRanks_areOneAndTheFirstClaimMakesItADemand() {
    kernel.have(1);
    long a = prepare(0, 1);
    long b = prepare(1, 1);
    assertEquals(2, kernel.speculative());
    assertEquals(1, kernel.count(KernelCounter.PREPARATIONS));
    kernel.arrive(1);
    kernel.assertState(AnswerState.PREPARED, b);
    claim(0, a);
    LeaseId lease = kernel.assertReady(a, 1);
    kernel.assertState(AnswerState.PREPARED, b);
    claim(1, b);
    assertEquals(lease, kernel.assertReady(b, 1));
    assertEquals(1, kernel.count(KernelCounter.PREPARATIONS_CLAIMED));
    assertEquals(1, kernel.count(KernelCounter.QUERIES));
    restore(0, lease, 1);
    restore(1, lease, 1);
    kernel.assertDrained();
  }

  @Test
  void claimOfBothWhileReading_isToldTogether() {
    kernel.have(1);
    long a = prepare(0, 1);
    long b = prepare(1, 1);
    claim(1, b);
    kernel.assertState(AnswerState.LOADING, b);
    kernel.pass(Duration.ofSeconds(3));
    claim(0, a);
    kernel.arrive(1);
    assertEquals(kernel.assertReady(a, 1), kernel.assertReady(b, 1));
  }

  @Test
  void rankThatDoesNotClaim_getsAMissASecondAfterTheGrantAndGivesItsShareBack() {
    kernel.publish(1);
    long a = prepare(0, 1);
    long b = prepare(1, 1);
    claim(0, a);
    kernel.pass(Duration.ofMillis(900));
    kernel.assertState(AnswerState.PREPARED, b);
    kernel.pass(Duration.ofMillis(100));
    kernel.assertState(AnswerState.MISS, b);
    restore(0, kernel.answer(a).lease(), 1);
    kernel.assertDrained();
  }

  @Test
  void rankThatDoesNotClaim_outlivesALeaseThatWasReleased() {
    kernel.publish(1);
    long a = prepare(0, 1);
    long b = prepare(1, 1);
    claim(0, a);
    cancel(0, a);
    claim(1, b);
    restore(1, kernel.assertReady(b, 1), 1);
    kernel.assertDrained();
  }

  @Test
  void latePreparation_ofAClaimedDecision_isPreparedAndMayClaim() {
    kernel.publish(1);
    long a = prepare(0, 1);
    claim(0, a);
    long b = prepare(1, 1);
    kernel.assertState(AnswerState.PREPARED, b);
    claim(1, b);
    assertEquals(kernel.assertReady(a, 1), kernel.assertReady(b, 1));
  }

  @Test
  void latePreparation_ofAnExpiredOne_beginsAnew() {
    kernel.publish(1);
    prepare(0, 1);
    kernel.pass(Duration.ofSeconds(1));
    long b = prepare(1, 1);
    kernel.assertState(AnswerState.PREPARED, b);
    claim(1, b);
    kernel.assertReady(b, 1);
  }

  @Test
  void expiryOfASharedPreparation_isAMissForAll() {
    kernel.publish(1);
    long a = prepare(0, 1);
    long b = prepare(1, 1);
    kernel.pass(Duration.ofSeconds(1));
    kernel.assertState(AnswerState.MISS, a);
    kernel.assertState(AnswerState.MISS, b);
    assertEquals(1, kernel.count(KernelCounter.PREPARATIONS_EXPIRED));
    kernel.assertDrained();
  }

  @Test
  void tooLateClaim_isBusyAndAMissForTheOthers() {
    kernel.publish(1);
    long a = prepare(0, 1);
    long b = prepare(1, 1);
    kernel.kernel.nowNanos += Duration.ofSeconds(1).toNanos();
    claim(0, a);
    kernel.assertState(AnswerState.BUSY, a);
    kernel.assertState(AnswerState.MISS, b);
    kernel.assertDrained();
  }

  @Test
  void claim_takesTheReadsOfARankThatLeft_outOfItsPreparations() {
    kernel.have(1);
    kernel.publish(2);
    long a = prepare(0, 1);
    long b = prepare(1, 1);
    cancel(0, a);
    for (int i = 0; i < 3; i++) {
      kernel.assertState(
          AnswerState.PREPARED, kernel.ask(TieredKernel.WORKER, QueryKind.PREPARE, 2));
    }
    kernel.assertState(AnswerState.BUSY, kernel.ask(TieredKernel.WORKER, QueryKind.PREPARE, 2));
    claim(1, b);
    kernel.assertState(AnswerState.PREPARED, kernel.ask(TieredKernel.WORKER, QueryKind.PREPARE, 2));
  }

  @Test
  void deathOfTheRankThatClaimed_isAMissForTheOther() {
    kernel.publish(1);
    long a = prepare(0, 1);
    long b = prepare(1, 1);
    claim(0, a);
    kernel.kernel.close(TieredKernel.WORKER);
    kernel.assertState(AnswerState.MISS, b);
    kernel.assertDrained();
  }

  @Test
  void claimOfNothing_isAMissForAll() {
    long a = prepare(0, 1);
    long b = prepare(1, 1);
    claim(0, a);
    kernel.assertState(AnswerState.MISS, a);
    kernel.assertState(AnswerState.MISS, b);
    kernel.assertDrained();
  }

  @Test
  void unclaimedRank_whenTheLeaseExpires_getsAMissOnce() {
    kernel.publish(1);
    long a = prepare(0, 1);
    long b = prepare(1, 1);
    claim(0, a);
    restore(0, kernel.answer(a).lease(), 1);
    cancel(1, b);
    kernel.assertState(AnswerState.CANCELLED, b);
    kernel.assertDrained();
  }

  // ---- with a queue ----------------------------------------------------------------------------

  @Test
  void ranksThatMatchAQueuedPreparation_shareIt() {
    kernel.publish(1);
    kernel.kernel.step(
        new Event.Queue(
            TieredKernel.WORKER,
            kernel.kernel.operation(),
            kernel.engine,
            List.of(
                new QueuedRequest(
                    REQUEST,
                    QueuedRequest.State.ACCEPTED,
                    new int[] {0},
                    new int[] {1},
                    KernelHarness.keys(1),
                    null))));
    kernel.kernel.step(new Event.Lookahead(kernel.engine, List.of(REQUEST)));
    long a = demand(0, 1);
    long b = demand(1, 1);
    LeaseId lease = kernel.assertReady(a, 1);
    assertEquals(lease, kernel.assertReady(b, 1));
    assertEquals(Command.CLAIMED_PREPARATION, kernel.answer(a).detail());
    assertEquals(Command.CLAIMED_PREPARATION, kernel.answer(b).detail());
    assertEquals(1, kernel.count(KernelCounter.PREPARATIONS_MATCHED));
  }

  @Test
  void decisionsThatNobodyJoins_areForgottenFromTheOldestOn() {
    kernel = ranks(2);
    List<Long> asked = new ArrayList<>();
    for (int i = 0; i <= 4096; i++) {
      asked.add(kernel.kernel.operation());
      kernel.kernel.kernel.step(
          kernel.question(
              TieredKernel.WORKER, asked.getLast(), 1, QueryKind.DEMAND, "request-" + i, 1),
          kernel.kernel.nowNanos,
          command -> {});
    }
    kernel.publish(1);
    long oldest = kernel.kernel.operation();
    kernel.kernel.step(
        kernel.question(TieredKernel.WORKER + 1, oldest, 1, QueryKind.DEMAND, "request-0", 1));
    kernel.assertReady(oldest, 1);
    long youngest = kernel.kernel.operation();
    kernel.kernel.step(
        kernel.question(TieredKernel.WORKER + 1, youngest, 1, QueryKind.DEMAND, "request-4096", 1));
    kernel.assertState(AnswerState.MISS, youngest);
    assertTrue(kernel.count(KernelCounter.DECISIONS_JOINED) == 1);
  }
}
