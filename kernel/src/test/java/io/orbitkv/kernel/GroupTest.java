package io.orbitkv.kernel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.orbitkv.api.backing.BackingStatus;
import io.orbitkv.api.copy.CopyPlan;
import io.orbitkv.api.page.PageKey;
import io.orbitkv.api.query.AnswerState;
import io.orbitkv.api.query.ErrorCode;
import io.orbitkv.api.query.QueryKind;
import io.orbitkv.api.recovery.GroupRange;
import io.orbitkv.api.recovery.RecoveryDemand;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A model with attention and a checkpoint: selected reads, restores, discovery. */
class GroupTest {
  private static final long CHECKPOINT = 50;

  private TieredKernel kernel = hybrid(TieredKernel.settings(100));

  private static TieredKernel hybrid(KernelSettings settings) {
    return new TieredKernel(settings, 1L << 30, 1, TieredKernel.HYBRID);
  }

  @BeforeEach
  void pages() {
    kernel.publish(1, 2);
    kernel.publishOf(1, CHECKPOINT);
  }

  private long restore(long query, int... devicePages) {
    return kernel.kernel.restore(
        TieredKernel.WORKER, kernel.engine, kernel.answer(query).lease(), devicePages);
  }

  private List<CopyPlan> plans() {
    return kernel.kernel.all(Command.Copy.class).stream().map(Command.Copy::plan).toList();
  }

  private ErrorCode refused(Event event) {
    kernel.kernel.step(event);
    return kernel.kernel.only(Command.Refused.class).error();
  }

  // ---- selected --------------------------------------------------------------------------------

  @Test
  void selected_ofResidentPages_isReadyWithAllGroups() {
    long query = kernel.select(CHECKPOINT, 1, 2);
    kernel.assertReady(query, 3);
    assertEquals(4, kernel.reserved(), "a checkpoint has twice the bytes");
  }

  @Test
  void selected_withoutItsCheckpoint_isAMissAndOwnsNothing() {
    kernel.assertState(AnswerState.MISS, kernel.select(51, 1, 2));
    kernel.assertDrained();
  }

  @Test
  void selected_withoutOneAttentionPage_isAMiss() {
    kernel.assertState(AnswerState.MISS, kernel.select(CHECKPOINT, 1, 3));
    kernel.assertState(AnswerState.MISS, kernel.select(CHECKPOINT, 3, 2));
    kernel.assertDrained();
  }

  @Test
  void selected_withStoredPages_readsTheMissingOnesOfAllGroups() {
    kernel.evict();
    kernel.publish(1);
    kernel.have(2);
    kernel.haveOf(1, CHECKPOINT);
    long query = kernel.select(CHECKPOINT, 1, 2);
    assertEquals(4, kernel.reserved());
    assertEquals(List.of(List.of(2L, CHECKPOINT)), kernel.batches());
    assertEquals(kernel.stored(1, CHECKPOINT), kernel.read(CHECKPOINT).key());
    assertEquals(8000, kernel.read(CHECKPOINT).runs().getFirst().payloadBytes());
    kernel.arrive(CHECKPOINT);
    kernel.assertState(AnswerState.LOADING, query);
    kernel.arrive(2);
    kernel.assertReady(query, 3);
    assertEquals(4, kernel.reserved());
  }

  @Test
  void selected_withAPageThatIsNowhere_readsNothing() {
    kernel.have(3);
    kernel.assertState(AnswerState.MISS, kernel.select(51, 1, 3));
    assertEquals(0, kernel.count(KernelCounter.READ_PAGES));
  }

  @Test
  void selected_whoseCheckpointCannotBeRead_isAMissAtOnceAndDrains() {
    kernel.have(3);
    kernel.haveOf(1, 51);
    long query = kernel.select(51, 1, 3);
    kernel.report(51, BackingStatus.CORRUPT);
    kernel.assertState(AnswerState.MISS, query);
    assertEquals(1, kernel.reserved());
    kernel.arrive(3);
    kernel.assertDrained();
  }

  @Test
  void selected_atItsDeadline_isAMissEvenWithHandOver() {
    ReadSettings reads = TieredKernel.timeout(Duration.ofMillis(50), 8, true);
    kernel = hybrid(TieredKernel.settings(100).with(reads, WriteSettings.NONE));
    kernel.publish(1, 2);
    kernel.haveOf(1, CHECKPOINT);
    long query = kernel.select(CHECKPOINT, 1, 2);
    kernel.toDeadline();
    kernel.assertState(AnswerState.MISS, query);
    assertEquals(2, kernel.reserved());
    kernel.arrive(CHECKPOINT);
    kernel.assertDrained();
  }

