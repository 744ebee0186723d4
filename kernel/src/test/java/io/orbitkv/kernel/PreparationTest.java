package io.orbitkv.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.orbitkv.api.backing.BackingStatus;
import io.orbitkv.api.lease.LeaseId;
import io.orbitkv.api.lease.ReservationPhase;
import io.orbitkv.api.query.AnswerState;
import io.orbitkv.api.query.ErrorCode;
import io.orbitkv.api.query.QueryKind;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Preparations that a client asks for and claims. */
class PreparationTest {
  private static final Duration LIFE = Duration.ofSeconds(1);

  private TieredKernel kernel = new TieredKernel();

  private static TieredKernel with(KernelSettings settings) {
    return new TieredKernel(settings, 1L << 30, 1, TieredKernel.DENSE);
  }

  private static TieredKernel timeout(Duration timeout) {
    return new TieredKernel(TieredKernel.timeout(timeout, 1, false));
  }

  private ErrorCode refusedClaim(long operation, int revision, int record) {
    kernel.kernel.step(new Event.Claim(TieredKernel.SCHEDULER, operation, revision, record, true));
    return kernel.kernel.only(Command.Refused.class).error();
  }

  private long phase(ReservationPhase phase) {
    Long bytes = kernel.status().reservedByPhase().get(phase);
    return bytes == null ? 0 : bytes / TieredKernel.PAGE;
  }

  // ---- unclaimed -------------------------------------------------------------------------------

  @Test
  void preparation_ofStoredPages_isLoadingThenPrepared() {
    kernel.have(1, 2);
    long preparation = kernel.prepare(1, 2);
    kernel.assertState(AnswerState.LOADING, preparation);
    assertEquals(2, phase(ReservationPhase.PRELOADING));
    assertTrue(kernel.read(1).speculative());
    kernel.arrive(1, 2);
    kernel.assertState(AnswerState.PREPARED, preparation);
    assertEquals(0, kernel.answer(preparation).hits());
    assertEquals(LeaseId.NONE, kernel.answer(preparation).lease());
    assertEquals(2, phase(ReservationPhase.PREPARED));
    assertEquals(2, kernel.speculative());
    assertEquals(0, kernel.status().leases());
    assertEquals(0, kernel.count(KernelCounter.QUERIES));
  }

  @Test
  void preparation_ofResidentPages_isPreparedAtOnce() {
    kernel.publish(1, 2);
    long preparation = kernel.prepare(1, 2, 3);
    kernel.assertState(AnswerState.PREPARED, preparation);
    assertEquals(2, kernel.reserved(), "it shrinks to what it holds");
  }

  @Test
  void ask_ofAPreparation_neverShowsALease() {
    kernel.have(1);
    long preparation = kernel.prepare(1);
    kernel.kernel.step(new Event.Ask(TieredKernel.SCHEDULER, preparation, 1));
    assertEquals(AnswerState.LOADING, kernel.kernel.only(Command.Answer.class).state());
    kernel.arrive(1);
    kernel.kernel.step(new Event.Ask(TieredKernel.SCHEDULER, preparation, 1));
    Command.Answer answer = kernel.kernel.only(Command.Answer.class);
    assertEquals(AnswerState.PREPARED, answer.state());
    assertEquals(LeaseId.NONE, answer.lease());
  }

  @Test
  void preparation_thatNobodyClaims_isGoneAfterASecond() {
    kernel.have(1);
    long preparation = kernel.prepare(1);
    kernel.arrive(1);
    kernel.pass(LIFE.minusNanos(1));
    kernel.assertState(AnswerState.PREPARED, preparation);
    kernel.toDeadline();
    kernel.assertState(AnswerState.MISS, preparation);
    kernel.assertDrained();
    assertEquals(1, kernel.count(KernelCounter.PREPARATIONS_EXPIRED));
    kernel.kernel.step(new Event.Ask(TieredKernel.SCHEDULER, preparation, 1));
    assertEquals(ErrorCode.UNKNOWN, kernel.kernel.only(Command.Refused.class).error());
  }

