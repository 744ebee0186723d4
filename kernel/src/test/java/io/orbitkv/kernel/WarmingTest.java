package io.orbitkv.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.orbitkv.api.backing.BackingStatus;
import io.orbitkv.api.query.AnswerState;
import io.orbitkv.api.query.QueryKind;
import io.orbitkv.kernel.QueuedRequest.State;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Unowned warming: pages for whoever comes, held by nobody. */
class WarmingTest {
  private TieredKernel kernel = new TieredKernel();

  private static TieredKernel pool(long pages) {
    return new TieredKernel(
        TieredKernel.settings(100), pages * TieredKernel.PAGE, 1, TieredKernel.DENSE);
  }

  private void assertWarmed(long operation, int hits) {
    kernel.assertState(AnswerState.WARMED, operation);
    assertEquals(hits, kernel.answer(operation).hits());
    assertTrue(kernel.answer(operation).lease().isNone());
  }

  @Test
  void warming_ofStoredPages_readsThemAndOwnsNothing() {
    kernel.publish(1);
    kernel.have(2, 3);
    long warming = kernel.warm(1, 2, 3, 4);
    kernel.assertState(AnswerState.LOADING, warming);
    assertEquals(List.of(2L, 3L), kernel.inFlight());
    assertTrue(kernel.read(2).speculative());
    assertEquals(4, kernel.speculative());
    kernel.arrive(3, 2);
    assertWarmed(warming, 2);
    kernel.assertDrained();
    assertEquals(2, kernel.count(KernelCounter.WARMED_PAGES));
    assertEquals(0, kernel.count(KernelCounter.QUERIES));
    assertEquals(3, kernel.status().residentPages());
    kernel.assertReady(kernel.demand(1, 2, 3), 3);
  }

  @Test
  void warming_ofResidentPages_isOverAtOnce() {
    kernel.publish(1);
    assertWarmed(kernel.warm(1), 0);
  }

  @Test
  void warmedPages_areTheFirstVictims() {
    kernel = pool(2);
    kernel.publish(1);
    kernel.have(2);
    kernel.warm(2);
    kernel.arrive(2);
    kernel.publish(3);
    kernel.lose(2);
    kernel.assertState(AnswerState.MISS, kernel.demand(2));
    kernel.assertReady(kernel.demand(1), 1);
  }

  @Test
  void warmedChain_isEvictedFromItsTail() {
    kernel = pool(4);
    kernel.publish(9);
    kernel.have(1, 2, 3);
    kernel.warm(1, 2, 3);
    kernel.arrive(2, 3, 1);
    for (long name = 1; name <= 3; name++) {
      kernel.lose(name);
    }
    for (int left = 2; left >= 0; left--) {
      kernel.publish(10 + left);
      kernel.ask(QueryKind.DISCOVER, 1, 2, 3);
      assertEquals(left, kernel.kernel.only(Command.Candidates.class).positions().length);
    }
  }

  @Test
  void warming_isNoUseOfResidentPages() {
    kernel = pool(2);
    kernel.publish(1);
    kernel.publish(2);
    kernel.warm(1);
    kernel.publish(3);
    kernel.assertState(AnswerState.MISS, kernel.demand(1));
    kernel.assertReady(kernel.demand(2), 1);
  }

  @Test
  void warming_whileForegroundOwnsBytes_yields() {
    kernel.publish(1);
    kernel.have(2);
    kernel.demand(1);
    kernel.assertState(AnswerState.BUSY, kernel.warm(2));
    assertEquals(1, kernel.count(KernelCounter.WARMINGS_YIELDED));
    assertEquals(0, kernel.count(KernelCounter.SPECULATION_BUSY));
    assertEquals(0, kernel.count(KernelCounter.OPERATIONS_BUSY));
  }

  @Test
  void warming_besideAPreparation_mayRun() {
    kernel.publish(1);
    kernel.have(2);
    kernel.prepare(1);
    kernel.assertState(AnswerState.LOADING, kernel.warm(2));
  }

  @Test
  void warming_afterFiveSeconds_endsWithWhatItHas() {
    kernel.have(1, 2);
    long warming = kernel.warm(1, 2);
    kernel.arrive(1);
    kernel.pass(Duration.ofSeconds(5).minusNanos(1));
    kernel.assertState(AnswerState.LOADING, warming);
    kernel.toDeadline();
    assertWarmed(warming, 1);
    assertEquals(1, kernel.speculative());
    kernel.arrive(2);
    kernel.assertDrained();
  }

  @Test
  void warming_whosePageFails_endsBeforeIt() {
    kernel.have(1, 2, 3);
    long warming = kernel.warm(1, 2, 3);
    kernel.arrive(1);
    kernel.report(2, BackingStatus.SHORT);
    assertWarmed(warming, 1);
    kernel.arrive(3);
    kernel.assertDrained();
  }

