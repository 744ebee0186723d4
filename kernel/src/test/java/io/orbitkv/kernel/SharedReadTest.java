package io.orbitkv.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.orbitkv.api.backing.BackingStatus;
import io.orbitkv.api.query.AnswerState;
import io.orbitkv.api.query.QueryKind;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Pages in flight that several owners want, and owners who leave while their pages are read. */
class SharedReadTest {
  private final TieredKernel kernel = new TieredKernel();

  @Test
  void page_thatTwoQueriesWant_isReadOnceAndChargedToEach() {
    kernel.have(1, 2, 3);
    long one = kernel.demand(1, 2);
    long two = kernel.demand(2, 3);
    assertEquals(List.of(List.of(3L)), kernel.batches());
    assertEquals(4, kernel.reserved());
    assertEquals(1, kernel.count(KernelCounter.READ_JOINED_PAGES));
    kernel.arrive(2, 3);
    kernel.assertReady(two, 2);
    kernel.assertState(AnswerState.LOADING, one);
    kernel.arrive(1);
    kernel.assertReady(one, 2);
    assertEquals(4, kernel.reserved());
    kernel.take(one);
    kernel.take(two);
    kernel.restoreAll(one);
    assertEquals(2, kernel.reserved());
    kernel.restoreAll(two);
    kernel.assertDrained();
    assertEquals(3, kernel.count(KernelCounter.READ_PAGES));
  }

  @Test
  void cancel_ofTheOneThatSubmitted_leavesTheOther() {
    kernel.have(1);
    long one = kernel.demand(1);
    long two = kernel.demand(1);
    kernel.cancel(one);
    kernel.assertState(AnswerState.CANCELLED, one);
    assertEquals(2, kernel.reserved(), "the cancelled one drains with its bytes");
    kernel.arrive(1);
    kernel.assertReady(two, 1);
    assertEquals(1, kernel.reserved());
  }

  @Test
  void cancel_ofTheOneThatJoined_leavesTheOther() {
    kernel.have(1);
    long one = kernel.demand(1);
    long two = kernel.demand(1);
    kernel.cancel(two);
    kernel.arrive(1);
    kernel.assertReady(one, 1);
    assertEquals(1, kernel.reserved());
  }

  @Test
  void joiner_whoseReadFails_triesOnceMore() {
    kernel.have(1);
    long one = kernel.demand(1);
    long two = kernel.demand(1);
    kernel.report(1, BackingStatus.SHORT);
    kernel.assertState(AnswerState.MISS, one);
    kernel.assertState(AnswerState.LOADING, two);
    assertEquals(List.of(1L), kernel.inFlight());
    kernel.arrive(1);
    kernel.assertReady(two, 1);
    assertEquals(2, kernel.count(KernelCounter.READ_PAGES));
  }

  @Test
  void joiner_whoseOwnReadFailsToo_givesUp() {
    kernel.have(1);
    kernel.demand(1);
    long two = kernel.demand(1);
    kernel.report(1, BackingStatus.SHORT);
    kernel.report(1, BackingStatus.SHORT);
    kernel.assertState(AnswerState.MISS, two);
    assertTrue(kernel.inFlight().isEmpty());
    kernel.assertDrained();
  }

  @Test
  void joiners_ofAFailedRead_shareTheSecondOne() {
    kernel.have(1);
    kernel.demand(1);
    long two = kernel.demand(1);
    long three = kernel.demand(1);
    kernel.report(1, BackingStatus.DEVICE_ERROR);
    assertEquals(List.of(List.of(1L)), kernel.batches());
    kernel.arrive(1);
    kernel.assertReady(two, 1);
    kernel.assertReady(three, 1);
  }

  @Test
  void joiners_ofTwoFailedReads_allGiveUp() {
    kernel.have(1);
    kernel.demand(1);
    long two = kernel.demand(1);
    long three = kernel.demand(1);
    kernel.report(1, BackingStatus.DEVICE_ERROR);
    kernel.report(1, BackingStatus.DEVICE_ERROR);
    kernel.assertState(AnswerState.MISS, two);
    kernel.assertState(AnswerState.MISS, three);
    assertEquals(2, kernel.count(KernelCounter.READ_PAGES));
    kernel.assertDrained();
  }

  @Test
  void joiner_ofAPageThatTheTierLost_givesUpAtOnce() {
    kernel.have(1);
    kernel.demand(1);
    long two = kernel.demand(1);
    kernel.report(1, BackingStatus.ABSENT);
    kernel.assertState(AnswerState.MISS, two);
    kernel.assertDrained();
  }

  @Test
  void joiner_ofACancelledOnesFailedRead_triesOnceMore() {
    kernel.have(1);
    long one = kernel.demand(1);
    long two = kernel.demand(1);
    kernel.cancel(one);
    kernel.report(1, BackingStatus.SHORT);
    assertEquals(1, kernel.reserved());
    kernel.arrive(1);
    kernel.assertReady(two, 1);
  }

  @Test
  void cancelledReader_andANewOne_shareTheDrainingRead() {
    kernel.have(1);
    kernel.cancel(kernel.demand(1));
    long query = kernel.demand(1);
    assertEquals(1, kernel.count(KernelCounter.READ_PAGES));
    kernel.arrive(1);
    kernel.assertReady(query, 1);
  }

  // ---- owners who leave ------------------------------------------------------------------------