  @Test
  void preparation_thatExpiresWhileReading_drains() {
    kernel.have(1, 2);
    long preparation = kernel.prepare(1, 2);
    kernel.arrive(1);
    kernel.pass(LIFE);
    kernel.assertState(AnswerState.MISS, preparation);
    assertEquals(1, kernel.speculative());
    assertEquals(1, kernel.status().operations());
    kernel.arrive(2);
    kernel.assertDrained();
  }

  @Test
  void preparation_onTheBoard_expiresInItsRecord() {
    kernel.publish(1);
    long operation = kernel.kernel.operation();
    kernel.kernel.step(
        KernelHarness.query(
            TieredKernel.SCHEDULER, operation, 1, 4, kernel.engine, QueryKind.PREPARE, 1));
    kernel.pass(LIFE);
    assertEquals(4, kernel.answer(operation).record());
    kernel.assertState(AnswerState.MISS, operation);
    // The record is free again.
    long next = kernel.kernel.operation();
    kernel.kernel.step(KernelHarness.query(TieredKernel.SCHEDULER, next, 1, 4, kernel.engine, 1));
    kernel.assertReady(next, 1);
  }

  @Test
  void cancel_ofAPreparation_givesItUp() {
    kernel.publish(1);
    long preparation = kernel.prepare(1);
    kernel.cancel(preparation);
    kernel.assertState(AnswerState.CANCELLED, preparation);
    kernel.assertDrained();
    assertEquals(1, kernel.count(KernelCounter.PREPARATIONS_GIVEN_UP));
  }

  @Test
  void endOfTheSession_givesPreparationsUp() {
    kernel.publish(1);
    kernel.have(2);
    kernel.prepare(1);
    kernel.prepare(2);
    kernel.kernel.close(TieredKernel.SCHEDULER);
    assertEquals(1, kernel.speculative());
    kernel.arrive(2);
    kernel.assertDrained();
    assertEquals(2, kernel.count(KernelCounter.PREPARATIONS_GIVEN_UP));
  }

  @Test
  void endOfTheGeneration_givesPreparationsUp() {
    kernel.publish(1);
    kernel.have(2);
    long held = kernel.prepare(1);
    long read = kernel.prepare(2);
    kernel.kernel.close(TieredKernel.WORKER);
    kernel.assertState(AnswerState.MISS, held);
    kernel.assertState(AnswerState.MISS, read);
    kernel.arrive(2);
    kernel.assertDrained();
  }

  @Test
  void readOfAPreparation_hasBatchesOfAtMostThirtyTwoMegabytes() {
    int pages = (int) (ReadSettings.PREPARED_BATCH_BYTES / TieredKernel.PAGE);
    kernel = new TieredKernel(new ReadSettings(0, 0, Duration.ZERO, 1, false));
    long[] names = LongStream.rangeClosed(1, pages + 1).toArray();
    kernel.haveQuietly(names);
    kernel.prepare(names);
    assertEquals(pages, kernel.inFlight().size());
  }

  @Test
  void readOfAPreparation_keepsASmallerBatchLimit() {
    kernel = new TieredKernel(TieredKernel.batches(1));
    kernel.have(1, 2);
    kernel.prepare(1, 2);
    assertEquals(List.of(1L), kernel.inFlight());
  }

  // ---- claims ----------------------------------------------------------------------------------

  @Test
  void claim_ofWhatIsPrepared_isReadyAtOnce() {
    kernel.have(1, 2);
    long preparation = kernel.prepare(1, 2);
    kernel.arrive(1, 2);
    kernel.claim(preparation);
    kernel.assertReady(preparation, 2);
    assertEquals(0, kernel.answer(preparation).detail());
    assertEquals(2, kernel.reserved());
    assertEquals(0, kernel.speculative());
    assertEquals(2, phase(ReservationPhase.READY));
    kernel.take(preparation);
    kernel.restoreAll(preparation);
    kernel.assertDrained();
    assertEquals(1, kernel.count(KernelCounter.PREPARATIONS_CLAIMED));
  }

