package io.orbitkv.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.orbitkv.api.backing.BackingStatus;
import io.orbitkv.api.copy.CopyPlan;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What was read ahead was restored, or is unused, or is pending still: each page once. */
class SpeculationLedgerTest {
  private TieredKernel kernel = new TieredKernel();

  /** In pages. */
  private void assertLedger(long read, long restored, long unused) {
    assertEquals(read * TieredKernel.PAGE, kernel.count(KernelCounter.SPECULATED_BYTES));
    assertEquals(
        restored * TieredKernel.PAGE, kernel.count(KernelCounter.SPECULATED_RESTORED_BYTES));
    assertEquals(unused * TieredKernel.PAGE, kernel.count(KernelCounter.SPECULATED_UNUSED_BYTES));
    assertEquals((read - restored - unused) * TieredKernel.PAGE, kernel.status().speculatedBytes());
  }

  private long prepared(long... names) {
    kernel.have(names);
    long preparation = kernel.prepare(names);
    kernel.arrive(names);
    return preparation;
  }

  @Test
  void preparedAndRestored_isRestored() {
    long preparation = prepared(1, 2);
    assertLedger(2, 0, 0);
    kernel.claim(preparation);
    kernel.restoreAll(preparation);
    assertLedger(2, 2, 0);
    kernel.assertDrained();
  }

  @Test
  void preparedAndExpired_isUnused() {
    prepared(1, 2);
    kernel.pass(Duration.ofSeconds(1));
    assertLedger(2, 0, 2);
  }

  @Test
  void unusedAndRestoredLater_staysUnused() {
    kernel.cancel(prepared(1));
    long query = kernel.demand(1);
    kernel.restoreAll(query);
    assertLedger(1, 0, 1);
  }

  @Test
  void restoredTwice_countsOnce() {
    long preparation = prepared(1);
    long demand = kernel.demand(1);
    kernel.claim(preparation);
    kernel.restoreAll(preparation);
    kernel.restoreAll(demand);
    assertLedger(1, 1, 0);
  }

  @Test
  void claimedAndReleased_isUnused() {
    long preparation = prepared(1);
    kernel.claim(preparation);
    kernel.cancel(preparation);
    assertLedger(1, 0, 1);
  }

  @Test
  void claimedAndSkipped_isUnused() {
    long preparation = prepared(1, 2);
    kernel.claim(preparation);
    kernel.kernel.restore(
        TieredKernel.WORKER, kernel.engine, kernel.answer(preparation).lease(), 3, Event.SKIP);
    kernel.kernel.done(kernel.kernel.plan());
    assertLedger(2, 1, 1);
  }

  @Test
  void claimedAndFailed_isUnused() {
    long preparation = prepared(1);
    kernel.claim(preparation);
    kernel.kernel.restore(
        TieredKernel.WORKER, kernel.engine, kernel.answer(preparation).lease(), 3);
    kernel.kernel.failed(kernel.kernel.plan());
    assertLedger(1, 0, 1);
  }

  @Test
  void claimedAndOfUnknownOutcome_isUnused() {
    long preparation = prepared(1);
    kernel.claim(preparation);
    kernel.kernel.restore(
        TieredKernel.WORKER, kernel.engine, kernel.answer(preparation).lease(), 3);
    kernel.kernel.unknown(kernel.kernel.plan());
    assertLedger(1, 0, 1);
  }

  @Test
  void cancelledBeforeTheReport_isUnusedAtTheReport() {
    kernel.have(1);
    kernel.cancel(kernel.prepare(1));
    assertLedger(0, 0, 0);
    kernel.arrive(1);
    assertLedger(1, 0, 1);
  }

  @Test
  void pageBehindAFailedOne_isUnused() {
    kernel.have(1, 2);
    long preparation = kernel.prepare(1, 2);
    kernel.report(1, BackingStatus.SHORT);
    kernel.arrive(2);
    assertLedger(1, 0, 1);
    kernel.claim(preparation);
    kernel.assertDrained();
  }

