package io.orbitkv.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.orbitkv.api.query.AnswerState;
import io.orbitkv.api.query.ErrorCode;
import io.orbitkv.api.query.QueryKind;
import io.orbitkv.kernel.QueuedRequest.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Preparations that the kernel makes for an engine's queue on a policy's advice. */
class QueuePreparationTest {
  private static final Duration LIFE = Duration.ofSeconds(1);

  private TieredKernel kernel = new TieredKernel();

  private static QueuedRequest accepted(String request, long... names) {
    return new QueuedRequest(
        request,
        State.ACCEPTED,
        new int[] {0},
        new int[] {names.length},
        KernelHarness.keys(names),
        null);
  }

  private static QueuedRequest gone(String request, State state) {
    return new QueuedRequest(request, state, new int[0], new int[0], new long[0], null);
  }

  private void report(QueuedRequest... changes) {
    kernel.kernel.step(
        new Event.Queue(
            TieredKernel.SCHEDULER,
            kernel.kernel.operation(),
            kernel.engine,
            Arrays.asList(changes)));
  }

  private void advise(String... requests) {
    kernel.kernel.step(new Event.Lookahead(kernel.engine, List.of(requests)));
  }

  private ErrorCode refused(QueuedRequest... changes) {
    report(changes);
    return kernel.kernel.only(Command.Refused.class).error();
  }

  /** The demand of a queued request. */
  private long demand(String request, long... names) {
    long operation = kernel.kernel.operation();
    kernel.kernel.step(
        kernel.question(TieredKernel.SCHEDULER, operation, 1, QueryKind.DEMAND, request, names));
    return operation;
  }

  private void assertMatched(long operation, int hits) {
    kernel.assertReady(operation, hits);
    assertEquals(Command.CLAIMED_PREPARATION, kernel.answer(operation).detail());
  }

  private void assertUnmatched(long operation, int hits) {
    kernel.assertReady(operation, hits);
    assertEquals(0, kernel.answer(operation).detail());
  }

  // ---- matching --------------------------------------------------------------------------------

  @Test
  void report_withoutAdvice_preparesNothing() {
    kernel.have(1);
    report(accepted("a", 1));
    assertTrue(kernel.inFlight().isEmpty());
    assertTrue(kernel.kernel.commands.isEmpty());
  }

  @Test
  void demand_ofAPreparedRequest_getsItsPages() {
    kernel.have(1, 2);
    report(accepted("a", 1, 2));
    advise("a");
    assertTrue(kernel.read(1).speculative());
    assertEquals(2, kernel.speculative());
    kernel.arrive(1, 2);
    long demand = demand("a", 1, 2);
    assertMatched(demand, 2);
    assertEquals(0, kernel.speculative());
    assertEquals(2, kernel.reserved());
    kernel.take(demand);
    kernel.restoreAll(demand);
    kernel.assertDrained();
    assertEquals(1, kernel.count(KernelCounter.PREPARATIONS_MATCHED));
    assertEquals(1, kernel.count(KernelCounter.PREPARATIONS_CLAIMED));
    assertEquals(1, kernel.count(KernelCounter.QUERIES));
    assertEquals(1, kernel.count(KernelCounter.QUERY_HITS));
    assertEquals(2, kernel.count(KernelCounter.READ_PAGES));
  }

  @Test
  void demand_whileItsPreparationReads_takesItOver() {
    kernel.have(1, 2);
    report(accepted("a", 1, 2));
    advise("a");
    kernel.arrive(1);
    long demand = demand("a", 1, 2);
    kernel.assertState(AnswerState.LOADING, demand);
    assertEquals(0, kernel.speculative());
    assertEquals(List.of(kernel.read(2).ticket()), kernel.raised());
    kernel.pass(Duration.ofSeconds(2));
    kernel.arrive(2);
    assertMatched(demand, 2);
  }

  @Test
  void cancel_ofAMatchedDemand_endsItsPreparation() {
    kernel.have(1);
    report(accepted("a", 1));
    advise("a");
    kernel.cancel(demand("a", 1));
    kernel.arrive(1);
    kernel.assertDrained();
    assertEquals(1, kernel.count(KernelCounter.QUERIES_CANCELLED));
  }

