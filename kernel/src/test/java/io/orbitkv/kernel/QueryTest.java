package io.orbitkv.kernel;

import static io.orbitkv.kernel.KernelHarness.query;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.orbitkv.api.lease.LeaseId;
import io.orbitkv.api.page.PageKey;
import io.orbitkv.api.query.AnswerState;
import io.orbitkv.api.query.ErrorCode;
import io.orbitkv.api.query.QueryKind;
import io.orbitkv.api.recovery.GroupRange;
import io.orbitkv.api.recovery.RecoveryDemand;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Questions and their identities. */
class QueryTest {
  private static final long SCHEDULER = 100;
  private static final long WORKER = 1;

  private final KernelHarness kernel = new KernelHarness();
  private int instance;

  @BeforeEach
  void engine() {
    instance = kernel.instance("engine", WORKER);
    kernel.open(SCHEDULER);
    kernel.store(WORKER, instance, 1, 2, 3, 4);
  }

  private ErrorCode refused(Event event) {
    kernel.step(event);
    assertEquals(1, kernel.commands.size(), kernel.commands::toString);
    return kernel.only(Command.Refused.class).error();
  }

  @Test
  void query_ofResidentPages_offersAll() {
    Command.Answer answer = kernel.ask(SCHEDULER, instance, 1, 2, 3);
    assertEquals(AnswerState.READY, answer.state());
    assertEquals(3, answer.hits());
    assertFalse(answer.lease().isNone());
    assertEquals(3 * KernelHarness.RUN_BYTES, kernel.kernel.status().reservedBytes());
    assertEquals(1, kernel.counter(KernelCounter.QUERY_HITS));
  }

  @Test
  void query_withAGap_offersThePrefixBeforeIt() {
    Command.Answer answer = kernel.ask(SCHEDULER, instance, 1, 2, 77, 4);
    assertEquals(2, answer.hits());
    assertEquals(2 * KernelHarness.RUN_BYTES, kernel.kernel.status().reservedBytes());
    assertEquals(1, kernel.counter(KernelCounter.QUERY_PARTIAL_HITS));
    assertEquals(2, kernel.counter(KernelCounter.QUERY_MISSED_PAGES));
  }

  @Test
  void query_ofUnknownPages_isAMissAndOwnsNothing() {
    Command.Answer answer = kernel.ask(SCHEDULER, instance, 77, 1);
    assertEquals(AnswerState.MISS, answer.state());
    assertTrue(answer.lease().isNone());
    assertEquals(0, kernel.kernel.status().reservedBytes());
    assertEquals(0, kernel.kernel.status().operations());
  }

  @Test
  void producerWait_withAGap_getsNothing() {
    kernel.step(
        query(SCHEDULER, kernel.operation(), 1, -1, instance, QueryKind.PRODUCER_WAIT, 1, 2, 77));
    assertEquals(AnswerState.MISS, kernel.only(Command.Answer.class).state());
    kernel.step(
        query(SCHEDULER, kernel.operation(), 1, -1, instance, QueryKind.PRODUCER_WAIT, 1, 2));
    assertEquals(2, kernel.only(Command.Answer.class).hits());
  }

  @Test
  void query_ofGroupsThatItsKindDoesNotAskFor_isInvalid() {
    Event.Submit one = query(SCHEDULER, kernel.operation(), 1, -1, instance, 1, 2);
    assertEquals(ErrorCode.INVALID, refused(reshaped(one, new int[] {0, 1}, new int[] {1, 1})));
    assertEquals(ErrorCode.INVALID, refused(reshaped(one, new int[] {1}, new int[] {2})));
  }

