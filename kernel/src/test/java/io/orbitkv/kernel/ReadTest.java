package io.orbitkv.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.orbitkv.api.backing.BackingRead;
import io.orbitkv.api.backing.BackingStatus;
import io.orbitkv.api.backing.HostRun;
import io.orbitkv.api.query.AnswerState;
import io.orbitkv.api.query.QueryKind;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Reads of one query from the backing tier: batches, cut-offs, failures. */
class ReadTest {
  private static final Duration TIMEOUT = Duration.ofMillis(100);

  private static ReadSettings maxBatches(int batches) {
    return new ReadSettings(2 * TieredKernel.PAGE, batches, Duration.ZERO, 1, false);
  }

  @Test
  void demand_ofAStoredPage_isLoadingAndThenReady() {
    TieredKernel kernel = new TieredKernel();
    kernel.have(1);
    long query = kernel.demand(1);
    kernel.assertState(AnswerState.LOADING, query);
    assertEquals(1, kernel.status().readingPages());
    assertEquals(TieredKernel.PAGE, kernel.status().readingBytes());
    kernel.arrive(1);
    kernel.assertReady(query, 1);
    assertEquals(1, kernel.reserved());
    kernel.take(query);
    kernel.restoreAll(query);
    kernel.assertDrained();
    assertEquals(1, kernel.count(KernelCounter.READ_DONE_PAGES));
    assertEquals(TieredKernel.PAGE, kernel.count(KernelCounter.READ_BYTES));
    assertTrue(kernel.count(KernelCounter.CERTIFICATES_CHECKED) > 0);
  }

  @Test
  void read_namesThePageAndItsRuns() {
    TieredKernel kernel = new TieredKernel();
    kernel.have(1);
    kernel.demand(1);
    BackingRead read = kernel.read(1);
    assertEquals(kernel.stored(0, 1), read.key());
    assertFalse(read.speculative());
    HostRun run = read.runs().getFirst();
    assertEquals(1, read.runs().size());
    assertEquals(KernelHarness.PAYLOAD_BYTES, run.payloadBytes());
    assertEquals(TieredKernel.PAGE, run.runBytes());
  }

  @Test
  void demand_ofAPageThatTheTierLost_isAMissWithoutARead() {
    TieredKernel kernel = new TieredKernel();
    kernel.have(1);
    kernel.lose(1);
    assertEquals(0, kernel.status().storedPages());
    kernel.assertState(AnswerState.MISS, kernel.demand(1));
    assertTrue(kernel.inFlight().isEmpty());
  }

  @Test
  void demand_ofResidentAndStoredPages_readsTheStoredOnesAlone() {
    TieredKernel kernel = new TieredKernel();
    kernel.publish(1, 3);
    kernel.have(2, 4);
    long query = kernel.demand(1, 2, 3, 4, 5);
    assertEquals(List.of(2L, 4L), kernel.inFlight());
    kernel.arrive(4, 2);
    kernel.assertReady(query, 4);
    assertEquals(4, kernel.reserved());
  }

  @Test
  void demand_withoutBatchLimit_readsAllInOneBatch() {
    TieredKernel kernel = new TieredKernel();
    kernel.have(1, 2, 3, 4);
    kernel.demand(1, 2, 3, 4);
    assertEquals(List.of(List.of(1L, 2L, 3L, 4L)), kernel.batches());
  }

  @Test
  void demand_withABatchLimit_submitsTheNextBatchWhenOneIsComplete() {
    TieredKernel kernel = new TieredKernel(TieredKernel.batches(2));
    kernel.have(1, 2, 3);
    long query = kernel.demand(1, 2, 3);
    assertEquals(List.of(1L, 2L), kernel.inFlight());
    kernel.arrive(2);
    assertEquals(List.of(1L), kernel.inFlight());
    kernel.arrive(1);
    assertEquals(List.of(3L), kernel.inFlight());
    kernel.arrive(3);
    kernel.assertReady(query, 3);
  }

  @Test
  void demand_whoseBatchIsSmallerThanAPage_readsPageByPage() {
    TieredKernel kernel = new TieredKernel(new ReadSettings(1, 0, Duration.ZERO, 1, false));
    kernel.have(1, 2);
    kernel.demand(1, 2);
    assertEquals(List.of(1L), kernel.inFlight());
  }

  @Test
  void demand_withAPipelineOfTwo_hasTwoBatchesInFlight() {
    TieredKernel kernel =
        new TieredKernel(new ReadSettings(TieredKernel.PAGE, 0, Duration.ZERO, 2, false));
    kernel.have(1, 2, 3, 4);
    kernel.demand(1, 2, 3, 4);
    assertEquals(List.of(List.of(1L), List.of(2L)), kernel.batches());
    kernel.arrive(2);
    assertEquals(List.of(List.of(3L)), kernel.batches());
  }