  @Test
  void claim_ofAPartialPrefix_keepsIt() {
    kernel.publish(1);
    long preparation = kernel.prepare(1, 2);
    kernel.claim(preparation);
    kernel.assertReady(preparation, 1);
    assertEquals(1, kernel.count(KernelCounter.QUERY_PARTIAL_HITS));
  }

  @Test
  void claim_whileReading_movesItsBytesOutOfTheSpeculativeShareAtOnce() {
    kernel.have(1, 2);
    long preparation = kernel.prepare(1, 2);
    kernel.claim(preparation);
    kernel.assertState(AnswerState.LOADING, preparation);
    assertEquals(2, kernel.reserved());
    assertEquals(0, kernel.speculative());
    assertEquals(2, phase(ReservationPhase.PREPARING));
    kernel.arrive(1, 2);
    kernel.assertReady(preparation, 2);
  }

  @Test
  void claim_whileReading_extendsItsLifeToThatOfADemand() {
    kernel.have(1);
    long preparation = kernel.prepare(1);
    kernel.pass(Duration.ofMillis(900));
    kernel.claim(preparation);
    kernel.pass(Duration.ofSeconds(60).minusNanos(1));
    kernel.assertState(AnswerState.LOADING, preparation);
    kernel.toDeadline();
    kernel.assertState(AnswerState.MISS, preparation);
    assertEquals(1, kernel.count(KernelCounter.QUERIES_EXPIRED));
    kernel.arrive(1);
    kernel.assertDrained();
  }

  @Test
  void claim_whileReading_startsTheReadTimeoutAnew() {
    Duration timeout = Duration.ofMillis(700);
    kernel = timeout(timeout);
    kernel.have(1);
    long preparation = kernel.prepare(1);
    kernel.pass(Duration.ofMillis(600));
    kernel.claim(preparation);
    kernel.pass(timeout.minusNanos(1));
    kernel.assertState(AnswerState.LOADING, preparation);
    kernel.toDeadline();
    kernel.assertState(AnswerState.MISS, preparation);
    assertEquals(1, kernel.count(KernelCounter.READ_DEADLINES));
  }

  @Test
  void preparation_whoseReadTimesOut_isPreparedWithNothing() {
    kernel = timeout(Duration.ofMillis(300));
    kernel.have(1, 2);
    long preparation = kernel.prepare(1, 2);
    kernel.arrive(1);
    kernel.toDeadline();
    kernel.assertState(AnswerState.PREPARED, preparation);
    assertEquals(1, kernel.reserved());
    kernel.claim(preparation);
    kernel.assertState(AnswerState.MISS, preparation);
    kernel.arrive(2);
    kernel.assertDrained();
  }

  @Test
  void claim_ofNothing_isAMiss() {
    long preparation = kernel.prepare(77);
    kernel.assertState(AnswerState.PREPARED, preparation);
    assertEquals(0, kernel.reserved());
    kernel.claim(preparation);
    kernel.assertState(AnswerState.MISS, preparation);
    assertEquals(1, kernel.count(KernelCounter.QUERY_MISSES));
    kernel.assertDrained();
  }

  @Test
  void claim_afterTheSweep_isBusy() {
    kernel.publish(1);
    long preparation = kernel.prepare(1);
    kernel.pass(LIFE);
    kernel.claim(preparation);
    kernel.assertState(AnswerState.BUSY, preparation);
    assertEquals(1, kernel.count(KernelCounter.CLAIMS_BUSY));
    kernel.assertDrained();
  }

  @Test
  void claim_tooLateButBeforeTheSweep_isBusy() {
    kernel.publish(1);
    long preparation = kernel.prepare(1);
    kernel.kernel.nowNanos += LIFE.toNanos();
    kernel.claim(preparation);
    assertEquals(AnswerState.BUSY, kernel.kernel.only(Command.Answer.class).state());
    assertEquals(1, kernel.count(KernelCounter.PREPARATIONS_EXPIRED));
    kernel.assertDrained();
  }