  @Test
  void demand_ofOtherKeysOrAnotherRequest_matchesNothing() {
    kernel.publish(1, 2, 3);
    report(accepted("a", 1, 2));
    advise("a");
    assertUnmatched(demand("a", 1, 2, 3), 3);
    assertUnmatched(demand("a", 1), 1);
    assertUnmatched(demand("b", 1, 2), 2);
    assertEquals(0, kernel.count(KernelCounter.PREPARATIONS_MATCHED));
    assertMatched(demand("a", 1, 2), 2);
  }

  @Test
  void questionOfAnotherKind_matchesNothing() {
    kernel.publish(1);
    report(accepted("a", 1));
    advise("a");
    long wait = kernel.kernel.operation();
    kernel.kernel.step(
        kernel.question(TieredKernel.SCHEDULER, wait, 1, QueryKind.PRODUCER_WAIT, "a", 1));
    assertUnmatched(wait, 1);
    long prepare = kernel.kernel.operation();
    kernel.kernel.step(
        kernel.question(TieredKernel.SCHEDULER, prepare, 1, QueryKind.PREPARE, "a", 1));
    kernel.assertState(AnswerState.PREPARED, prepare);
    assertMatched(demand("a", 1), 1);
  }

  @Test
  void secondDemand_ofARequest_matchesNothing() {
    kernel.publish(1);
    report(accepted("a", 1));
    advise("a");
    assertMatched(demand("a", 1), 1);
    assertUnmatched(demand("a", 1), 1);
  }

  @Test
  void selected_ofAPreparedRequest_getsItsPages() {
    kernel = new TieredKernel(TieredKernel.settings(100), 1L << 30, 1, TieredKernel.HYBRID);
    kernel.publish(1, 2);
    kernel.publishOf(1, 50);
    long operation = kernel.kernel.operation();
    Event.Submit selected = kernel.selected(operation, QueryKind.SELECTED, 50, 1, 2);
    report(
        new QueuedRequest(
            selected.requestId(),
            State.ACCEPTED,
            selected.groups(),
            selected.pagesOfGroup(),
            selected.keys(),
            selected.demand()));
    advise(selected.requestId());
    assertEquals(4, kernel.speculative());
    kernel.kernel.step(kernel.selected(operation, QueryKind.SELECTED, 50, 1, 2));
    assertMatched(operation, 3);
  }

  @Test
  void preparationThatFoundNothing_doesNotMakeTheDemandMissWhatCameSince() {
    report(accepted("a", 1));
    advise("a");
    kernel.publish(1);
    assertUnmatched(demand("a", 1), 1);
    kernel.pass(LIFE);
    kernel.pass(Duration.ofSeconds(5));
    kernel.assertDrained();
  }

  @Test
  void demandWithoutAPermit_leavesThePreparationForTheNext() {
    OperationLimits limits = new OperationLimits(1, 1024, 16, 128, 4, 8, 64);
    kernel =
        new TieredKernel(TieredKernel.settings(100).with(limits), 1L << 30, 1, TieredKernel.DENSE);
    kernel.publish(1);
    report(accepted("a", 1));
    advise("a");
    long other = kernel.demand(1);
    kernel.assertState(AnswerState.BUSY, demand("a", 1));
    kernel.take(other);
    assertMatched(demand("a", 1), 1);
  }

  // ---- endings ---------------------------------------------------------------------------------

  @Test
  void preparation_whoseQueueFallsSilent_isGoneAfterASecond() {
    kernel.publish(1);
    report(accepted("a", 1));
    advise("a");
    kernel.pass(LIFE.minusNanos(1));
    assertEquals(1, kernel.speculative());
    kernel.toDeadline();
    kernel.assertDrained();
    assertEquals(1, kernel.count(KernelCounter.PREPARATIONS_EXPIRED));
    assertUnmatched(demand("a", 1), 1);
  }

  @Test
  void preparation_thatIsTooOldButNotSwept_matchesNothing() {
    kernel.publish(1);
    report(accepted("a", 1));
    advise("a");
    kernel.kernel.nowNanos += LIFE.toNanos();
    assertUnmatched(demand("a", 1), 1);
    kernel.kernel.step(new Event.Tick());
    assertEquals(0, kernel.speculative());
    assertEquals(1, kernel.count(KernelCounter.PREPARATIONS_EXPIRED));
  }

  @Test
  void reports_keepPreparationsAlive() {
    kernel.publish(1);
    report(accepted("a", 1));
    advise("a");
    for (int i = 0; i < 5; i++) {
      kernel.pass(Duration.ofMillis(900));
      report();
    }
    assertMatched(demand("a", 1), 1);
  }