  @Test
  void cancel_ofAWarming_drains() {
    kernel.have(1);
    long warming = kernel.warm(1);
    kernel.cancel(warming);
    kernel.assertState(AnswerState.CANCELLED, warming);
    kernel.arrive(1);
    kernel.assertDrained();
    assertEquals(0, kernel.count(KernelCounter.PREPARATIONS_GIVEN_UP));
  }

  @Test
  void endOfTheGeneration_endsAWarming() {
    kernel.have(1);
    long warming = kernel.warm(1);
    kernel.kernel.close(TieredKernel.WORKER);
    kernel.assertState(AnswerState.MISS, warming);
    kernel.arrive(1);
    kernel.assertDrained();
  }

  @Test
  void warmedPage_evictedWhileTheRestIsRead_isHarmless() {
    kernel = pool(1);
    kernel.have(1, 2);
    long warming = kernel.warm(1, 2);
    kernel.arrive(1);
    // There was no memory for the second page.
    assertWarmed(warming, 1);
  }

  @Test
  void warmedPages_thatLeaveBeforeTheWarmingEnds_areNotLinked() {
    kernel =
        new TieredKernel(
            TieredKernel.settings(100).with(TieredKernel.batches(1), WriteSettings.NONE),
            2 * TieredKernel.PAGE,
            1,
            TieredKernel.DENSE);
    kernel.have(1, 2, 3);
    long warming = kernel.warm(1, 2, 3);
    kernel.arrive(1, 2, 3);
    assertWarmed(warming, 3);
    assertEquals(2, kernel.status().residentPages());
  }

  // ---- on advice -------------------------------------------------------------------------------

  private void accept(String request, long... names) {
    kernel.kernel.step(
        new Event.Queue(
            TieredKernel.SCHEDULER,
            kernel.kernel.operation(),
            kernel.engine,
            List.of(
                new QueuedRequest(
                    request,
                    State.ACCEPTED,
                    new int[] {0},
                    new int[] {names.length},
                    KernelHarness.keys(names),
                    null))));
  }

  private void advise(String... requests) {
    kernel.kernel.step(new Event.Warming(kernel.engine, List.of(requests)));
  }

  @Test
  void advisedWarming_readsAndAnswersNobody() {
    kernel.have(1, 2);
    accept("a", 1, 2);
    advise("a", "ghost");
    assertEquals(2, kernel.speculative());
    kernel.arrive(1, 2);
    assertTrue(kernel.kernel.commands.isEmpty());
    kernel.assertDrained();
    assertEquals(2, kernel.count(KernelCounter.WARMED_PAGES));
  }

  @Test
  void advisedWarming_givenAgain_changesNothingWhileItRuns() {
    kernel.have(1);
    accept("a", 1);
    advise("a", "a");
    advise("a");
    assertEquals(1, kernel.speculative());
    assertEquals(1, kernel.count(KernelCounter.WARMINGS));
    kernel.arrive(1);
    kernel.kernel.step(new Event.Tick());
    advise("a");
    assertEquals(2, kernel.count(KernelCounter.WARMINGS));
  }

  @Test
  void advisedWarming_ofAPreparedRequest_isPassedOver() {
    kernel.have(1);
    accept("a", 1);
    kernel.kernel.step(new Event.Lookahead(kernel.engine, List.of("a")));
    advise("a");
    assertEquals(0, kernel.count(KernelCounter.WARMINGS));
  }

  @Test
  void advisedWarming_yieldsToForegroundBytes() {
    kernel.publish(1);
    kernel.have(2);
    accept("a", 2);
    kernel.demand(1);
    advise("a");
    assertTrue(kernel.inFlight().isEmpty());
    assertEquals(1, kernel.count(KernelCounter.WARMINGS_YIELDED));
  }

  @Test
  void advisedWarming_isMatchedByNoDemand() {
    kernel.have(1);
    accept("a", 1);
    advise("a");
    long demand = kernel.kernel.operation();
    kernel.kernel.step(
        kernel.question(TieredKernel.SCHEDULER, demand, 1, QueryKind.DEMAND, "a", 1));
    kernel.arrive(1);
    kernel.assertReady(demand, 1);
    assertEquals(0, kernel.answer(demand).detail());
    assertEquals(1, kernel.count(KernelCounter.WARMED_PAGES));
  }

  @Test
  void endOfTheGeneration_endsAdvisedWarming() {
    kernel.have(1);
    accept("a", 1);
    advise("a");
    kernel.kernel.close(TieredKernel.WORKER);
    kernel.arrive(1);
    kernel.assertDrained();
  }
}
