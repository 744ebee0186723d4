package io.orbitkv.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.orbitkv.api.backing.BackingStatus;
import io.orbitkv.api.policy.CutoffPolicy.OnDeadline;
import io.orbitkv.api.policy.CutoffPolicy.ReadLimits;
import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.api.policy.Reason;
import io.orbitkv.api.policy.RequestFacts;
import io.orbitkv.api.policy.TierKind;
import io.orbitkv.api.query.AnswerState;
import io.orbitkv.api.query.QueryKind;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A policy is asked how a decision's pages are read, and how much of them is restored. */
class CutoffTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  private TieredKernel kernel = new TieredKernel();
  private Asking asking = new Asking(kernel.kernel, PolicySlot.CUTOFF);

  private void with(ReadSettings reads) {
    kernel = new TieredKernel(reads);
    asking = new Asking(kernel.kernel, PolicySlot.CUTOFF);
  }

  private void hybrid() {
    kernel = new TieredKernel(TieredKernel.settings(1 << 20), 1L << 30, 1, TieredKernel.HYBRID);
    asking = new Asking(kernel.kernel, PolicySlot.CUTOFF);
  }

  private static ReadLimits nonsense() {
    return new ReadLimits(
        Long.MIN_VALUE,
        Integer.MIN_VALUE,
        Duration.ofSeconds(Long.MIN_VALUE),
        OnDeadline.HAND_OVER,
        Integer.MIN_VALUE,
        Reason.of("nonsense"));
  }

  // ---- the question ----------------------------------------------------------------------------

  @Test
  void slotWithoutAPolicy_isNotAsked() {
    asking.serve(PolicySlot.ADMISSION_DRAM);
    kernel.have(1);
    kernel.demand(1);
    assertFalse(asking.asked());
    assertEquals(List.of(1L), kernel.inFlight());
  }

  @Test
  void plannedRead_startsWhenThePlanIsThere() {
    kernel.publish(1);
    kernel.have(2, 3);
    long query = kernel.demand(1, 2, 3, 4);
    RequestFacts request = asking.plan().request();
    assertEquals("engine", request.instance());
    assertEquals(4, request.pages());
    assertEquals(4 * TieredKernel.PAGE_TOKENS, request.tokens());
    assertEquals(1, request.dramPages());
    assertEquals(2, request.ssdPages());
    assertEquals(1, request.groups());
    assertEquals(TierKind.SSD, request.chain().tier());
    kernel.assertState(AnswerState.LOADING, query);
    assertTrue(kernel.inFlight().isEmpty());
    asking.plan(asking.plan(), Asking.everything());
    assertEquals(List.of(2L, 3L), kernel.inFlight());
    kernel.arrive(2, 3);
    kernel.assertReady(query, 3);
    assertEquals(1, kernel.count(KernelCounter.READ_PLANS));
    assertEquals(0, kernel.count(KernelCounter.READ_PLANS_SHORTENED));
  }

  @Test
  void hitInMemory_isNotAskedFor() {
    kernel.publish(1, 2);
    kernel.assertReady(kernel.demand(1, 2), 2);
    assertFalse(asking.asked());
    kernel.assertReady(kernel.demand(1, 2, 3), 2);
    assertFalse(asking.asked());
  }

  @Test
  void producerWait_isNeverAskedFor() {
    kernel.have(1, 2);
    kernel.ask(QueryKind.PRODUCER_WAIT, 1, 2);
    assertFalse(asking.asked());
    assertEquals(List.of(1L, 2L), kernel.inFlight());
  }

  @Test
  void warming_isNotAskedFor() {
    kernel.have(1);
    kernel.warm(1);
    assertFalse(asking.asked());
    assertEquals(List.of(1L), kernel.inFlight());
  }

  @Test
  void residentPages_areHeldWhileThePlanIsMade() {
    kernel.publish(1);
    kernel.have(2);
    long query = kernel.demand(1, 2);
    Command.AskReadPlan question = asking.plan();
    kernel.evict();
    asking.plan(question, Asking.first(1));
    kernel.assertReady(query, 1);
  }

  // ---- limits ----------------------------------------------------------------------------------

  @Test
  void batches_areThePlans() {
    kernel.have(1, 2, 3, 4, 5);
    long query = kernel.demand(1, 2, 3, 4, 5);
    asking.plan(asking.plan(), Asking.batches(2, 0));
    assertEquals(List.of(List.of(1L, 2L), List.of(3L, 4L)), kernel.batches());
    kernel.arrive(1, 2);
    assertEquals(List.of(List.of(5L)), kernel.batches());
    kernel.arrive(3, 4, 5);
    kernel.assertReady(query, 5);
  }

  @Test
  void batches_areTheStricterOfPlanAndSettings() {
    with(new ReadSettings(TieredKernel.PAGE, 2, Duration.ZERO, 1, false));
    kernel.have(1, 2, 3, 4);
    kernel.demand(1, 2, 3, 4);
    asking.plan(asking.plan(), Asking.batches(3, 5));
    assertEquals(List.of(1L), kernel.inFlight());
    kernel.arrive(1, 2);
    assertEquals(1, kernel.count(KernelCounter.READ_STOPS));
  }

  @Test
  void mostBatches_endTheRead() {
    kernel.have(1, 2, 3, 4);
    long query = kernel.demand(1, 2, 3, 4);
    asking.plan(asking.plan(), Asking.batches(1, 2));
    kernel.arrive(1, 2);
    kernel.assertReady(query, 2);
    assertEquals(1, kernel.count(KernelCounter.READ_STOPS));
  }

  @Test
  void nonsense_isNoLimitAndNothingIsRestored() {
    kernel.have(1, 2);
    long query = kernel.demand(1, 2);
    asking.plan(asking.plan(), nonsense());
    kernel.assertState(AnswerState.MISS, query);
    kernel.assertDrained();
  }

  // ---- deadlines -------------------------------------------------------------------------------

  @Test
  void deadline_countsFromTheSubmission() {
    kernel.have(1, 2);
    long query = kernel.demand(1, 2);
    Command.AskReadPlan question = asking.plan();
    kernel.kernel.nowNanos += SECOND.toNanos() / 2;
    asking.plan(question, Asking.until(SECOND, OnDeadline.MISS));
    kernel.pass(Duration.ofMillis(499));
    kernel.assertState(AnswerState.LOADING, query);
    kernel.pass(Duration.ofMillis(1));
    kernel.assertState(AnswerState.MISS, query);
    assertEquals(1, kernel.count(KernelCounter.READ_DEADLINES));
    assertEquals(2, kernel.reserved());
    kernel.arrive(1, 2);
    kernel.assertDrained();
  }

  @Test
  void deadlineThatPassedBeforeThePlanCame_endsTheReadAtOnce() {
    kernel.have(1);
    long query = kernel.demand(1);
    Command.AskReadPlan question = asking.plan();
    kernel.kernel.nowNanos += SECOND.toNanos();
    asking.plan(question, Asking.until(SECOND, OnDeadline.HAND_OVER));
    kernel.assertState(AnswerState.MISS, query);
    kernel.assertDrained();
  }

  @Test
  void deadlineOfTheSettings_holdsWhileThePlanIsMade() {
    with(TieredKernel.timeout(SECOND, 1, false));
    kernel.have(1);
    long query = kernel.demand(1);
    Command.AskReadPlan question = asking.plan();
    kernel.pass(SECOND);
    kernel.assertState(AnswerState.MISS, query);
    asking.plan(question, Asking.everything());
    assertTrue(kernel.inFlight().isEmpty());
    kernel.assertDrained();
  }

  @Test
  void handOver_givesTheCompletedPrefixAndLetsTheRestDrain() {
    kernel.publish(1);
    kernel.have(2, 3, 4);
    long query = kernel.demand(1, 2, 3, 4);
    asking.plan(asking.plan(), Asking.until(SECOND, OnDeadline.HAND_OVER));
    kernel.arrive(2, 4);
    kernel.pass(SECOND);
    kernel.assertReady(query, 2);
    assertEquals(2 + 1, kernel.reserved());
    kernel.arrive(3);
    assertEquals(2, kernel.reserved());
    kernel.cancel(query);
    kernel.assertDrained();
  }

  @Test
  void handOver_isNothingForStrictRecovery() {
    hybrid();
    kernel.haveOf(0, 1, 2);
    kernel.haveOf(1, 9);
    long query = kernel.select(9, 1, 2);
    asking.plan(asking.plan(), Asking.until(SECOND, OnDeadline.HAND_OVER));
    kernel.arrive(1, 2);
    kernel.pass(SECOND);
    kernel.assertState(AnswerState.MISS, query);
    kernel.arrive(9);
    kernel.assertDrained();
  }

  @Test
  void earlierDeadline_saysWhatItMeans() {
    with(TieredKernel.timeout(SECOND.multipliedBy(2), 0, false));
    kernel.have(1, 2);
    long query = kernel.demand(1, 2);
    asking.plan(asking.plan(), Asking.until(SECOND, OnDeadline.HAND_OVER));
    kernel.arrive(1);
    kernel.pass(SECOND);
    kernel.assertReady(query, 1);
    long second = kernel.demand(1, 3, 4);
    kernel.assertReady(second, 1);
  }

  @Test
  void laterDeadlineOfThePlan_changesNothing() {
    with(TieredKernel.timeout(SECOND, 0, false));
    kernel.have(1, 2);
    long query = kernel.demand(1, 2);
    asking.plan(asking.plan(), Asking.until(SECOND.multipliedBy(2), OnDeadline.HAND_OVER));
    kernel.arrive(1);
    kernel.pass(SECOND);
    kernel.assertState(AnswerState.MISS, query);
  }

  // ---- what is restored ------------------------------------------------------------------------

  @Test
  void firstPages_areReadAndRestored() {
    kernel.have(1, 2, 3, 4);
    long query = kernel.demand(1, 2, 3, 4);
    asking.plan(asking.plan(), Asking.first(2));
    assertEquals(List.of(1L, 2L), kernel.inFlight());
    kernel.arrive(1, 2);
    kernel.assertReady(query, 2);
    assertEquals(2, kernel.reserved());
    assertEquals(1, kernel.count(KernelCounter.READ_PLANS_SHORTENED));
    assertEquals(1, kernel.count(KernelCounter.QUERY_PARTIAL_HITS));
  }

  @Test
  void residentPrefix_isRestoredWithoutARead() {
    kernel.publish(1, 2);
    kernel.have(3);
    long query = kernel.demand(1, 2, 3);
    asking.plan(asking.plan(), Asking.first(2));
    kernel.assertReady(query, 2);
    assertTrue(kernel.inFlight().isEmpty());
    assertEquals(0, kernel.status().reads());
  }

  @Test
  void fewerPagesThanTheResidentPrefix_areRestored() {
    kernel.publish(1, 2);
    kernel.have(3);
    long query = kernel.demand(1, 2, 3);
    asking.plan(asking.plan(), Asking.first(1));
    kernel.assertReady(query, 1);
    assertEquals(1, kernel.reserved());
  }

  @Test
  void nothing_isAMiss() {
    kernel.publish(1);
    kernel.have(2);
    long query = kernel.demand(1, 2);
    asking.plan(asking.plan(), Asking.first(0));
    kernel.assertState(AnswerState.MISS, query);
    assertEquals(1, kernel.count(KernelCounter.QUERY_MISSES));
    kernel.assertDrained();
  }

  @Test
  void strictRecovery_isAllOrNothing() {
    hybrid();
    kernel.haveOf(0, 1, 2);
    kernel.haveOf(1, 9);
    long query = kernel.select(9, 1, 2);
    assertEquals(2, asking.plan().request().groups());
    assertEquals(3, asking.plan().request().pages());
    asking.plan(asking.plan(), Asking.first(2));
    kernel.assertState(AnswerState.MISS, query);
    long again = kernel.select(9, 1, 2);
    asking.plan(asking.plan(), Asking.first(3));
    kernel.arrive(1, 2, 9);
    kernel.assertReady(again, 3);
  }

  // ---- steps -----------------------------------------------------------------------------------

  @Test
  void stepwisePlan_isAskedBeforeEachFurtherBatch() {
    kernel.have(1, 2, 3);
    long query = kernel.demand(1, 2, 3);
    asking.plan(asking.plan(), Asking.batches(1, 0).inSteps());
    assertEquals(List.of(1L), kernel.inFlight());
    Command.AskReadOn first = asking.readOn();
    assertEquals(1, first.progress().batches());
    assertEquals(0, first.progress().pagesRead());
    assertEquals(2, first.progress().pagesLeft());
    asking.readOn(first, true);
    assertEquals(List.of(1L, 2L), kernel.inFlight());
    assertFalse(asking.asked()); // As many batches as may be are in flight.
    kernel.arrive(1);
    Command.AskReadOn second = asking.readOn();
    assertEquals(1, second.progress().pagesRead());
    kernel.arrive(2);
    assertFalse(asking.asked());
    asking.readOn(second, true);
    kernel.arrive(3);
    assertFalse(asking.asked());
    kernel.assertReady(query, 3);
  }

  @Test
  void stepThatIsRefused_endsTheRead() {
    kernel.have(1, 2, 3);
    long query = kernel.demand(1, 2, 3);
    asking.plan(asking.plan(), Asking.batches(1, 0).inSteps());
    Command.AskReadOn question = asking.readOn();
    kernel.arrive(1);
    kernel.assertState(AnswerState.LOADING, query);
    asking.readOn(question, false);
    kernel.assertReady(query, 1);
    assertEquals(1, kernel.count(KernelCounter.READ_STOPS));
  }

  @Test
  void stepOfACancelledQuery_readsNothing() {
    kernel.have(1, 2);
    long query = kernel.demand(1, 2);
    asking.plan(asking.plan(), Asking.batches(1, 0).inSteps());
    Command.AskReadOn question = asking.readOn();
    kernel.cancel(query);
    asking.readOn(question, true);
    assertEquals(List.of(1L), kernel.inFlight());
    kernel.arrive(1);
    kernel.assertDrained();
  }

  // ---- preparations ----------------------------------------------------------------------------

  @Test
  void claimWhileThePlanIsMade_countsFromTheClaim() {
    kernel.have(1, 2);
    long preparation = kernel.prepare(1, 2);
    Command.AskReadPlan question = asking.plan();
    kernel.kernel.nowNanos += SECOND.toNanos() / 2;
    kernel.claim(preparation);
    assertFalse(asking.asked());
    asking.plan(question, Asking.until(SECOND, OnDeadline.HAND_OVER));
    kernel.arrive(1);
    kernel.pass(Duration.ofMillis(999));
    kernel.assertState(AnswerState.LOADING, preparation);
    kernel.pass(Duration.ofMillis(1));
    kernel.assertReady(preparation, 1);
  }

  @Test
  void claimAfterThePlan_countsFromTheClaim() {
    kernel.have(1, 2);
    long preparation = kernel.prepare(1, 2);
    asking.plan(asking.plan(), Asking.until(SECOND, OnDeadline.HAND_OVER));
    kernel.kernel.nowNanos += SECOND.toNanos() / 2;
    kernel.claim(preparation);
    kernel.arrive(1);
    kernel.pass(Duration.ofMillis(999));
    kernel.assertState(AnswerState.LOADING, preparation);
    kernel.pass(Duration.ofMillis(1));
    kernel.assertReady(preparation, 1);
  }

  @Test
  void preparation_isShortened() {
    kernel.have(1, 2);
    long preparation = kernel.prepare(1, 2);
    asking.plan(asking.plan(), Asking.first(1));
    kernel.arrive(1);
    kernel.assertState(AnswerState.PREPARED, preparation);
    kernel.claim(preparation);
    kernel.assertReady(preparation, 1);
  }

  // ---- endings while the question is out -------------------------------------------------------

  private void assertLatePlanReadsNothing(Command.AskReadPlan question) {
    asking.plan(question, Asking.everything());
    assertTrue(kernel.kernel.commands.isEmpty(), kernel.kernel.commands::toString);
    assertTrue(kernel.inFlight().isEmpty());
    kernel.assertDrained();
  }

  @Test
  void cancel_endsTheDecision() {
    kernel.publish(1);
    kernel.have(2);
    long query = kernel.demand(1, 2);
    Command.AskReadPlan question = asking.plan();
    kernel.cancel(query);
    assertEquals(0, kernel.reserved());
    assertLatePlanReadsNothing(question);
  }

  @Test
  void endOfTheOperation_endsTheDecision() {
    kernel.have(1);
    long query = kernel.demand(1);
    Command.AskReadPlan question = asking.plan();
    kernel.pass(Duration.ofSeconds(60));
    kernel.assertState(AnswerState.MISS, query);
    assertLatePlanReadsNothing(question);
  }

  @Test
  void endOfTheSession_endsTheDecision() {
    kernel.have(1);
    kernel.demand(1);
    Command.AskReadPlan question = asking.plan();
    kernel.kernel.close(TieredKernel.SCHEDULER);
    assertLatePlanReadsNothing(question);
  }

  @Test
  void endOfTheInstance_endsTheDecision() {
    kernel.have(1);
    long query = kernel.demand(1);
    Command.AskReadPlan question = asking.plan();
    kernel.kernel.close(TieredKernel.WORKER);
    kernel.assertState(AnswerState.MISS, query);
    assertLatePlanReadsNothing(question);
  }

  @Test
  void drain_endsTheDecision() {
    kernel.have(1);
    kernel.demand(1);
    Command.AskReadPlan question = asking.plan();
    kernel.kernel.step(new Event.Drain());
    assertLatePlanReadsNothing(question);
  }

  @Test
  void pagesLostWhileThePlanWasMade_endThePrefix() {
    kernel.have(1, 2, 3);
    long query = kernel.demand(1, 2, 3);
    Command.AskReadPlan question = asking.plan();
    kernel.lose(2);
    asking.plan(question, Asking.everything());
    kernel.report(1, BackingStatus.DONE);
    kernel.assertReady(query, 1);
  }

  @Test
  void pagesPublishedWhileThePlanWasMade_areNotRead() {
    kernel.have(1, 2);
    long query = kernel.demand(1, 2);
    Command.AskReadPlan question = asking.plan();
    kernel.publish(1, 2);
    asking.plan(question, Asking.everything());
    kernel.assertReady(query, 2);
    assertTrue(kernel.inFlight().isEmpty());
  }
}