  @Test
  void batch_countsPagesThatAreRead_notThoseInMemory() {
    TieredKernel kernel = new TieredKernel(TieredKernel.batches(2));
    kernel.publish(1, 2, 4);
    kernel.have(3, 5, 6);
    kernel.demand(1, 2, 3, 4, 5, 6);
    assertEquals(List.of(List.of(3L, 5L)), kernel.batches());
  }

  // ---- limit of batches ------------------------------------------------------------------------

  @Test
  void maxBatches_reached_returnsThePrefixAndReadsNoMore() {
    TieredKernel kernel = new TieredKernel(maxBatches(1));
    kernel.have(1, 2, 3, 4);
    long query = kernel.demand(1, 2, 3, 4);
    kernel.arrive(1, 2);
    kernel.assertReady(query, 2);
    assertEquals(2, kernel.count(KernelCounter.READ_PAGES));
    assertEquals(1, kernel.count(KernelCounter.READ_STOPS));
    assertEquals(2, kernel.reserved());
    assertEquals(1, kernel.count(KernelCounter.QUERY_PARTIAL_HITS));
  }

  @Test
  void maxBatches_reached_stillTakesWhatIsInMemory() {
    TieredKernel kernel = new TieredKernel(maxBatches(1));
    kernel.publish(3, 4);
    kernel.have(1, 2, 5);
    long query = kernel.demand(1, 2, 3, 4, 5);
    kernel.arrive(1, 2);
    kernel.assertReady(query, 4);
  }

  @Test
  void maxBatches_thatSuffice_stopNothing() {
    TieredKernel kernel = new TieredKernel(maxBatches(2));
    kernel.have(1, 2, 3, 4);
    long query = kernel.demand(1, 2, 3, 4);
    kernel.arrive(1, 2, 3, 4);
    kernel.assertReady(query, 4);
    assertEquals(0, kernel.count(KernelCounter.READ_STOPS));
  }

  @Test
  void producerWait_beyondTheLimitOfBatches_readsAllInOne() {
    TieredKernel kernel = new TieredKernel(maxBatches(1));
    kernel.have(1, 2, 3, 4);
    long query = kernel.ask(QueryKind.PRODUCER_WAIT, 1, 2, 3, 4);
    assertEquals(List.of(List.of(1L, 2L, 3L, 4L)), kernel.batches());
    kernel.arrive(1, 2, 3, 4);
    kernel.assertReady(query, 4);
  }

  // ---- deadline --------------------------------------------------------------------------------

  @Test
  void deadline_whileABatchIsInFlight_isAMissAtOnceAndTheBatchDrains() {
    TieredKernel kernel = new TieredKernel(TieredKernel.timeout(TIMEOUT, 2, false));
    kernel.have(1, 2, 3, 4);
    long asked = kernel.kernel.nowNanos;
    long query = kernel.demand(1, 2, 3, 4);
    assertEquals(asked + TIMEOUT.toNanos(), kernel.kernel.kernel.nextDeadlineNanos());
    kernel.arrive(1);
    kernel.toDeadline();
    kernel.assertState(AnswerState.MISS, query);
    assertEquals(1, kernel.count(KernelCounter.READ_DEADLINES));
    assertEquals(1, kernel.reserved(), "the page in flight stays booked");
    assertEquals(1, kernel.status().operations(), "and so does the permit");
    kernel.arrive(2);
    kernel.assertDrained();
    assertEquals(2, kernel.count(KernelCounter.READ_PAGES));
    assertEquals(Long.MAX_VALUE, kernel.kernel.kernel.nextDeadlineNanos());
  }

  @Test
  void deadline_oneNanosecondEarly_changesNothing() {
    TieredKernel kernel = new TieredKernel(TieredKernel.timeout(TIMEOUT, 2, false));
    kernel.have(1);
    long query = kernel.demand(1);
    kernel.pass(TIMEOUT.minusNanos(1));
    kernel.assertState(AnswerState.LOADING, query);
  }

  @Test
  void deadline_countsTheWaitForBytes() {
    ReadSettings reads = TieredKernel.timeout(TIMEOUT, 2, false);
    TieredKernel kernel =
        new TieredKernel(
            TieredKernel.settings(2).with(reads, WriteSettings.NONE),
            1 << 30,
            1,
            TieredKernel.DENSE);
    kernel.have(1, 2, 3);
    long first = kernel.ask(QueryKind.PRODUCER_WAIT, 1, 2);
    long waiting = kernel.demand(3);
    kernel.assertState(AnswerState.LOADING, waiting);
    kernel.toDeadline();
    kernel.assertState(AnswerState.MISS, waiting);
    kernel.assertState(AnswerState.LOADING, first);
    assertEquals(List.of(1L, 2L), kernel.inFlight());
  }