  @Test
  void query_thatContradictsItself_isInvalid() {
    long operation = kernel.operation();
    Event.Submit good = query(SCHEDULER, operation, 1, -1, instance, 1, 2);
    assertEquals(ErrorCode.INVALID, refused(query(SCHEDULER, 0, 1, -1, instance, 1)));
    assertEquals(ErrorCode.INVALID, refused(query(SCHEDULER, operation, 0, -1, instance, 1)));
    assertEquals(ErrorCode.INVALID, refused(query(SCHEDULER, operation, 1, -1, instance)));
    assertEquals(ErrorCode.INVALID, refused(reshaped(good, new int[] {0}, new int[] {3})));
    assertEquals(ErrorCode.INVALID, refused(reshaped(good, new int[] {0}, new int[] {-2})));
    assertEquals(ErrorCode.INVALID, refused(reshaped(good, new int[] {}, new int[] {})));
    assertEquals(ErrorCode.INVALID, refused(reshaped(good, new int[] {0}, new int[] {1, 1})));
    assertEquals(
        ErrorCode.INVALID,
        refused(query(SCHEDULER, operation, 1, -1, instance, QueryKind.SELECTED, 1)));
    assertEquals(
        ErrorCode.INVALID,
        refused(
            new Event.Submit(
                SCHEDULER,
                operation,
                1,
                -1,
                instance,
                QueryKind.DEMAND,
                "request",
                new int[] {0},
                new int[] {2},
                KernelHarness.keys(1, 2),
                new RecoveryDemand(16, 0, 32, List.of(new GroupRange(0, 0, 32))))));
    // Nothing of it used the id up.
    kernel.step(good);
    assertEquals(AnswerState.READY, kernel.only(Command.Answer.class).state());
  }

  private static Event.Submit reshaped(Event.Submit good, int[] groups, int[] pages) {
    return new Event.Submit(
        good.session(),
        good.operation(),
        1,
        -1,
        good.instance(),
        QueryKind.DEMAND,
        "request",
        groups,
        pages,
        good.keys(),
        null);
  }

  @Test
  void query_ofAnUnknownInstance_isRefused() {
    assertEquals(ErrorCode.UNKNOWN, refused(query(SCHEDULER, kernel.operation(), 1, -1, 4711, 1)));
  }

  @Test
  void query_beforeAllRanksRegistered_isRefused() {
    kernel.open(2);
    int half = kernel.register("pair", 2, KernelHarness.layout(0, 2)).instance();
    assertEquals(
        ErrorCode.NOT_SEALED, refused(query(SCHEDULER, kernel.operation(), 1, -1, half, 1)));
  }

  @Test
  void query_twiceTheSame_isAnsweredTwiceAndOwnsOnce() {
    Event.Submit submit = query(SCHEDULER, kernel.operation(), 1, -1, instance, 1, 2);
    kernel.step(submit);
    Command.Answer first = kernel.only(Command.Answer.class);
    kernel.step(submit);
    assertEquals(first, kernel.only(Command.Answer.class));
    assertEquals(1, kernel.kernel.status().leases());
    assertEquals(1, kernel.counter(KernelCounter.QUERIES));
  }

  @Test
  void query_sameRevisionOtherContent_isInvalid() {
    long operation = kernel.operation();
    kernel.step(query(SCHEDULER, operation, 1, -1, instance, 1, 2));
    assertEquals(ErrorCode.INVALID, refused(query(SCHEDULER, operation, 1, -1, instance, 1, 3)));
    assertEquals(1, kernel.kernel.status().leases());
  }

  @Test
  void query_newerRevision_replacesTheOlder() {
    long operation = kernel.operation();
    kernel.step(query(SCHEDULER, operation, 1, -1, instance, 1, 2));
    Command.Answer old = kernel.only(Command.Answer.class);
    kernel.step(query(SCHEDULER, operation, 2, -1, instance, 1, 2, 3));
    Command.Answer renewed = kernel.only(Command.Answer.class);
    assertEquals(2, renewed.revision());
    assertEquals(3, renewed.hits());
    assertEquals(1, kernel.kernel.status().leases());
    kernel.restore(WORKER, instance, old.lease(), 0, 1);
    assertEquals(AnswerState.MISS, kernel.only(Command.Answer.class).state());
  }