  @Test
  void preparation_whoseRequestLeftTheQueue_isGoneAfterASecond() {
    for (State state : List.of(State.GONE, State.EXECUTING)) {
      kernel = new TieredKernel();
      kernel.publish(1);
      report(accepted("a", 1));
      advise("a");
      report(gone("a", state));
      kernel.pass(Duration.ofMillis(900));
      report();
      kernel.pass(Duration.ofMillis(100));
      kernel.assertDrained();
      assertEquals(1, kernel.count(KernelCounter.PREPARATIONS_EXPIRED));
    }
  }

  @Test
  void preparation_thatIsExecuting_isMatchedForASecondStill() {
    kernel.publish(1);
    report(accepted("a", 1));
    advise("a");
    report(gone("a", State.EXECUTING));
    assertMatched(demand("a", 1), 1);
  }

  @Test
  void advice_thatDropsARequest_givesItsPreparationUp() {
    kernel.have(1, 2);
    report(accepted("a", 1), accepted("b", 2));
    advise("a", "b");
    advise("b");
    assertEquals(1, kernel.count(KernelCounter.PREPARATIONS_GIVEN_UP));
    assertEquals(2, kernel.speculative(), "what is in flight drains");
    kernel.arrive(1);
    assertEquals(1, kernel.speculative());
    kernel.arrive(2);
    assertMatched(demand("b", 2), 1);
    assertUnmatched(demand("a", 1), 1);
  }

  @Test
  void advice_givenAgain_changesNothing() {
    kernel.have(1);
    report(accepted("a", 1));
    advise("a", "a");
    advise("a");
    assertEquals(1, kernel.count(KernelCounter.PREPARATIONS));
    assertEquals(1, kernel.speculative());
  }

  @Test
  void advice_forAnExpiredPreparation_preparesAnew() {
    kernel.publish(1);
    report(accepted("a", 1));
    advise("a");
    kernel.pass(LIFE);
    report();
    advise("a");
    assertMatched(demand("a", 1), 1);
    assertEquals(2, kernel.count(KernelCounter.PREPARATIONS));
  }

  @Test
  void request_acceptedWithOtherKeys_losesItsPreparation() {
    kernel.publish(1, 2);
    report(accepted("a", 1));
    advise("a");
    report(accepted("a", 1, 2));
    assertEquals(1, kernel.count(KernelCounter.PREPARATIONS_GIVEN_UP));
    assertEquals(0, kernel.speculative());
    report(accepted("a", 1, 2));
    advise("a");
    assertMatched(demand("a", 1, 2), 2);
  }

  @Test
  void nonsenseAdvice_isPassedOver() {
    kernel.kernel.step(new Event.Lookahead(kernel.engine, List.of("a")));
    kernel.kernel.step(new Event.Lookahead(999, List.of("a")));
    kernel.kernel.step(new Event.Warming(999, List.of("a")));
    kernel.kernel.step(new Event.Warming(kernel.engine, List.of("a")));
    kernel.publish(1);
    report(accepted("a", 1));
    advise("ghost", "a", "");
    assertEquals(1, kernel.count(KernelCounter.PREPARATIONS));
    assertMatched(demand("a", 1), 1);
  }

  @Test
  void endOfTheGeneration_givesUpItsPreparationsAndItsQueue() {
    kernel.publish(1);
    kernel.have(2);
    report(accepted("a", 1), accepted("b", 2));
    advise("a", "b");
    kernel.kernel.close(TieredKernel.WORKER);
    kernel.arrive(2);
    kernel.assertDrained();
    assertEquals(2, kernel.count(KernelCounter.PREPARATIONS_GIVEN_UP));
  }

  @Test
  void queue_thatNobodyReportsForAMinute_isForgotten() {
    report(accepted("a", 1));
    kernel.pass(Duration.ofSeconds(61));
    kernel.publish(1);
    advise("a");
    assertEquals(0, kernel.count(KernelCounter.PREPARATIONS));
  }

  @Test
  void endOfTheSchedulersSession_leavesTheQueueToSilence() {
    kernel.publish(1);
    report(accepted("a", 1));
    advise("a");
    kernel.kernel.close(TieredKernel.SCHEDULER);
    assertEquals(1, kernel.speculative());
    kernel.pass(LIFE);
    assertEquals(0, kernel.speculative());
  }