  @Test
  void claim_tooLateOnARecord_isBusyOverTheSocket() {
    kernel.publish(1);
    long preparation = kernel.prepare(1);
    kernel.pass(LIFE);
    kernel.kernel.step(new Event.Claim(TieredKernel.SCHEDULER, preparation, 1, 3, true));
    assertEquals(Event.NO_RECORD, kernel.answer(preparation).record());
    kernel.assertState(AnswerState.BUSY, preparation);
    long other = kernel.kernel.operation();
    kernel.kernel.step(KernelHarness.query(TieredKernel.SCHEDULER, other, 1, 3, kernel.engine, 1));
    kernel.assertReady(other, 1);
  }

  @Test
  void claim_ofWhatItCannotBe_isRefused() {
    kernel.publish(1);
    kernel.have(5);
    assertEquals(ErrorCode.UNKNOWN, refusedClaim(9_999, 1, -1));
    long preparation = kernel.prepare(1);
    assertEquals(ErrorCode.STALE_OPERATION, refusedClaim(preparation, 2, -1));
    assertEquals(ErrorCode.INVALID, refusedClaim(preparation, 1, 99));
    long demand = kernel.demand(5);
    assertEquals(ErrorCode.INVALID, refusedClaim(demand, 1, -1));
    kernel.claim(preparation);
    kernel.assertReady(preparation, 1);
    assertEquals(ErrorCode.INVALID, refusedClaim(preparation, 1, -1));
  }

  @Test
  void claim_ofARestore_isRefused() {
    kernel.publish(1);
    long query = kernel.ask(TieredKernel.WORKER, QueryKind.DEMAND, 1);
    long restore =
        kernel.kernel.restore(TieredKernel.WORKER, kernel.engine, kernel.answer(query).lease(), 0);
    kernel.kernel.step(new Event.Claim(TieredKernel.WORKER, restore, 1, -1, true));
    assertEquals(ErrorCode.INVALID, kernel.kernel.only(Command.Refused.class).error());
  }

  @Test
  void claim_movesTheAnswerToARecordOfItsChoice() {
    kernel.publish(1);
    long operation = kernel.kernel.operation();
    kernel.kernel.step(
        KernelHarness.query(
            TieredKernel.SCHEDULER, operation, 1, 4, kernel.engine, QueryKind.PREPARE, 1));
    kernel.kernel.step(new Event.Claim(TieredKernel.SCHEDULER, operation, 1, 5, true));
    assertEquals(5, kernel.answer(operation).record());
    kernel.assertReady(operation, 1);
    long next = kernel.kernel.operation();
    kernel.kernel.step(KernelHarness.query(TieredKernel.SCHEDULER, next, 1, 4, kernel.engine, 1));
    kernel.assertReady(next, 1);
    long refused = kernel.kernel.operation();
    kernel.kernel.step(
        KernelHarness.query(TieredKernel.SCHEDULER, refused, 1, 5, kernel.engine, 1));
    assertEquals(ErrorCode.INVALID, kernel.kernel.only(Command.Refused.class).error());
  }

  @Test
  void claim_onItsOwnRecord_isReadyThere() {
    kernel.publish(1);
    long operation = kernel.kernel.operation();
    kernel.kernel.step(
        KernelHarness.query(
            TieredKernel.SCHEDULER, operation, 1, 4, kernel.engine, QueryKind.PREPARE, 1));
    kernel.kernel.step(new Event.Claim(TieredKernel.SCHEDULER, operation, 1, 4, true));
    assertEquals(4, kernel.answer(operation).record());
    kernel.assertReady(operation, 1);
  }

  @Test
  void lookup_isCountedOnceAndAtTheClaim() {
    kernel.publish(1, 2);
    long counted = kernel.prepare(1, 2);
    assertEquals(0, kernel.count(KernelCounter.QUERIES));
    kernel.claim(counted);
    assertEquals(1, kernel.count(KernelCounter.QUERIES));
    assertEquals(1, kernel.count(KernelCounter.QUERY_HITS));
    assertEquals(2, kernel.count(KernelCounter.QUERY_HIT_PAGES));
    long uncounted = kernel.prepare(1, 2);
    kernel.claim(uncounted, false);
    kernel.assertReady(uncounted, 2);
    assertEquals(1, kernel.count(KernelCounter.QUERIES));
    assertEquals(1, kernel.count(KernelCounter.QUERY_HITS));
  }

