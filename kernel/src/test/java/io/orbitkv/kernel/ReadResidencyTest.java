package io.orbitkv.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.orbitkv.api.backing.BackingStatus;
import io.orbitkv.api.copy.CopyPlan;
import io.orbitkv.api.page.PageKey;
import io.orbitkv.api.query.AnswerState;
import io.orbitkv.api.query.ErrorCode;
import io.orbitkv.api.query.QueryKind;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What reads mean for pages in host memory: publishes beside them, eviction, quarantine. */
class ReadResidencyTest {
  private final TieredKernel kernel = new TieredKernel();

  private static TieredKernel pool(long pages) {
    return new TieredKernel(
        TieredKernel.settings(100), pages * TieredKernel.PAGE, 1, TieredKernel.DENSE);
  }

  // ---- publish beside a read -------------------------------------------------------------------

  @Test
  void publish_thatSealsBeforeTheReadEnds_wins() {
    kernel.have(1);
    long query = kernel.demand(1);
    kernel.publish(1);
    assertEquals(1, kernel.status().residentPages());
    kernel.arrive(1);
    kernel.assertReady(query, 1);
    assertEquals(1, kernel.status().residentPages());
    assertEquals(1, kernel.count(KernelCounter.PUBLISH_STORED_PAGES));
  }

  @Test
  void read_thatEndsBeforeThePublishSeals_wins() {
    kernel.have(1);
    long query = kernel.demand(1);
    long publish = kernel.kernel.publish(TieredKernel.WORKER, kernel.engine, PageKey.NONE, 1);
    CopyPlan copy = kernel.kernel.plan();
    kernel.arrive(1);
    kernel.assertReady(query, 1);
    kernel.kernel.done(copy);
    kernel.kernel.commit(TieredKernel.WORKER, publish, true);
    assertEquals(1, kernel.status().residentPages());
    assertEquals(0, kernel.status().unsealedPages());
    assertEquals(1, kernel.count(KernelCounter.PUBLISH_RESIDENT_PAGES));
  }

  @Test
  void read_thatFailsAfterThePublishSealed_getsThePublishedPage() {
    kernel.have(1);
    long query = kernel.demand(1);
    kernel.publish(1);
    kernel.report(1, BackingStatus.CORRUPT);
    kernel.assertReady(query, 1);
    assertEquals(1, kernel.count(KernelCounter.READ_CORRUPT_PAGES));
  }

  @Test
  void read_thatFailsBeforeThePublishSeals_isAMiss() {
    kernel.have(1);
    long query = kernel.demand(1);
    long publish = kernel.kernel.publish(TieredKernel.WORKER, kernel.engine, PageKey.NONE, 1);
    CopyPlan copy = kernel.kernel.plan();
    kernel.report(1, BackingStatus.SHORT);
    kernel.assertState(AnswerState.MISS, query);
    kernel.kernel.done(copy);
    kernel.kernel.commit(TieredKernel.WORKER, publish, true);
    assertEquals(1, kernel.status().residentPages());
  }

  // ---- eviction --------------------------------------------------------------------------------

  @ParameterizedTest
  @CsvSource({"1, 2, 3", "3, 2, 1", "2, 3, 1", "3, 1, 2"})
  void chain_thatWasReadInAnyOrder_isEvictedFromItsTail(long a, long b, long c) {
    TieredKernel small = pool(3);
    small.have(1, 2, 3);
    long query = small.demand(1, 2, 3);
    small.arrive(a, b, c);
    small.take(query);
    small.restoreAll(query);
    for (int left = 2; left >= 0; left--) {
      small.publish(10 + left);
      assertEquals(left, resident(small, 1, 2, 3));
    }
  }

  /** Pages of a chain in memory, asked without using them. */
  private static int resident(TieredKernel kernel, long... names) {
    for (long name : names) {
      kernel.lose(name);
    }
    kernel.ask(QueryKind.DISCOVER, names);
    return kernel.kernel.only(Command.Candidates.class).positions().length;
  }

  @Test
  void chain_thatWasReadPageByPage_isEvictedFromItsTail() {
    TieredKernel small = pool(3);
    small.have(1, 2, 3);
    for (int length = 1; length <= 3; length++) {
      long[] names = {1, 2, 3};
      long query = small.demand(Arrays.copyOf(names, length));
      small.arrive(length);
      small.cancel(query);
    }
    small.publish(9);
    assertEquals(2, resident(small, 1, 2, 3));
  }

  @Test
  void pageThatIsRead_isNoVictim() {
    TieredKernel small = pool(1);
    small.have(1);
    long query = small.demand(1);
    small.kernel.publish(TieredKernel.WORKER, small.engine, PageKey.NONE, 9);
    assertEquals(1, small.count(KernelCounter.PUBLISH_DROPPED_PAGES));
    small.arrive(1);
    small.assertReady(query, 1);
  }