  @Test
  void deadline_amongThoseOfManyCancelledWaiters_isKept() {
    ReadSettings reads = TieredKernel.timeout(TIMEOUT, 2, false);
    TieredKernel kernel =
        new TieredKernel(
            TieredKernel.settings(1).with(reads, WriteSettings.NONE),
            1 << 30,
            1,
            TieredKernel.DENSE);
    kernel.have(1);
    kernel.ask(QueryKind.PRODUCER_WAIT, 1);
    long live = kernel.demand(1);
    for (int i = 0; i < 1100; i++) {
      kernel.cancel(kernel.demand(1));
    }
    kernel.toDeadline();
    kernel.assertState(AnswerState.MISS, live);
  }

  @Test
  void deadline_withHandOver_leasesThePrefixAndDrainsTheRest() {
    TieredKernel kernel = new TieredKernel(TieredKernel.timeout(TIMEOUT, 4, true));
    kernel.have(1, 2, 3, 4);
    long query = kernel.demand(1, 2, 3, 4);
    kernel.arrive(1, 2, 4);
    kernel.toDeadline();
    kernel.assertReady(query, 2);
    assertEquals(3, kernel.reserved(), "two leased and one that drains");
    kernel.take(query);
    kernel.restoreAll(query);
    assertEquals(1, kernel.reserved());
    assertEquals(1, kernel.status().operations());
    kernel.arrive(3);
    kernel.assertDrained();
  }

  @Test
  void deadline_withHandOverOfNothing_isAMiss() {
    TieredKernel kernel = new TieredKernel(TieredKernel.timeout(TIMEOUT, 4, true));
    kernel.have(1, 2);
    long query = kernel.demand(1, 2);
    kernel.arrive(2);
    kernel.toDeadline();
    kernel.assertState(AnswerState.MISS, query);
    kernel.arrive(1);
    kernel.assertDrained();
  }

  @Test
  void deadline_withHandOverOfAWholeBatch_endsTheTask() {
    TieredKernel kernel = new TieredKernel(TieredKernel.timeout(TIMEOUT, 1, true));
    kernel.have(1, 2);
    long query = kernel.demand(1, 2, 3);
    kernel.arrive(1);
    kernel.arrive(2);
    kernel.assertReady(query, 2);
    kernel.toDeadline();
    kernel.assertReady(query, 2);
    assertEquals(0, kernel.count(KernelCounter.READ_DEADLINES));
  }

  @Test
  void producerWait_isExemptFromTheDeadline() {
    TieredKernel kernel = new TieredKernel(TieredKernel.timeout(TIMEOUT, 1, true));
    kernel.have(1, 2);
    long query = kernel.ask(QueryKind.PRODUCER_WAIT, 1, 2);
    kernel.pass(Duration.ofSeconds(50));
    kernel.assertState(AnswerState.LOADING, query);
    kernel.arrive(1, 2);
    kernel.assertReady(query, 2);
  }

  @Test
  void query_thatReadsForSixtySeconds_expiresAndDrains() {
    TieredKernel kernel = new TieredKernel();
    kernel.have(1, 2);
    long query = kernel.ask(QueryKind.PRODUCER_WAIT, 1, 2);
    kernel.toDeadline();
    kernel.assertState(AnswerState.MISS, query);
    assertEquals(1, kernel.count(KernelCounter.QUERIES_EXPIRED));
    assertEquals(2, kernel.reserved());
    kernel.arrive(1, 2);
    kernel.assertDrained();
  }

  // ---- failures --------------------------------------------------------------------------------

  @ParameterizedTest
  @EnumSource(
      value = BackingStatus.class,
      names = {"ABSENT", "CORRUPT", "SHORT", "FULL", "DEVICE_ERROR", "UNKNOWN"})
  void failedPage_costsItselfAndWhatFollows(BackingStatus status) {
    TieredKernel kernel = new TieredKernel();
    kernel.have(1, 2, 3, 4);
    long query = kernel.demand(1, 2, 3, 4);
    kernel.arrive(4, 1);
    kernel.report(3, status);
    kernel.assertState(AnswerState.LOADING, query);
    kernel.arrive(2);
    kernel.assertReady(query, 2);
    assertEquals(2, kernel.reserved());
    kernel.take(query);
    kernel.restoreAll(query);
    kernel.assertDrained();
    boolean quarantined = status == BackingStatus.UNKNOWN;
    assertEquals(quarantined ? TieredKernel.PAGE : 0, kernel.status().quarantinedBytes());
  }