  @Test
  void cancel_afterAnUncountedClaim_isCountedAsClaimedAlone() {
    kernel.have(1);
    long preparation = kernel.prepare(1);
    kernel.claim(preparation, false);
    kernel.cancel(preparation);
    kernel.arrive(1);
    kernel.assertDrained();
    assertEquals(1, kernel.count(KernelCounter.PREPARATIONS_CLAIMED));
    assertEquals(0, kernel.count(KernelCounter.PREPARATIONS_GIVEN_UP));
  }

  @Test
  void endOfTheGeneration_afterAnUncountedClaim_isCountedAsClaimedAlone() {
    kernel.have(1);
    long preparation = kernel.prepare(1);
    kernel.claim(preparation, false);
    kernel.kernel.close(TieredKernel.WORKER);
    kernel.assertState(AnswerState.MISS, preparation);
    kernel.arrive(1);
    kernel.assertDrained();
    assertEquals(0, kernel.count(KernelCounter.PREPARATIONS_GIVEN_UP));
  }

  @Test
  void claimedOffer_thatNobodyTakes_lapses() {
    kernel.publish(1);
    long preparation = kernel.prepare(1);
    kernel.claim(preparation);
    kernel.pass(Duration.ofSeconds(5));
    assertEquals(1, kernel.count(KernelCounter.OFFERS_LAPSED));
    kernel.assertDrained();
  }

  @Test
  void revision_ofAPreparation_mayBecomeADemand() {
    kernel.publish(1);
    long preparation = kernel.prepare(1);
    kernel.kernel.step(
        KernelHarness.query(TieredKernel.SCHEDULER, preparation, 2, -1, kernel.engine, 1));
    kernel.assertReady(preparation, 1);
    assertEquals(1, kernel.count(KernelCounter.PREPARATIONS_GIVEN_UP));
    assertEquals(0, kernel.speculative());
  }

  @Test
  void evictedPages_ofAPreparation_areClaimedStill() {
    kernel.publish(1, 2);
    long preparation = kernel.prepare(1, 2);
    kernel.evict();
    kernel.claim(preparation);
    kernel.assertReady(preparation, 2);
    kernel.take(preparation);
    kernel.restoreAll(preparation);
    kernel.assertDrained();
    assertEquals(0, kernel.status().orphanBytes());
  }

  @Test
  void failedRead_ofAPreparation_keepsThePrefixForTheClaim() {
    kernel.have(1, 2);
    long preparation = kernel.prepare(1, 2);
    kernel.arrive(1);
    kernel.report(2, BackingStatus.CORRUPT);
    kernel.assertState(AnswerState.PREPARED, preparation);
    assertEquals(1, kernel.speculative());
    kernel.claim(preparation);
    kernel.assertReady(preparation, 1);
  }

  // ---- limits ----------------------------------------------------------------------------------

  @Test
  void fifthPreparation_ofASession_isBusy() {
    kernel.publish(1);
    for (int i = 0; i < 4; i++) {
      kernel.assertState(AnswerState.PREPARED, kernel.prepare(1));
    }
    long fifth = kernel.prepare(1);
    kernel.assertState(AnswerState.BUSY, fifth);
    assertEquals(1, kernel.count(KernelCounter.SPECULATION_BUSY));
    assertEquals(0, kernel.count(KernelCounter.OPERATIONS_BUSY), "each refusal is counted once");
    // Nothing of it was used up.
    kernel.kernel.step(KernelHarness.query(TieredKernel.SCHEDULER, fifth, 1, -1, kernel.engine, 1));
    kernel.assertReady(fifth, 1);
  }

  @Test
  void claimedPreparation_makesRoomForAnother() {
    kernel.publish(1);
    long first = kernel.prepare(1);
    for (int i = 0; i < 3; i++) {
      kernel.prepare(1);
    }
    kernel.claim(first);
    kernel.assertState(AnswerState.PREPARED, kernel.prepare(1));
  }

