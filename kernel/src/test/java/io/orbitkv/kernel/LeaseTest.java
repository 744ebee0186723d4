package io.orbitkv.kernel;

import static io.orbitkv.kernel.KernelHarness.query;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.orbitkv.api.copy.CopyPlan;
import io.orbitkv.api.lease.LeaseId;
import io.orbitkv.api.page.PageKey;
import io.orbitkv.api.query.AnswerState;
import io.orbitkv.api.query.ErrorCode;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Offers, leases, shares and restores. */
class LeaseTest {
  private static final long SCHEDULER = 100;

  private final KernelHarness kernel = new KernelHarness();

  private int single() {
    int instance = kernel.instance("engine", 1);
    kernel.open(SCHEDULER);
    kernel.store(1, instance, 1, 2, 3);
    return instance;
  }

  private int pair() {
    int instance = kernel.instance("pair", 1, 2);
    kernel.open(SCHEDULER);
    for (long rank = 1; rank <= 2; rank++) {
      long operation = kernel.publish(rank, instance, PageKey.NONE, 1, 2, 3);
      kernel.done(kernel.plan());
      kernel.commit(rank, operation, true);
    }
    return instance;
  }

  private AnswerState answer() {
    return kernel.only(Command.Answer.class).state();
  }

  private ErrorCode refused() {
    return kernel.only(Command.Refused.class).error();
  }

  @Test
  void offer_thatNobodyTakes_lapsesAfterFiveSeconds() {
    int engine = single();
    Command.Answer offer = kernel.ask(SCHEDULER, engine, 1, 2);
    kernel.tickAfter(Duration.ofMillis(4_999));
    assertEquals(1, kernel.kernel.status().leases());
    kernel.tickAfter(Duration.ofMillis(1));
    assertEquals(0, kernel.kernel.status().leases());
    assertEquals(0, kernel.kernel.status().reservedBytes());
    assertEquals(1, kernel.counter(KernelCounter.OFFERS_LAPSED));
    kernel.restore(1, engine, offer.lease(), 1, 2);
    assertEquals(AnswerState.MISS, answer());
  }

  @Test
  void lease_thatWasTaken_expiresAfterTenMinutes() {
    int engine = single();
    kernel.lease(SCHEDULER, engine, 1, 2);
    kernel.tickAfter(Duration.ofSeconds(599));
    assertEquals(1, kernel.kernel.status().leases());
    kernel.tickAfter(Duration.ofSeconds(1));
    assertEquals(0, kernel.kernel.status().leases());
    assertEquals(1, kernel.counter(KernelCounter.LEASES_EXPIRED));
  }

  @Test
  void leaseIds_differAndAreNeverNone() {
    int engine = single();
    LeaseId one = kernel.ask(SCHEDULER, engine, 1).lease();
    LeaseId two = kernel.ask(SCHEDULER, engine, 1).lease();
    assertNotEquals(one, two);
    kernel.restore(1, engine, new LeaseId(one.high(), one.low() + 1), 1);
    assertEquals(AnswerState.MISS, answer());
  }

  @Test
  void restore_ofAnOffer_acknowledgesIt() {
    int engine = single();
    Command.Answer offer = kernel.ask(SCHEDULER, engine, 1, 2);
    kernel.restore(1, engine, offer.lease(), 9, 8);
    CopyPlan plan = kernel.plan();
    assertEquals(CopyPlan.Direction.HOST_TO_DEVICE, plan.direction());
    assertEquals(9, plan.devicePage(0));
    assertEquals(8, plan.devicePage(1));
    kernel.tickAfter(Duration.ofSeconds(6));
    assertEquals(0, kernel.counter(KernelCounter.OFFERS_LAPSED));
    kernel.done(plan);
    Command.Answer answer = kernel.only(Command.Answer.class);
    assertEquals(AnswerState.RESTORED, answer.state());
    assertEquals(2, answer.hits());
    assertEquals(0, kernel.kernel.status().leases());
    assertEquals(0, kernel.kernel.status().reservedBytes());
    assertEquals(2 * KernelHarness.PAYLOAD_BYTES, kernel.counter(KernelCounter.RESTORED_BYTES));
    assertEquals(2, kernel.counter(KernelCounter.RESTORED_PAGES));
  }

  @Test
  void restore_withSkippedPages_copiesTheOthers() {
    int engine = single();
    Command.Answer lease = kernel.lease(SCHEDULER, engine, 1, 2, 3);
    kernel.restore(1, engine, lease.lease(), Event.SKIP, 4, Event.SKIP);
    assertEquals(1, kernel.plan().pages());
    assertEquals(4, kernel.plan().devicePage(0));
  }