  @Test
  void selected_beyondTheLimitOfBatches_isAMiss() {
    ReadSettings reads = new ReadSettings(TieredKernel.PAGE, 1, Duration.ZERO, 1, false);
    kernel = hybrid(TieredKernel.settings(100).with(reads, WriteSettings.NONE));
    kernel.have(1, 2);
    kernel.haveOf(1, CHECKPOINT);
    long query = kernel.select(CHECKPOINT, 1, 2);
    kernel.arrive(1);
    kernel.assertState(AnswerState.MISS, query);
    kernel.assertDrained();
  }

  @Test
  void selected_withoutBytesForAllGroups_waitsForAll() {
    kernel = hybrid(TieredKernel.settings(4));
    kernel.publish(1, 2);
    kernel.publishOf(1, CHECKPOINT);
    long holder = kernel.demand(1);
    long query = kernel.select(CHECKPOINT, 1, 2);
    kernel.assertState(AnswerState.LOADING, query);
    assertEquals(1, kernel.reserved(), "all of its reservation or none");
    kernel.cancel(holder);
    kernel.assertReady(query, 3);
  }

  @Test
  void selected_largerThanTheBudgetOverItsGroups_isABypass() {
    kernel = hybrid(TieredKernel.settings(3));
    kernel.publish(1, 2);
    kernel.publishOf(1, CHECKPOINT);
    kernel.assertState(AnswerState.MISS, kernel.select(CHECKPOINT, 1, 2));
    assertEquals(1, kernel.count(KernelCounter.BUDGET_BYPASSES));
  }

  @Test
  void selected_whileRead_cancelKeepsTheBytesOfEachGroupInFlight() {
    kernel.evict();
    kernel.have(1, 2);
    kernel.haveOf(1, CHECKPOINT);
    long query = kernel.select(CHECKPOINT, 1, 2);
    kernel.arrive(1);
    kernel.cancel(query);
    assertEquals(3, kernel.reserved());
    kernel.arrive(CHECKPOINT);
    assertEquals(1, kernel.reserved());
    kernel.arrive(2);
    kernel.assertDrained();
  }

  // ---- what is refused -------------------------------------------------------------------------

  private Event.Submit with(int[] groups, int[] pages, RecoveryDemand demand, long... names) {
    return new Event.Submit(
        TieredKernel.SCHEDULER,
        kernel.kernel.operation(),
        1,
        Event.NO_RECORD,
        kernel.engine,
        QueryKind.SELECTED,
        "request",
        groups,
        pages,
        KernelHarness.keys(names),
        demand);
  }

  @Test
  void demand_withOtherRangesThanTheModelNeeds_isInvalid() {
    RecoveryDemand whole =
        new RecoveryDemand(16, 0, 32, List.of(new GroupRange(0, 0, 32), new GroupRange(1, 0, 32)));
    assertEquals(
        ErrorCode.INVALID,
        refused(with(new int[] {0, 1}, new int[] {2, 2}, whole, 1, 2, CHECKPOINT, 51)));
    RecoveryDemand one = new RecoveryDemand(16, 0, 32, List.of(new GroupRange(0, 0, 32)));
    assertEquals(ErrorCode.INVALID, refused(with(new int[] {0}, new int[] {2}, one, 1, 2)));
  }

  @Test
  void demand_withOtherPagesThanTheModelHas_isInvalid() {
    RecoveryDemand large = RecoveryDemand.compile(32, 0, 64, TieredKernel.HYBRID);
    assertEquals(
        ErrorCode.INVALID,
        refused(with(new int[] {0, 1}, new int[] {2, 1}, large, 1, 2, CHECKPOINT)));
  }

  @Test
  void demand_withOtherGroupsOrCountsThanItsRanges_isInvalid() {
    RecoveryDemand demand = kernel.boundary(2);
    assertEquals(ErrorCode.INVALID, refused(with(new int[] {0}, new int[] {2}, demand, 1, 2)));
    assertEquals(
        ErrorCode.INVALID, refused(with(new int[] {0, 1}, new int[] {1, 2}, demand, 1, 2, 3)));
    assertEquals(
        ErrorCode.INVALID, refused(with(new int[] {1, 0}, new int[] {1, 2}, demand, 1, 2, 3)));
    assertEquals(
        ErrorCode.INVALID,
        refused(with(new int[] {0, 1}, new int[] {2, 1}, null, 1, 2, CHECKPOINT)));
    assertEquals(0, kernel.count(KernelCounter.QUERIES));
  }

  @Test
  void preparation_ofFurtherGroupsWithoutADemand_isInvalid() {
    Event.Submit selected = kernel.selected(kernel.kernel.operation(), QueryKind.PREPARE, 50, 1, 2);
    assertEquals(
        ErrorCode.INVALID,
        refused(
            new Event.Submit(
                selected.session(),
                selected.operation(),
                1,
                -1,
                selected.instance(),
                QueryKind.PREPARE,
                selected.requestId(),
                selected.groups(),
                selected.pagesOfGroup(),
                selected.keys(),
                null)));
  }