  @Test
  void drainingPreparation_keepsItsPlace() {
    kernel.have(1, 2, 3, 4);
    kernel.publish(9);
    kernel.cancel(kernel.prepare(1));
    for (int i = 0; i < 3; i++) {
      kernel.prepare(9);
    }
    kernel.assertState(AnswerState.BUSY, kernel.prepare(9));
    kernel.arrive(1);
    kernel.assertState(AnswerState.PREPARED, kernel.prepare(9));
  }

  @Test
  void seventeenthSpeculation_ofASession_isBusy() {
    kernel.have(1);
    for (int i = 0; i < 12; i++) {
      kernel.assertState(AnswerState.LOADING, kernel.warm(1));
    }
    for (int i = 0; i < 4; i++) {
      kernel.assertState(AnswerState.LOADING, kernel.prepare(1));
    }
    kernel.assertState(AnswerState.BUSY, kernel.warm(1));
  }

  @Test
  void speculationOfAllSessions_hasALimit() {
    OperationLimits limits = new OperationLimits(8, 8, 8, 2, 8, 8, 64);
    kernel = with(TieredKernel.settings(100).with(limits));
    kernel.publish(1);
    kernel.prepare(1);
    kernel.ask(TieredKernel.WORKER, QueryKind.PREPARE, 1);
    kernel.assertState(AnswerState.BUSY, kernel.prepare(1));
    kernel.assertReady(kernel.demand(1), 1);
  }

  @Test
  void preparation_beyondAQuarterOfTheTotal_isBusy() {
    kernel = with(TieredKernel.settings(8));
    kernel.publish(1, 2, 3);
    kernel.assertState(AnswerState.BUSY, kernel.prepare(1, 2, 3));
    kernel.assertState(AnswerState.PREPARED, kernel.prepare(1, 2));
    kernel.assertState(AnswerState.BUSY, kernel.prepare(1));
    assertEquals(2, kernel.speculative());
    assertEquals(2, kernel.count(KernelCounter.SPECULATION_BUSY));
    assertEquals(0, kernel.count(KernelCounter.BUDGET_BYPASSES));
  }

  @Test
  void preparation_beyondAQuarterOfItsInstance_isBusyWhileAnotherInstanceMay() {
    kernel = with(TieredKernel.settings(16, 8));
    int second = kernel.secondEngine(7);
    kernel.publish(1, 2);
    kernel.assertState(AnswerState.PREPARED, kernel.prepare(1, 2));
    kernel.assertState(AnswerState.BUSY, kernel.prepare(1));
    long other = kernel.kernel.operation();
    kernel.kernel.step(
        KernelHarness.query(TieredKernel.SCHEDULER, other, 1, -1, second, QueryKind.PREPARE, 1, 2));
    kernel.assertState(AnswerState.PREPARED, other);
  }

  @Test
  void preparation_thatTheTotalHasNoRoomFor_isBusyNotWaiting() {
    kernel = with(TieredKernel.settings(4));
    kernel.publish(1, 2, 3, 4);
    kernel.demand(1, 2, 3, 4);
    kernel.assertState(AnswerState.BUSY, kernel.prepare(1));
  }

  @Test
  void preparation_whileADemandWaits_isBusy() {
    kernel = with(TieredKernel.settings(4));
    kernel.publish(1, 2, 3, 4);
    long holder = kernel.demand(1, 2);
    long waiting = kernel.demand(1, 2, 3);
    kernel.assertState(AnswerState.LOADING, waiting);
    kernel.assertState(AnswerState.BUSY, kernel.prepare(1));
    kernel.cancel(holder);
    kernel.assertReady(waiting, 3);
    kernel.assertState(AnswerState.PREPARED, kernel.prepare(1));
  }

  @Test
  void demand_besideASpeculativeQuarter_waitsForItsEnd() {
    kernel = with(TieredKernel.settings(4));
    kernel.publish(1, 2, 3, 4);
    kernel.prepare(1);
    long demand = kernel.demand(1, 2, 3, 4);
    kernel.assertState(AnswerState.LOADING, demand);
    kernel.pass(LIFE);
    kernel.assertReady(demand, 4);
  }
}