  @Test
  void query_olderRevision_isStale() {
    long operation = kernel.operation();
    kernel.step(query(SCHEDULER, operation, 5, -1, instance, 1, 2));
    assertEquals(
        ErrorCode.STALE_OPERATION, refused(query(SCHEDULER, operation, 4, -1, instance, 1, 2)));
  }

  @Test
  void query_newerRevisionOfAnotherInstance_isInvalid() {
    int other = kernel.instance("other", 7);
    long operation = kernel.operation();
    kernel.step(query(SCHEDULER, operation, 1, -1, instance, 1, 2));
    assertEquals(ErrorCode.INVALID, refused(query(SCHEDULER, operation, 2, -1, other, 1, 2)));
  }

  @Test
  void query_withAUsedId_isRetired() {
    long operation = kernel.operation();
    kernel.step(query(SCHEDULER, operation, 1, -1, instance, 77));
    assertEquals(
        ErrorCode.STALE_OPERATION, refused(query(SCHEDULER, operation, 1, -1, instance, 77)));
    assertEquals(
        ErrorCode.STALE_OPERATION, refused(query(SCHEDULER, operation - 1, 1, -1, instance, 77)));
  }

  @Test
  void query_afterItsOfferWasTaken_isRetired() {
    Command.Answer answer = kernel.lease(SCHEDULER, instance, 1, 2);
    assertEquals(
        ErrorCode.STALE_OPERATION,
        refused(query(SCHEDULER, answer.operation(), 2, -1, instance, 1)));
    assertEquals(1, kernel.kernel.status().leases());
  }

  @Test
  void query_withTheIdOfARunningCopy_isStale() {
    long operation = kernel.publish(WORKER, instance, PageKey.NONE, 50);
    assertEquals(ErrorCode.STALE_OPERATION, refused(query(WORKER, operation, 2, -1, instance, 1)));
  }

  @Test
  void query_beyondTheSessionsPermits_isBusyAndKeepsItsId() {
    for (int i = 0; i < 128; i++) {
      assertEquals(AnswerState.READY, kernel.ask(SCHEDULER, instance, 1).state());
    }
    long operation = kernel.operation();
    Event.Submit submit = query(SCHEDULER, operation, 1, -1, instance, 1);
    kernel.step(submit);
    assertEquals(AnswerState.BUSY, kernel.only(Command.Answer.class).state());
    assertEquals(1, kernel.counter(KernelCounter.OPERATIONS_BUSY));
    kernel.step(new Event.Taken(SCHEDULER, operation - 1, 1));
    kernel.step(submit);
    assertEquals(AnswerState.READY, kernel.only(Command.Answer.class).state());
  }

  @Test
  void query_beyondTheManagersPermits_isBusy() {
    for (long session = 200; session < 208; session++) {
      kernel.open(session);
      for (int i = 0; i < 128; i++) {
        assertEquals(AnswerState.READY, kernel.ask(session, instance, 1).state());
      }
    }
    assertEquals(AnswerState.BUSY, kernel.ask(SCHEDULER, instance, 1).state());
  }

  @Test
  void message_ofAGoneSession_isIgnored() {
    assertTrue(kernel.step(query(999, 1, 1, 0, instance, 1)).isEmpty());
    assertTrue(kernel.step(new Event.Taken(999, 1, 1)).isEmpty());
    assertTrue(kernel.step(new Event.Ask(999, 1, 1)).isEmpty());
    assertTrue(kernel.step(new Event.Cancel(999, 1, 1)).isEmpty());
    assertTrue(kernel.step(new Event.Commit(999, 1, true)).isEmpty());
    assertTrue(kernel.step(new Event.Sync(999, 1)).isEmpty());
    assertTrue(kernel.step(new Event.Evict(999, 1)).isEmpty());
    assertTrue(kernel.step(new Event.Attach(999, 1, "engine")).isEmpty());
    assertTrue(kernel.step(new Event.Unregister(999, 1, instance)).isEmpty());
    kernel.release(999, LeaseId.NONE);
    assertTrue(kernel.commands.isEmpty());
    kernel.restore(999, instance, LeaseId.NONE, 1);
    assertTrue(kernel.commands.isEmpty());
    kernel.publish(999, instance, PageKey.NONE, 1);
    assertTrue(kernel.commands.isEmpty());
  }