  @Test
  void preparation_withADemand_isClaimedWhole() {
    long preparation = kernel.kernel.operation();
    kernel.kernel.step(kernel.selected(preparation, QueryKind.PREPARE, CHECKPOINT, 1, 2));
    kernel.assertState(AnswerState.PREPARED, preparation);
    assertEquals(4, kernel.speculative());
    kernel.claim(preparation);
    kernel.assertReady(preparation, 3);
    assertEquals(0, kernel.speculative());
    assertEquals(4, kernel.reserved());
  }

  @Test
  void preparation_withADemandThatCannotBeMet_isClaimedAsAMiss() {
    long preparation = kernel.kernel.operation();
    kernel.kernel.step(kernel.selected(preparation, QueryKind.PREPARE, 51, 1, 2));
    kernel.assertState(AnswerState.PREPARED, preparation);
    assertEquals(0, kernel.reserved());
    kernel.claim(preparation);
    kernel.assertState(AnswerState.MISS, preparation);
  }

  // ---- restore ---------------------------------------------------------------------------------

  @Test
  void restore_ofSeveralGroups_submitsAPlanForEachAndAnswersOnce() {
    long query = kernel.select(CHECKPOINT, 1, 2);
    long restore = restore(query, 7, 8, 7);
    List<CopyPlan> plans = plans();
    assertEquals(2, plans.size());
    assertEquals(0, plans.get(0).slot().group());
    assertEquals(2, plans.get(0).pages());
    assertEquals(1, plans.get(1).slot().group());
    assertEquals(1, plans.get(1).pages());
    assertEquals(7, plans.get(1).devicePage(0));
    kernel.kernel.done(plans.get(1));
    assertTrue(kernel.kernel.commands.isEmpty());
    assertEquals(4, kernel.reserved());
    kernel.kernel.done(plans.get(0));
    kernel.assertState(AnswerState.RESTORED, restore);
    assertEquals(3, kernel.answer(restore).hits());
    assertEquals(16_000, kernel.count(KernelCounter.RESTORED_BYTES));
    kernel.assertDrained();
  }

  @Test
  void restore_withOneFailedPlan_fails() {
    long query = kernel.select(CHECKPOINT, 1, 2);
    long restore = restore(query, 7, 8, 7);
    List<CopyPlan> plans = plans();
    kernel.kernel.failed(plans.get(0));
    kernel.kernel.done(plans.get(1));
    kernel.assertState(AnswerState.FAILED, restore);
    assertEquals(0, kernel.answer(restore).detail());
    kernel.assertDrained();
  }

  @Test
  void restore_withOneUnknownPlan_isUnknownWhateverTheOther() {
    long query = kernel.select(CHECKPOINT, 1, 2);
    long restore = restore(query, 7, 8, 7);
    List<CopyPlan> plans = plans();
    kernel.kernel.unknown(plans.get(1));
    kernel.kernel.failed(plans.get(0));
    kernel.assertState(AnswerState.FAILED, restore);
    assertEquals(Command.OUTCOME_UNKNOWN, kernel.answer(restore).detail());
    assertEquals(4 * TieredKernel.PAGE, kernel.status().quarantinedBytes());
    kernel.assertDrained();
  }

  @Test
  void restore_thatSkipsAGroup_copiesTheOtherAlone() {
    long query = kernel.select(CHECKPOINT, 1, 2);
    long restore = restore(query, Event.SKIP, Event.SKIP, 3);
    CopyPlan plan = kernel.kernel.plan();
    assertEquals(1, plan.slot().group());
    kernel.kernel.done(plan);
    assertEquals(1, kernel.answer(restore).hits());
  }

  @Test
  void restore_thatSkipsPagesOfAGroup_copiesTheOthers() {
    long query = kernel.select(CHECKPOINT, 1, 2);
    restore(query, Event.SKIP, 9, 3);
    List<CopyPlan> plans = plans();
    assertEquals(1, plans.get(0).pages());
    assertEquals(9, plans.get(0).devicePage(0));
    plans.forEach(kernel.kernel::done);
    kernel.assertDrained();
  }

  @Test
  void restore_thatSkipsAll_isDoneAtOnce() {
    long query = kernel.select(CHECKPOINT, 1, 2);
    long restore = restore(query, Event.SKIP, Event.SKIP, Event.SKIP);
    kernel.assertState(AnswerState.RESTORED, restore);
    kernel.assertDrained();
  }