  @Test
  void failedFirstPage_isAMissWhileTheRestDrains() {
    TieredKernel kernel = new TieredKernel();
    kernel.have(1, 2, 3);
    long query = kernel.demand(1, 2, 3);
    kernel.arrive(3);
    kernel.report(1, BackingStatus.SHORT);
    kernel.assertState(AnswerState.MISS, query);
    assertEquals(1, kernel.reserved());
    kernel.arrive(2);
    kernel.assertDrained();
  }

  @Test
  void failedPage_ofAProducerWait_isAMiss() {
    TieredKernel kernel = new TieredKernel();
    kernel.have(1, 2);
    long query = kernel.ask(QueryKind.PRODUCER_WAIT, 1, 2);
    kernel.arrive(1);
    kernel.report(2, BackingStatus.DEVICE_ERROR);
    kernel.assertState(AnswerState.MISS, query);
    kernel.assertDrained();
  }

  @Test
  void producerWait_withAPageThatIsNowhere_readsNothing() {
    TieredKernel kernel = new TieredKernel();
    kernel.have(1, 3);
    kernel.assertState(AnswerState.MISS, kernel.ask(QueryKind.PRODUCER_WAIT, 1, 2, 3));
    assertEquals(0, kernel.count(KernelCounter.READ_PAGES));
  }

  @ParameterizedTest
  @EnumSource(
      value = BackingStatus.class,
      names = {"ABSENT", "CORRUPT"})
  void pageThatTheTierDropped_isNotReadAgain(BackingStatus status) {
    TieredKernel kernel = new TieredKernel();
    kernel.have(1);
    kernel.demand(1);
    kernel.report(1, status);
    kernel.assertState(AnswerState.MISS, kernel.demand(1));
    assertEquals(1, kernel.count(KernelCounter.READ_PAGES));
  }

  @Test
  void pageWhoseReadMetAnError_isTriedByTheNextQuery() {
    TieredKernel kernel = new TieredKernel();
    kernel.have(1);
    kernel.demand(1);
    kernel.report(1, BackingStatus.DEVICE_ERROR);
    long query = kernel.demand(1);
    kernel.arrive(1);
    kernel.assertReady(query, 1);
  }

  @Test
  void readOfUnknownOutcome_keepsItsRunsOutOfUse() {
    TieredKernel kernel = new TieredKernel();
    kernel.have(1);
    kernel.demand(1);
    long address = kernel.read(1).runs().getFirst().address();
    kernel.report(1, BackingStatus.UNKNOWN);
    long query = kernel.demand(1);
    assertFalse(kernel.read(1).runs().getFirst().address() == address);
    kernel.arrive(1);
    kernel.assertReady(query, 1);
    assertEquals(TieredKernel.PAGE, kernel.status().quarantinedBytes());
  }

  @Test
  void pageWithoutMemory_costsItselfAndWhatFollows() {
    TieredKernel kernel =
        new TieredKernel(TieredKernel.settings(100), 2 * TieredKernel.PAGE, 1, TieredKernel.DENSE);
    kernel.have(1, 2, 3);
    long query = kernel.demand(1, 2, 3);
    assertEquals(List.of(1L, 2L), kernel.inFlight());
    kernel.arrive(1, 2);
    kernel.assertReady(query, 2);
    assertEquals(1, kernel.count(KernelCounter.READ_UNALLOCATED_PAGES));
    assertEquals(1, kernel.count(KernelCounter.ALLOCATION_FAILURES));
  }

  @Test
  void read_evictsWhatNobodyUses() {
    TieredKernel kernel =
        new TieredKernel(TieredKernel.settings(100), 2 * TieredKernel.PAGE, 1, TieredKernel.DENSE);
    kernel.publish(8, 9);
    kernel.have(1, 2);
    long query = kernel.demand(1, 2);
    kernel.arrive(1, 2);
    kernel.assertReady(query, 2);
    assertEquals(2, kernel.count(KernelCounter.EVICTED_PAGES));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void keyNamedTwice_isReadOnce(boolean good) {
    TieredKernel kernel = new TieredKernel();
    kernel.have(1);
    long query = kernel.demand(1, 1);
    assertEquals(2, kernel.reserved());
    kernel.report(1, good ? BackingStatus.DONE : BackingStatus.SHORT);
    if (good) {
      kernel.assertReady(query, 2);
    } else {
      kernel.assertState(AnswerState.MISS, query);
    }
    assertEquals(1, kernel.count(KernelCounter.READ_PAGES));
  }

  @Test
  void reportOfARead_thatDoesNotRun_breaksAnInvariant() {
    TieredKernel kernel = new TieredKernel();
    assertThrows(
        BrokenInvariant.class,
        () -> kernel.kernel.step(new Event.PageRead(77, BackingStatus.DONE)));
  }
}