  @Test
  void restore_thatSkipsAll_isDoneAtOnceAndConsumesItsShare() {
    int engine = single();
    Command.Answer lease = kernel.lease(SCHEDULER, engine, 1);
    kernel.restore(1, engine, lease.lease(), Event.SKIP);
    assertEquals(AnswerState.RESTORED, answer());
    assertEquals(0, kernel.kernel.status().leases());
  }

  @Test
  void restore_ofWrongDestinations_isInvalidAndConsumesNothing() {
    int engine = single();
    Command.Answer lease = kernel.lease(SCHEDULER, engine, 1, 2);
    int[][] wrong = {{1}, {1, 2, 3}, {1, 1}, {1, KernelHarness.DEVICE_PAGES}, {-2, 1}, {}};
    for (int[] destinations : wrong) {
      kernel.restore(1, engine, lease.lease(), destinations);
      assertEquals(ErrorCode.INVALID, refused());
    }
    kernel.restore(1, engine, lease.lease(), 1, 2);
    assertEquals(2, kernel.plan().pages());
    assertEquals(1, kernel.counter(KernelCounter.RESTORES));
  }

  @Test
  void restore_byAStranger_isNotOwnerAndConsumesNothing() {
    int engine = single();
    int other = kernel.instance("other", 7);
    Command.Answer lease = kernel.lease(SCHEDULER, engine, 1, 2);
    kernel.restore(SCHEDULER, engine, lease.lease(), 1, 2);
    assertEquals(ErrorCode.NOT_OWNER, refused());
    kernel.restore(7, other, lease.lease(), 1, 2);
    assertEquals(ErrorCode.NOT_OWNER, refused());
    kernel.restore(1, engine, lease.lease(), 1, 2);
    assertEquals(2, kernel.plan().pages());
  }

  @Test
  void restore_withAUsedId_isStale() {
    int engine = single();
    Command.Answer lease = kernel.lease(SCHEDULER, engine, 1, 2);
    long operation = kernel.restore(1, engine, lease.lease(), 1, 2);
    CopyPlan plan = kernel.plan();
    kernel.step(new Event.Restore(1, operation, -1, engine, lease.lease(), 0, new int[] {1, 2}));
    assertEquals(ErrorCode.STALE_OPERATION, refused());
    kernel.done(plan);
    kernel.step(new Event.Restore(1, operation, -1, engine, lease.lease(), 0, new int[] {1, 2}));
    assertEquals(ErrorCode.STALE_OPERATION, refused());
  }

  @Test
  void restore_thatFailed_keepsThePagesFindable() {
    int engine = single();
    Command.Answer lease = kernel.lease(SCHEDULER, engine, 1, 2);
    kernel.restore(1, engine, lease.lease(), 1, 2);
    kernel.failed(kernel.plan());
    Command.Answer answer = kernel.only(Command.Answer.class);
    assertEquals(AnswerState.FAILED, answer.state());
    assertEquals("cable", answer.message());
    assertEquals(0, answer.detail());
    assertEquals(1, kernel.counter(KernelCounter.RESTORE_FAILURES));
    assertEquals(2, kernel.ask(SCHEDULER, engine, 1, 2).hits());
  }

  @Test
  void restore_withUnknownOutcome_quarantinesItsSourcesForGood() {
    int engine = single();
    Command.Answer lease = kernel.lease(SCHEDULER, engine, 1, 2);
    kernel.restore(1, engine, lease.lease(), 1, 2);
    kernel.unknown(kernel.plan());
    Command.Answer answer = kernel.only(Command.Answer.class);
    assertEquals(AnswerState.FAILED, answer.state());
    assertEquals(Command.OUTCOME_UNKNOWN, answer.detail());
    assertEquals(0, kernel.kernel.status().reservedBytes());
    assertEquals(2 * KernelHarness.RUN_BYTES, kernel.kernel.status().quarantinedBytes());
    assertEquals(AnswerState.MISS, kernel.ask(SCHEDULER, engine, 1, 2).state());
    kernel.step(new Event.Evict(1, kernel.operation()));
    assertEquals(2, kernel.memory.runs());
  }