  @Test
  void draining_takesNoReportsAndNoAdvice() {
    kernel.publish(1);
    report(accepted("a", 1));
    kernel.kernel.step(new Event.Drain());
    advise("a");
    assertEquals(ErrorCode.DRAINING, refused(accepted("b", 1)));
    assertEquals(0, kernel.count(KernelCounter.PREPARATIONS));
  }

  // ---- limits ----------------------------------------------------------------------------------

  @Test
  void fourRequests_ofAQueueArePreparedAtOnce_inTheOrderOfTheAdvice() {
    kernel.have(1, 2, 3, 4, 5);
    report(
        accepted("a", 1), accepted("b", 2), accepted("c", 3), accepted("d", 4), accepted("e", 5));
    advise("e", "d", "c", "b", "a");
    assertEquals(List.of(2L, 3L, 4L, 5L), kernel.inFlight());
    assertEquals(1, kernel.count(KernelCounter.SPECULATION_BUSY));
  }

  @Test
  void matchedPreparation_makesRoomForAnother() {
    kernel.publish(1);
    report(
        accepted("a", 1), accepted("b", 1), accepted("c", 1), accepted("d", 1), accepted("e", 1));
    advise("a", "b", "c", "d");
    demand("a", 1);
    advise("b", "c", "d", "e");
    assertMatched(demand("e", 1), 1);
  }

  @Test
  void preparations_ofAQueue_stayInTheQuarterAndBehindWaiters() {
    kernel = new TieredKernel(TieredKernel.settings(8), 1L << 30, 1, TieredKernel.DENSE);
    kernel.publish(1, 2, 3, 4);
    report(accepted("a", 1, 2, 3), accepted("b", 1, 2), accepted("c", 1));
    advise("a", "b", "c");
    assertEquals(2, kernel.speculative());
    assertMatched(demand("b", 1, 2), 2);
  }

  @Test
  void report_withABadRequest_isRefusedWhole() {
    QueuedRequest bad =
        new QueuedRequest(
            "bad", State.ACCEPTED, new int[] {1}, new int[] {1}, KernelHarness.keys(1), null);
    assertEquals(ErrorCode.INVALID, refused(accepted("a", 1), bad));
    kernel.publish(1);
    advise("a");
    assertEquals(0, kernel.count(KernelCounter.PREPARATIONS));
  }

  @Test
  void report_forAnUnknownInstance_isRefused() {
    kernel.kernel.step(
        new Event.Queue(TieredKernel.SCHEDULER, kernel.kernel.operation(), 999, List.of()));
    assertEquals(ErrorCode.UNKNOWN, kernel.kernel.only(Command.Refused.class).error());
  }

  @Test
  void queue_beyondItsLimit_isRefusedWhole() {
    List<QueuedRequest> many = new ArrayList<>();
    for (int i = 0; i <= 4096; i++) {
      many.add(accepted("request-" + i, 1));
    }
    assertEquals(ErrorCode.LIMIT, refused(many.toArray(QueuedRequest[]::new)));
    report(many.subList(0, 4096).toArray(QueuedRequest[]::new));
    assertTrue(kernel.kernel.commands.isEmpty());
    assertEquals(ErrorCode.LIMIT, refused(accepted("one-more", 1)));
  }

  @Test
  void fullQueue_takesWhatReplacesOthers() {
    List<QueuedRequest> many = new ArrayList<>();
    for (int i = 0; i < 4096; i++) {
      many.add(accepted("request-" + i, 1));
    }
    report(many.toArray(QueuedRequest[]::new));
    report(many.toArray(QueuedRequest[]::new));
    assertTrue(kernel.kernel.commands.isEmpty(), "the same requests again are no more");
    report(gone("request-1", State.GONE), accepted("one-more", 1));
    assertTrue(kernel.kernel.commands.isEmpty(), "one left");
  }

  @Test
  void queue_withMoreKeysThanMayBePending_isRefused() {
    int pages = 1 << 16;
    long[] names = LongStream.rangeClosed(1, pages).toArray();
    int requests = (int) (KernelSettings.PENDING_KEY_BYTES / (16L * pages));
    QueuedRequest[] all = new QueuedRequest[requests];
    for (int i = 0; i < requests; i++) {
      all[i] = accepted("request-" + i, names);
    }
    report(all);
    assertTrue(kernel.kernel.commands.isEmpty());
    assertEquals(ErrorCode.LIMIT, refused(accepted("one-more", 1)));
    report(gone("request-0", State.GONE), accepted("one-more", 1));
    assertTrue(kernel.kernel.commands.isEmpty());
  }
}