  @Test
  void cancel_whileReading_keepsBytesAndPermitUntilTheReport() {
    kernel.have(1, 2);
    long query = kernel.demand(1, 2);
    kernel.arrive(2);
    kernel.cancel(query);
    assertEquals(1, kernel.reserved());
    assertEquals(1, kernel.status().operations());
    assertEquals(1, kernel.status().readingPages());
    kernel.arrive(1);
    kernel.assertDrained();
    assertEquals(1, kernel.count(KernelCounter.QUERIES_CANCELLED));
    assertEquals(2, kernel.status().residentPages(), "what was read stays findable");
  }

  @Test
  void cancel_whileReading_submitsNoFurtherBatch() {
    TieredKernel batched = new TieredKernel(TieredKernel.batches(1));
    batched.have(1, 2);
    batched.cancel(batched.demand(1, 2));
    batched.arrive(1);
    assertTrue(batched.inFlight().isEmpty());
    batched.assertDrained();
  }

  @Test
  void revision_whileReading_chargesOldAndNewMeanwhile() {
    kernel.have(1, 2);
    long query = kernel.demand(1);
    kernel.kernel.step(
        KernelHarness.query(TieredKernel.SCHEDULER, query, 2, -1, kernel.engine, 1, 2));
    assertEquals(3, kernel.reserved());
    assertEquals(2, kernel.status().operations());
    kernel.arrive(1);
    assertEquals(2, kernel.reserved());
    kernel.arrive(2);
    assertEquals(2, kernel.answer(query).revision());
    kernel.assertReady(query, 2);
    assertEquals(1, kernel.count(KernelCounter.QUERIES_CANCELLED));
  }

  @Test
  void sessionEnd_whileReading_keepsBytesUntilTheReport() {
    kernel.have(1, 2);
    kernel.demand(1, 2);
    kernel.kernel.close(TieredKernel.SCHEDULER);
    assertEquals(2, kernel.reserved());
    kernel.arrive(1);
    assertEquals(1, kernel.reserved());
    kernel.report(2, BackingStatus.SHORT);
    kernel.assertDrained();
  }

  @Test
  void endOfTheGeneration_whileReading_isAMissAndDrains() {
    kernel.have(1, 2);
    long query = kernel.demand(1, 2);
    kernel.kernel.close(TieredKernel.WORKER);
    kernel.assertState(AnswerState.MISS, query);
    assertEquals(2, kernel.reserved());
    kernel.arrive(1, 2);
    kernel.assertDrained();
    assertEquals(1, kernel.count(KernelCounter.QUERY_MISSES));
  }

  @Test
  void drain_waitsForReadsThatRun() {
    kernel.have(1);
    kernel.demand(1);
    kernel.kernel.step(new Event.Drain());
    long registration = kernel.kernel.only(Command.CloseDevice.class).registration();
    kernel.kernel.step(new Event.DeviceClosed(registration));
    assertTrue(kernel.kernel.all(Command.Drained.class).isEmpty());
    kernel.arrive(1);
    assertEquals(1, kernel.kernel.all(Command.Drained.class).size());
  }

  @Test
  void drainingReads_holdThePermitsOfTheirSession() {
    OperationLimits limits = new OperationLimits(2, 1024, 1, 128, 1, 8, 64);
    TieredKernel limited =
        new TieredKernel(TieredKernel.settings(100).with(limits), 1 << 30, 1, TieredKernel.DENSE);
    limited.have(1, 2, 3);
    limited.cancel(limited.demand(1));
    limited.cancel(limited.demand(2));
    limited.assertState(AnswerState.BUSY, limited.demand(3));
    limited.arrive(1);
    limited.assertState(AnswerState.LOADING, limited.demand(3));
  }

  // ---- speculation and foreground --------------------------------------------------------------

  @Test
  void foreground_thatJoinsASpeculativeRead_raisesItOnce() {
    kernel.have(1);
    kernel.prepare(1);
    assertTrue(kernel.read(1).speculative());
    kernel.demand(1);
    kernel.demand(1);
    assertEquals(List.of(kernel.read(1).ticket()), kernel.raised());
  }

  @Test
  void speculation_thatJoinsAForegroundRead_raisesNothing() {
    kernel.have(1);
    kernel.demand(1);
    kernel.prepare(1);
    assertTrue(kernel.raised().isEmpty());
  }

  @Test
  void claim_raisesWhatThePreparationWaitsFor_onceEach() {
    kernel.have(1, 2, 3);
    long other = kernel.prepare(1);
    long preparation = kernel.prepare(1, 2);
    kernel.claim(preparation);
    assertEquals(List.of(kernel.read(1).ticket(), kernel.read(2).ticket()), kernel.raised());
    kernel.claim(other);
    assertEquals(2, kernel.raised().size());
  }

  @Test
  void claim_readsItsFurtherBatchesInTheForeground() {
    TieredKernel batched = new TieredKernel(TieredKernel.batches(1));
    batched.have(1, 2);
    long preparation = batched.prepare(1, 2);
    batched.claim(preparation);
    batched.arrive(1);
    assertEquals(false, batched.read(2).speculative());
    batched.arrive(2);
    batched.assertReady(preparation, 2);
  }

  @Test
  void queryKinds_shareReadsWithEachOther() {
    kernel.have(1);
    long demand = kernel.demand(1);
    long wait = kernel.ask(QueryKind.PRODUCER_WAIT, 1);
    long warm = kernel.warm(1);
    kernel.assertState(AnswerState.BUSY, warm);
    kernel.arrive(1);
    kernel.assertReady(demand, 1);
    kernel.assertReady(wait, 1);
  }
}