  @Test
  void evict_whileAReadHoldsPages_leavesThemToTheRead() {
    kernel.have(1, 2);
    long query = kernel.demand(1, 2);
    kernel.arrive(1);
    kernel.evict();
    assertEquals(0, kernel.status().residentPages());
    assertEquals(TieredKernel.PAGE, kernel.status().orphanBytes());
    kernel.arrive(2);
    kernel.assertReady(query, 2);
    kernel.take(query);
    kernel.restoreAll(query);
    kernel.assertDrained();
    assertEquals(0, kernel.status().orphanBytes());
  }

  @Test
  void evict_leavesPagesThatAreReadToTheirReport() {
    kernel.have(1);
    long query = kernel.demand(1);
    kernel.evict();
    assertEquals(1, kernel.status().readingPages());
    kernel.arrive(1);
    kernel.assertReady(query, 1);
  }

  @Test
  void evict_leavesTheBackingTierAlone() {
    kernel.publish(1);
    kernel.have(1);
    kernel.evict();
    assertEquals(0, kernel.status().residentPages());
    long query = kernel.demand(1);
    assertEquals(List.of(1L), kernel.inFlight());
    kernel.arrive(1);
    kernel.assertReady(query, 1);
  }

  @Test
  void evict_ofALongTable_goesOnWithEachTick() {
    long[] names = LongStream.rangeClosed(1, 20_000).toArray();
    kernel.haveQuietly(names);
    long query = kernel.demand(names);
    kernel.arriveQuietly(names);
    kernel.assertReady(query, names.length);
    kernel.cancel(query);
    kernel.evict();
    assertTrue(kernel.kernel.all(Command.Done.class).isEmpty());
    assertEquals(kernel.kernel.nowNanos, kernel.kernel.kernel.nextDeadlineNanos());
    kernel.kernel.step(new Event.Tick());
    assertEquals(names.length * TieredKernel.PAGE, kernel.kernel.only(Command.Done.class).value());
    assertEquals(0, kernel.status().residentPages());
    assertEquals(Long.MAX_VALUE, kernel.kernel.kernel.nextDeadlineNanos());
  }

  @Test
  void evictions_ofOneSession_areLimited() {
    long[] names = LongStream.rangeClosed(1, 20_000).toArray();
    kernel.haveQuietly(names);
    kernel.demand(names);
    // Each event goes on with the oldest one, which takes two: so every second one stays.
    for (int i = 0; i < 2 * KernelSettings.SESSION_SYNCS; i++) {
      assertTrue(kernel.kernel.all(Command.Refused.class).isEmpty());
      kernel.evict();
    }
    assertEquals(ErrorCode.LIMIT, kernel.kernel.only(Command.Refused.class).error());
    kernel.arriveQuietly(names);
  }

  // ---- retention -------------------------------------------------------------------------------

  @Test
  void pageThatSpeculationRead_goesBeforeOlderOrdinaryPages() {
    TieredKernel small = pool(2);
    small.publish(1);
    small.have(2);
    long preparation = small.prepare(2);
    small.arrive(2);
    small.cancel(preparation);
    small.publish(3);
    small.lose(2);
    small.assertReady(small.demand(1), 1);
    small.assertState(AnswerState.MISS, small.demand(2));
  }

  @Test
  void pageThatADemandJoined_isAnOrdinaryPage() {
    TieredKernel small = pool(2);
    small.publish(1);
    small.have(2);
    small.cancel(small.prepare(2));
    small.cancel(small.demand(2));
    small.arrive(2);
    small.publish(3);
    small.lose(2);
    small.assertState(AnswerState.MISS, small.demand(1));
    small.assertReady(small.demand(2), 1);
  }

  @Test
  void pageThatWasPreparedAndClaimed_isAnOrdinaryPage() {
    TieredKernel small = pool(2);
    small.publish(1);
    small.have(2);
    long preparation = small.prepare(2);
    small.arrive(2);
    small.claim(preparation);
    small.cancel(preparation);
    small.publish(3);
    small.lose(2);
    small.assertState(AnswerState.MISS, small.demand(1));
    small.assertReady(small.demand(2), 1);
  }

  // ---- quarantine ------------------------------------------------------------------------------

  @Test
  void page_quarantinedWhileAReadHoldsIt_isLeasedStill() {
    kernel.publish(1);
    kernel.have(2);
    long first = kernel.demand(1);
    kernel.kernel.restore(TieredKernel.WORKER, kernel.engine, kernel.answer(first).lease(), 0);
    CopyPlan copy = kernel.kernel.plan();
    long second = kernel.demand(1, 2);
    kernel.kernel.unknown(copy);
    assertEquals(TieredKernel.PAGE, kernel.status().quarantinedBytes());
    kernel.arrive(2);
    kernel.assertReady(second, 2);
  }

  @Test
  void page_quarantinedWhileAPreparationHoldsIt_isClaimedStill() {
    kernel.publish(1);
    long first = kernel.demand(1);
    kernel.kernel.restore(TieredKernel.WORKER, kernel.engine, kernel.answer(first).lease(), 0);
    CopyPlan copy = kernel.kernel.plan();
    long preparation = kernel.prepare(1);
    kernel.kernel.unknown(copy);
    kernel.claim(preparation);
    kernel.assertReady(preparation, 1);
  }
}