  @Test
  void lease_withARunningCopy_keepsItsBytesThroughItsClose() {
    int engine = single();
    Command.Answer lease = kernel.lease(SCHEDULER, engine, 1, 2);
    kernel.restore(1, engine, lease.lease(), 1, 2);
    CopyPlan plan = kernel.plan();
    kernel.release(SCHEDULER, lease.lease());
    kernel.close(SCHEDULER);
    kernel.tickAfter(Duration.ofHours(1));
    assertEquals(2 * KernelHarness.RUN_BYTES, kernel.kernel.status().reservedBytes());
    kernel.step(new Event.Evict(1, kernel.operation()));
    assertEquals(2 * KernelHarness.RUN_BYTES, kernel.kernel.status().orphanBytes());
    kernel.done(plan);
    assertEquals(0, kernel.kernel.status().reservedBytes());
    assertEquals(0, kernel.memory.runs());
  }

  @Test
  void lease_ofTwoRanks_endsWithTheSecondShare() {
    int engine = pair();
    Command.Answer lease = kernel.lease(SCHEDULER, engine, 1, 2);
    kernel.restore(1, engine, lease.lease(), 1, 2);
    CopyPlan first = kernel.plan();
    kernel.restore(1, engine, lease.lease(), 3, 4);
    assertEquals(AnswerState.MISS, answer());
    kernel.done(first);
    assertEquals(4 * KernelHarness.RUN_BYTES, kernel.kernel.status().reservedBytes());
    kernel.restore(2, engine, lease.lease(), 1, 2);
    CopyPlan second = kernel.plan();
    assertNotEquals(first.hostAddress(0), second.hostAddress(0));
    kernel.done(second);
    assertEquals(0, kernel.kernel.status().leases());
  }

  @Test
  void release_byARank_givesItsShareBackOnce() {
    int engine = pair();
    Command.Answer lease = kernel.lease(SCHEDULER, engine, 1, 2);
    kernel.release(1, lease.lease());
    kernel.release(1, lease.lease());
    assertTrue(kernel.commands.isEmpty());
    assertEquals(1, kernel.kernel.status().leases());
    kernel.restore(1, engine, lease.lease(), 1, 2);
    assertEquals(AnswerState.MISS, answer());
    kernel.release(2, lease.lease());
    assertEquals(0, kernel.kernel.status().leases());
  }

  @Test
  void release_byItsSession_givesTheWholeLeaseBack() {
    int engine = pair();
    Command.Answer lease = kernel.lease(SCHEDULER, engine, 1, 2);
    kernel.release(SCHEDULER, lease.lease());
    assertEquals(0, kernel.kernel.status().leases());
    kernel.release(SCHEDULER, lease.lease());
    assertTrue(kernel.commands.isEmpty());
  }

  @Test
  void release_byAStranger_isNotOwner() {
    int engine = pair();
    Command.Answer lease = kernel.lease(SCHEDULER, engine, 1, 2);
    kernel.open(55);
    kernel.release(55, lease.lease());
    assertEquals(ErrorCode.NOT_OWNER, refused());
    assertEquals(1, kernel.kernel.status().leases());
  }

  @Test
  void restores_beyondTheLimitOfASession_areRefused() {
    KernelSettings usual = KernelHarness.settings(1 << 30);
    KernelHarness small =
        new KernelHarness(
            usual.with(new OperationLimits(128, 1024, 16, 128, 4, 1, 1 << 16)), 1 << 30);
    int engine = small.instance("engine", 1);
    small.store(1, engine, 1);
    Command.Answer one = small.lease(1, engine, 1);
    Command.Answer two = small.lease(1, engine, 1);
    small.restore(1, engine, one.lease(), 1);
    CopyPlan plan = small.plan();
    small.restore(1, engine, two.lease(), 2);
    assertEquals(ErrorCode.LIMIT, small.only(Command.Refused.class).error());
    small.publish(1, engine, PageKey.NONE, 5);
    assertEquals(1, small.plan().pages());
    small.publish(1, engine, PageKey.NONE, 6);
    assertEquals(ErrorCode.LIMIT, small.only(Command.Refused.class).error());
    small.done(plan);
    small.restore(1, engine, two.lease(), 2);
    assertEquals(1, small.plan().pages());
  }

  @Test
  void ask_ofARunningRestore_isLoading_andCancelLeavesIt() {
    int engine = single();
    Command.Answer lease = kernel.lease(SCHEDULER, engine, 1);
    long operation = kernel.restore(1, engine, lease.lease(), 1);
    CopyPlan plan = kernel.plan();
    kernel.step(new Event.Ask(1, operation, 0));
    assertEquals(AnswerState.LOADING, answer());
    kernel.step(new Event.Cancel(1, operation, 0));
    assertTrue(kernel.commands.isEmpty());
    kernel.step(new Event.Commit(1, operation, true));
    assertEquals(ErrorCode.INVALID, refused());
    kernel.done(plan);
    assertEquals(AnswerState.RESTORED, answer());
  }