  @Test
  void cancelledReadThatADemandJoined_countsForTheDemand() {
    kernel.have(1);
    long preparation = kernel.prepare(1);
    long demand = kernel.demand(1);
    kernel.cancel(preparation);
    kernel.arrive(1);
    assertLedger(1, 0, 0);
    kernel.restoreAll(demand);
    assertLedger(1, 1, 0);
  }

  @Test
  void foregroundReadThatSpeculationJoined_isNoSpeculation() {
    kernel.have(1);
    long demand = kernel.demand(1);
    long preparation = kernel.prepare(1);
    kernel.arrive(1);
    kernel.restoreAll(demand);
    kernel.cancel(preparation);
    assertLedger(0, 0, 0);
  }

  @Test
  void readAheadThatAPublishOvertook_isNoSpeculation() {
    kernel.have(1);
    long preparation = kernel.prepare(1);
    kernel.publish(1);
    kernel.arrive(1);
    kernel.claim(preparation);
    kernel.restoreAll(preparation);
    assertLedger(0, 0, 0);
  }

  @Test
  void residentPagesOfAPreparation_areNoSpeculation() {
    kernel.publish(1);
    kernel.cancel(kernel.prepare(1));
    assertLedger(0, 0, 0);
  }

  @Test
  void evictedWhilePrepared_isPendingUntilItsEnd() {
    long preparation = prepared(1);
    kernel.evict();
    assertLedger(1, 0, 0);
    kernel.claim(preparation);
    kernel.restoreAll(preparation);
    assertLedger(1, 1, 0);
  }

  @Test
  void evictedWhilePreparedAndGivenUp_isUnused() {
    long preparation = prepared(1, 2);
    kernel.evict();
    kernel.cancel(preparation);
    assertLedger(2, 0, 2);
  }

  @Test
  void pageOfTwoOwners_isUnusedWhenTheLastLeaves() {
    long head = prepared(1);
    kernel.have(2);
    long chain = kernel.demand(1, 2);
    kernel.arrive(2);
    kernel.kernel.restore(
        TieredKernel.WORKER, kernel.engine, kernel.answer(chain).lease(), Event.SKIP, 3);
    CopyPlan copy = kernel.kernel.plan();
    kernel.cancel(head);
    assertLedger(1, 0, 0);
    kernel.kernel.done(copy);
    assertLedger(1, 0, 1);
  }

  @Test
  void warmedAndEvicted_isUnused() {
    kernel = new TieredKernel(TieredKernel.settings(100), TieredKernel.PAGE, 1, TieredKernel.DENSE);
    kernel.have(1);
    kernel.warm(1);
    kernel.arrive(1);
    assertLedger(1, 0, 0);
    kernel.publish(2);
    assertLedger(1, 0, 1);
  }

  @Test
  void warmedAndRestored_isRestored() {
    kernel.have(1);
    kernel.warm(1);
    kernel.arrive(1);
    kernel.restoreAll(kernel.demand(1));
    assertLedger(1, 1, 0);
    kernel.assertDrained();
  }

  @Test
  void warmingThatEndedBeforeTheReport_isPendingUntilUsed() {
    kernel.have(1);
    kernel.warm(1);
    kernel.pass(Duration.ofSeconds(5));
    kernel.arrive(1);
    assertLedger(1, 0, 0);
    kernel.restoreAll(kernel.demand(1));
    assertLedger(1, 1, 0);
  }

  @Test
  void failedReadAhead_isNoSpeculation() {
    kernel.have(1);
    kernel.prepare(1);
    kernel.report(1, BackingStatus.UNKNOWN);
    assertLedger(0, 0, 0);
  }

  @Test
  void engineThatDiesWithPreparations_leavesThemUnused() {
    prepared(1, 2);
    kernel.kernel.close(TieredKernel.WORKER);
    assertLedger(2, 0, 2);
    kernel.assertDrained();
  }
}