  @Test
  void ask_ofAnOffer_repeatsIt() {
    Command.Answer answer = kernel.ask(SCHEDULER, instance, 1, 2);
    kernel.step(new Event.Ask(SCHEDULER, answer.operation(), 1));
    assertEquals(answer, kernel.only(Command.Answer.class));
    kernel.step(new Event.Taken(SCHEDULER, answer.operation(), 1));
    kernel.step(new Event.Ask(SCHEDULER, answer.operation(), 1));
    assertEquals(answer, kernel.only(Command.Answer.class));
  }

  @Test
  void ask_ofAnEndedOperationOnTheBoard_repeatsItsAnswerOverTheSocket() {
    long operation = kernel.operation();
    kernel.step(query(SCHEDULER, operation, 1, 3, instance, 77));
    assertEquals(3, kernel.only(Command.Answer.class).record());
    kernel.step(new Event.Ask(SCHEDULER, operation, 1));
    Command.Answer repeated = kernel.only(Command.Answer.class);
    assertEquals(AnswerState.MISS, repeated.state());
    assertEquals(Event.NO_RECORD, repeated.record());
    assertEquals(ErrorCode.UNKNOWN, refused(new Event.Ask(SCHEDULER, operation, 2)));
  }

  @Test
  void ask_ofAnythingElse_isRefusedAndCreatesNothing() {
    assertEquals(ErrorCode.UNKNOWN, refused(new Event.Ask(SCHEDULER, 4711, 1)));
    Command.Answer answer = kernel.ask(SCHEDULER, instance, 1, 2);
    assertEquals(
        ErrorCode.STALE_OPERATION, refused(new Event.Ask(SCHEDULER, answer.operation(), 2)));
  }

  @Test
  void taken_ofNothing_isRefusedOnlyForIdsThatNeverWere() {
    assertEquals(ErrorCode.UNKNOWN, refused(new Event.Taken(SCHEDULER, 4711, 1)));
    Command.Answer miss = kernel.ask(SCHEDULER, instance, 77);
    assertTrue(kernel.step(new Event.Taken(SCHEDULER, miss.operation(), 1)).isEmpty());
    Command.Answer offer = kernel.ask(SCHEDULER, instance, 1);
    assertEquals(
        ErrorCode.STALE_OPERATION, refused(new Event.Taken(SCHEDULER, offer.operation(), 2)));
    assertTrue(kernel.step(new Event.Taken(SCHEDULER, offer.operation(), 1)).isEmpty());
    assertTrue(kernel.step(new Event.Taken(SCHEDULER, offer.operation(), 1)).isEmpty());
  }

  @Test
  void cancel_ofAnOffer_givesItBack() {
    Command.Answer answer = kernel.ask(SCHEDULER, instance, 1, 2);
    assertTrue(kernel.step(new Event.Cancel(SCHEDULER, answer.operation(), 0)).isEmpty());
    assertEquals(1, kernel.kernel.status().leases());
    assertEquals(
        ErrorCode.STALE_OPERATION, refused(new Event.Cancel(SCHEDULER, answer.operation(), 2)));
    assertTrue(kernel.step(new Event.Cancel(SCHEDULER, answer.operation(), 1)).isEmpty());
    assertEquals(0, kernel.kernel.status().leases());
    assertEquals(0, kernel.kernel.status().reservedBytes());
    assertTrue(kernel.step(new Event.Cancel(SCHEDULER, answer.operation(), 1)).isEmpty());
    assertEquals(ErrorCode.UNKNOWN, refused(new Event.Cancel(SCHEDULER, 4711, 1)));
  }

  @Test
  void cancel_ofATakenLease_givesItBack() {
    Command.Answer answer = kernel.lease(SCHEDULER, instance, 1, 2);
    kernel.step(new Event.Cancel(SCHEDULER, answer.operation(), 1));
    assertEquals(0, kernel.kernel.status().leases());
  }
}