  // ---- board records ---------------------------------------------------------------------------

  @Test
  void record_ofAnOffer_isBusyUntilTheAcknowledgement() {
    int engine = single();
    long operation = kernel.operation();
    kernel.step(query(SCHEDULER, operation, 1, 2, engine, 1));
    assertEquals(2, kernel.only(Command.Answer.class).record());
    kernel.step(query(SCHEDULER, kernel.operation(), 1, 2, engine, 1));
    assertEquals(ErrorCode.INVALID, refused());
    kernel.step(new Event.Taken(SCHEDULER, operation, 1));
    kernel.step(query(SCHEDULER, kernel.operation(), 1, 2, engine, 1));
    assertEquals(AnswerState.READY, answer());
  }

  @Test
  void record_ofALapsedOffer_isFree() {
    int engine = single();
    kernel.step(query(SCHEDULER, kernel.operation(), 1, 2, engine, 1));
    kernel.tickAfter(Duration.ofSeconds(5));
    kernel.step(query(SCHEDULER, kernel.operation(), 1, 2, engine, 1));
    assertEquals(AnswerState.READY, answer());
  }

  @Test
  void record_ofAMiss_isFree() {
    int engine = single();
    kernel.step(query(SCHEDULER, kernel.operation(), 1, 2, engine, 77));
    kernel.step(query(SCHEDULER, kernel.operation(), 1, 2, engine, 77));
    assertEquals(AnswerState.MISS, answer());
  }

  @Test
  void record_outsideTheBoard_isInvalid() {
    int engine = single();
    kernel.step(query(SCHEDULER, kernel.operation(), 1, KernelHarness.BOARD, engine, 1));
    assertEquals(ErrorCode.INVALID, refused());
    kernel.step(query(SCHEDULER, kernel.operation(), 1, -2, engine, 1));
    assertEquals(ErrorCode.INVALID, refused());
  }

  @Test
  void record_ofANewerRevision_mustBeFreeOrItsOwn() {
    int engine = single();
    long operation = kernel.operation();
    kernel.step(query(SCHEDULER, operation, 1, 2, engine, 1));
    long other = kernel.operation();
    kernel.step(query(SCHEDULER, other, 1, 3, engine, 1));
    kernel.step(query(SCHEDULER, operation, 2, 3, engine, 1, 2));
    assertEquals(ErrorCode.INVALID, refused());
    kernel.step(query(SCHEDULER, operation, 2, 2, engine, 1, 2));
    assertEquals(AnswerState.READY, answer());
    kernel.step(query(SCHEDULER, operation, 3, 4, engine, 1, 2));
    assertEquals(4, kernel.only(Command.Answer.class).record());
    kernel.step(query(SCHEDULER, kernel.operation(), 1, 2, engine, 1));
    assertEquals(AnswerState.READY, answer());
  }

  @Test
  void restore_mayUseTheRecordOfTheOfferThatItTakes() {
    int engine = single();
    kernel.step(query(1, kernel.operation(), 1, 2, engine, 1));
    LeaseId lease = kernel.only(Command.Answer.class).lease();
    kernel.step(new Event.Restore(1, kernel.operation(), 2, engine, lease, 0, new int[] {1}));
    CopyPlan plan = kernel.plan();
    kernel.step(query(1, kernel.operation(), 1, 2, engine, 1));
    assertEquals(ErrorCode.INVALID, refused());
    kernel.done(plan);
    assertEquals(2, kernel.only(Command.Answer.class).record());
    kernel.step(query(1, kernel.operation(), 1, 2, engine, 1));
    assertEquals(AnswerState.READY, answer());
  }

  @Test
  void record_inUse_refusesARestoreAndAPublish() {
    int engine = single();
    Command.Answer lease = kernel.lease(1, engine, 2);
    kernel.step(query(1, kernel.operation(), 1, 2, engine, 1));
    kernel.step(
        new Event.Restore(1, kernel.operation(), 2, engine, lease.lease(), 0, new int[] {1}));
    assertEquals(ErrorCode.INVALID, refused());
    kernel.step(
        new Event.Publish(
            1,
            kernel.operation(),
            2,
            engine,
            0,
            0,
            PageKey.NONE,
            KernelHarness.keys(9),
            new int[1]));
    assertEquals(ErrorCode.INVALID, refused());
  }
}