  @Test
  void restore_toADevicePageTwiceInAGroup_isRefusedAndConsumesNothing() {
    long query = kernel.select(CHECKPOINT, 1, 2);
    restore(query, 7, 7, 7);
    assertEquals(ErrorCode.INVALID, kernel.kernel.only(Command.Refused.class).error());
    restore(query, 7, 8, 1000);
    assertEquals(ErrorCode.INVALID, kernel.kernel.only(Command.Refused.class).error());
    restore(query, 7, 8, 7);
    assertEquals(2, plans().size());
  }

  // ---- publish ---------------------------------------------------------------------------------

  @Test
  void publish_ofAFurtherGroup_isFoundInThatGroupAlone() {
    kernel.publishOf(1, 60);
    kernel.assertReady(kernel.select(60, 1, 2), 3);
    kernel.assertState(AnswerState.MISS, kernel.demand(60));
  }

  @Test
  void publish_ofAGroupThatIsNotRegistered_isInvalid() {
    assertEquals(
        ErrorCode.INVALID,
        refused(
            new Event.Publish(
                TieredKernel.WORKER,
                kernel.kernel.operation(),
                Event.NO_RECORD,
                kernel.engine,
                2,
                0,
                PageKey.NONE,
                KernelHarness.keys(1),
                new int[] {0})));
  }

  // ---- discovery -------------------------------------------------------------------------------

  private Command.Candidates discover(int[] groups, int[] pages, long... names) {
    kernel.kernel.step(
        new Event.Submit(
            TieredKernel.SCHEDULER,
            kernel.kernel.operation(),
            1,
            Event.NO_RECORD,
            kernel.engine,
            QueryKind.DISCOVER,
            "request",
            groups,
            pages,
            KernelHarness.keys(names),
            null));
    return kernel.kernel.only(Command.Candidates.class);
  }

  @Test
  void discovery_ofAllGroups_tellsPositionsInMemoryAndInTheTier() {
    kernel.have(3);
    kernel.haveOf(1, 53);
    Command.Candidates found =
        discover(new int[] {0, 1}, new int[] {5, 4}, 1, 2, 3, 4, 1, 51, CHECKPOINT, 52, 53);
    assertArrayEquals(new int[] {0, 1}, found.groups());
    assertArrayEquals(new int[] {3, 2}, found.pagesOfGroup());
    assertArrayEquals(new int[] {0, 1, 2, 1, 3}, found.positions());
    assertEquals(1, kernel.count(KernelCounter.DISCOVERIES));
    kernel.assertDrained();
    assertEquals(0, kernel.count(KernelCounter.READ_PAGES));
  }

  @Test
  void discovery_ofAGroupAlone_tellsAllItsPositions() {
    Command.Candidates found = discover(new int[] {1}, new int[] {3}, 51, 52, CHECKPOINT);
    assertArrayEquals(new int[] {2}, found.positions());
  }

  @Test
  void discovery_countsPagesThatAreBeingRead() {
    kernel.have(3);
    kernel.demand(3);
    kernel.lose(3);
    assertArrayEquals(new int[] {0}, discover(new int[] {0}, new int[] {1}, 3).positions());
  }

  @Test
  void discovery_ofNothing_tellsNoPositions() {
    assertEquals(0, discover(new int[] {0}, new int[] {2}, 77, 1).positions().length);
  }

  @Test
  void discovery_usesItsIdUp() {
    long operation = discover(new int[] {0}, new int[] {1}, 1).operation();
    assertEquals(
        ErrorCode.STALE_OPERATION,
        refused(
            KernelHarness.query(
                TieredKernel.SCHEDULER, operation, 1, -1, kernel.engine, QueryKind.DISCOVER, 1)));
  }

  @Test
  void discovery_isNoUseOfAPage() {
    TieredKernel small =
        new TieredKernel(TieredKernel.settings(100), 2 * TieredKernel.PAGE, 1, TieredKernel.DENSE);
    small.publish(1);
    small.publish(2);
    kernel = small;
    discover(new int[] {0}, new int[] {1}, 1);
    small.publish(3);
    small.assertState(AnswerState.MISS, small.demand(1));
    small.assertReady(small.demand(2), 1);
  }

  @Test
  void discovery_onARecordOrAsARevision_isInvalid() {
    Event.Submit good =
        KernelHarness.query(
            TieredKernel.SCHEDULER,
            kernel.kernel.operation(),
            1,
            3,
            kernel.engine,
            QueryKind.DISCOVER,
            1);
    assertEquals(ErrorCode.INVALID, refused(good));
    kernel.have(9);
    long query = kernel.demand(9);
    assertEquals(
        ErrorCode.INVALID,
        refused(
            KernelHarness.query(
                TieredKernel.SCHEDULER, query, 2, -1, kernel.engine, QueryKind.DISCOVER, 9)));
    kernel.arrive(9);
    kernel.assertReady(query, 1);
  }
}
