package io.orbitkv.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.orbitkv.api.backing.BackingStatus;
import io.orbitkv.api.page.PageKey;
import io.orbitkv.api.policy.ChainFacts;
import io.orbitkv.api.policy.Facts;
import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.api.policy.TierKind;
import io.orbitkv.kernel.policy.PageIds;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A policy is asked which sealed pages are written to the backing tier. */
class WriteQuestionTest {
  private final TieredKernel kernel = with(100, 100);
  private final Asking asking = new Asking(kernel.kernel, PolicySlot.ADMISSION_SSD);

  private static TieredKernel with(long queuePages, long poolPages) {
    return new TieredKernel(
        TieredKernel.settings(100)
            .with(
                ReadSettings.DEFAULT,
                new WriteSettings(
                    queuePages * TieredKernel.PAGE, 100 * TieredKernel.PAGE, 1 << 10)),
        poolPages * TieredKernel.PAGE,
        1,
        TieredKernel.DENSE);
  }

  private static long id(long name) {
    PageKey key = KernelHarness.key(name);
    return PageIds.of(key.high(), key.low());
  }

  private void assertChain(Command.AskAdmission question, long first, int pages) {
    assertEquals(PolicySlot.ADMISSION_SSD, question.slot());
    assertEquals(id(first), question.chain().id());
    assertEquals(pages, question.chain().pages());
  }

  /** A foreground query that finds so many of its pages in memory, and is over. */
  private void touch(int hits, long... names) {
    long query = kernel.demand(names);
    kernel.assertReady(query, hits);
  }

  private void letGo() {
    kernel.pass(Duration.ofSeconds(6));
  }

  private long offered() {
    return kernel.count(KernelCounter.WRITE_OFFERED_PAGES);
  }

  // ---- the question ----------------------------------------------------------------------------

  @Test
  void slotWithoutAPolicy_isNotAsked() {
    asking.serve(PolicySlot.ADMISSION_DRAM, PolicySlot.CUTOFF);
    kernel.kernel.publish(TieredKernel.WORKER, kernel.engine, PageKey.NONE, 1);
    asking.admit(asking.admission());
    kernel.kernel.done(kernel.kernel.plan());
    kernel.kernel.commit(TieredKernel.WORKER, 1L << 40, true);
    assertFalse(asking.asked());
  }

  @Test
  void sealedPages_areOneQuestionAndWaitForItsAnswer() {
    kernel.publish(1, 2, 3);
    Command.AskAdmission question = asking.admission();
    assertChain(question, 1, 3);
    ChainFacts chain = question.chain();
    assertEquals(Facts.UNKNOWN, chain.parent());
    assertEquals(TierKind.DRAM, chain.tier());
    assertEquals(3 * TieredKernel.PAGE, chain.bytes());
    assertTrue(kernel.writing().isEmpty());
    assertEquals(0, offered());
    kernel.assertSums();
    asking.admit(question);
    assertEquals(List.of(1L, 2L, 3L), kernel.writing());
    assertEquals(3, offered());
    kernel.assertSums();
  }

  @Test
  void droppedPages_areRefusedOnce() {
    kernel.publish(1, 2);
    asking.drop(asking.admission());
    assertEquals(2, offered());
    assertEquals(2, kernel.count(KernelCounter.WRITE_REFUSED_PAGES));
    assertTrue(kernel.writing().isEmpty());
    kernel.assertSums();
  }

  @Test
  void storedPages_areNotAskedFor() {
    kernel.have(1, 2);
    kernel.publish(1, 2, 3);
    assertChain(asking.admission(), 3, 1);
    assertEquals(id(2), asking.admission().chain().parent());
    assertEquals(2, kernel.count(KernelCounter.WRITE_DUPLICATE_PAGES));
  }

  @Test
  void pagesThatWereEvictedMeanwhile_areCountedSo() {
    kernel.publish(1, 2);
    Command.AskAdmission question = asking.admission();
    kernel.evict();
    asking.admit(question);
    assertTrue(kernel.writing().isEmpty());
    assertEquals(2, kernel.count(KernelCounter.WRITE_EVICTED_PAGES));
    kernel.assertSums();
  }

  @Test
  void evictionEverywhere_leavesNothingToAdmit() {
    kernel.publish(1, 2);
    Command.AskAdmission question = asking.admission();
    kernel.evictEverywhere();
    long forgetting = kernel.kernel.only(Command.EmptyStore.class).ticket();
    asking.admit(question);
    kernel.kernel.step(new Event.StoreForgot(forgetting, BackingStatus.DONE, 0));
    assertTrue(kernel.writing().isEmpty());
    assertEquals(2, kernel.count(KernelCounter.WRITE_EVICTED_PAGES));
    assertEquals(0, kernel.status().storedPages());
    kernel.assertSums();
  }

  @Test
  void pagesThatCameToBeStoredMeanwhile_areDuplicates() {
    kernel.publish(1);
    Command.AskAdmission question = asking.admission();
    kernel.have(1);
    asking.admit(question);
    assertEquals(1, kernel.count(KernelCounter.WRITE_DUPLICATE_PAGES));
    kernel.assertSums();
  }

  @Test
  void morePagesThanTheQueueHolds_areNotAskedFor() {
    TieredKernel small = with(2, 100);
    Asking policy = new Asking(small.kernel, PolicySlot.ADMISSION_SSD);
    small.publish(1, 2, 3, 4);
    assertChain(policy.admission(), 1, 2);
    assertEquals(2, small.count(KernelCounter.WRITE_QUEUE_FULL_PAGES));
    small.assertSums();
    policy.admit(policy.admission());
    small.assertSums();
  }

  @Test
  void policyThatLeaves_isStillHeard() {
    kernel.publish(1, 2);
    Command.AskAdmission question = asking.admission();
    asking.serve();
    kernel.publishAfter(2, 3);
    // Nobody is asked any more: what is missing is written as ever.
    assertEquals(List.of(1L, 2L, 3L), kernel.writing());
    asking.drop(question);
    assertEquals(2, kernel.count(KernelCounter.WRITE_REFUSED_PAGES));
    kernel.assertSums();
  }

  // ---- what follows ----------------------------------------------------------------------------

  @Test
  void pagesBehindPagesInQuestion_waitForTheirAnswer() {
    kernel.publish(1, 2);
    Command.AskAdmission first = asking.admission();
    kernel.publishAfter(2, 3, 4);
    assertFalse(asking.asked());
    asking.admit(first);
    assertEquals(List.of(1L, 2L), kernel.writing());
    assertChain(asking.admission(), 3, 2);
    asking.admit(asking.admission());
    assertEquals(List.of(1L, 2L, 3L, 4L), kernel.writing());
    kernel.assertSums();
  }

  @Test
  void pagesBehindRefusedPages_areRefusedWithoutAQuestion() {
    kernel.publish(1, 2);
    Command.AskAdmission first = asking.admission();
    kernel.publishAfter(2, 3, 4);
    asking.drop(first);
    assertFalse(asking.asked());
    assertEquals(4, kernel.count(KernelCounter.WRITE_REFUSED_PAGES));
    assertEquals(4, offered());
    kernel.assertSums();
  }

  @Test
  void pagesBehindAPageThatIsGone_areBehindAGap() {
    kernel.publish(1, 2);
    Command.AskAdmission first = asking.admission();
    kernel.publishAfter(2, 3);
    kernel.evict();
    asking.admit(first);
    assertFalse(asking.asked());
    assertEquals(2, kernel.count(KernelCounter.WRITE_EVICTED_PAGES));
    assertEquals(1, kernel.count(KernelCounter.WRITE_BEHIND_GAP_PAGES));
    kernel.assertSums();
  }

  @Test
  void pagesThatCloseAGap_areAskedForTogetherWithTheNewOnes() {
    kernel.publish(1, 2);
    asking.drop(asking.admission());
    kernel.publishAfter(2, 3);
    assertChain(asking.admission(), 1, 3);
    asking.drop(asking.admission());
    assertEquals(5, kernel.count(KernelCounter.WRITE_REFUSED_PAGES));
    kernel.assertSums();
  }

  @Test
  void pagesAskedForBefore_andNewOnesBehindThem_areTwoQuestions() {
    kernel.publish(1, 2);
    asking.drop(asking.admission());
    kernel.evict();
    kernel.publish(1, 2, 3);
    assertChain(asking.admission(), 1, 2);
    assertEquals(1, asking.admission().chain().uses());
    asking.admit(asking.admission());
    assertEquals(List.of(1L, 2L), kernel.writing());
    assertChain(asking.admission(), 3, 1);
    assertEquals(0, asking.admission().chain().uses());
    asking.drop(asking.admission());
    kernel.assertSums();
  }

  @Test
  void newPages_andThoseAskedForBeforeBehindThem_areTwoQuestions() {
    kernel.publish(2);
    asking.drop(asking.admission());
    kernel.evict();
    kernel.publish(1, 2);
    assertChain(asking.admission(), 1, 1);
    assertEquals(0, asking.admission().chain().uses());
    asking.admit(asking.admission());
    assertChain(asking.admission(), 2, 1);
    assertEquals(1, asking.admission().chain().uses());
    kernel.assertSums();
  }

  @Test
  void pagesThatCloseAGap_usedBefore_areAskedForBeforeTheNewOnes() {
    kernel.publish(1, 2);
    asking.drop(asking.admission());
    touch(2, 1, 2);
    asking.drop(asking.admission());
    kernel.publishAfter(2, 3);
    assertChain(asking.admission(), 1, 2);
    asking.drop(asking.admission());
    assertFalse(asking.asked());
    assertEquals(7, kernel.count(KernelCounter.WRITE_REFUSED_PAGES));
    kernel.assertSums();
  }

  // ---- touches ---------------------------------------------------------------------------------

  @Test
  void secondTouch_byAQuery_asksAgain() {
    kernel.publish(1, 2);
    asking.drop(asking.admission());
    touch(2, 1, 2);
    Command.AskAdmission question = asking.admission();
    assertChain(question, 1, 2);
    assertEquals(1, question.chain().uses());
    asking.admit(question);
    assertEquals(List.of(1L, 2L), kernel.writing());
    assertEquals(4, offered());
    kernel.assertSums();
  }

  @Test
  void touchOfPagesInQuestion_asksNothing() {
    kernel.publish(1, 2);
    touch(2, 1, 2);
    assertFalse(asking.asked());
  }

  @Test
  void touchOfWrittenAndQueuedPages_asksNothing() {
    kernel.publish(1, 2);
    asking.admit(asking.admission());
    touch(2, 1, 2);
    assertFalse(asking.asked());
    kernel.written(1, BackingStatus.DONE);
    kernel.written(2, BackingStatus.DONE);
    touch(2, 1, 2);
    assertFalse(asking.asked());
  }

  @Test
  void touchBehindStoredPages_asksForTheRest() {
    kernel.have(1);
    kernel.publish(1, 2, 3);
    asking.drop(asking.admission());
    touch(3, 1, 2, 3);
    assertChain(asking.admission(), 2, 2);
  }

  @Test
  void publishOfResidentPages_isATouch() {
    kernel.publish(1, 2);
    asking.drop(asking.admission());
    kernel.kernel.publish(TieredKernel.WORKER, kernel.engine, PageKey.NONE, 1, 2);
    assertChain(asking.admission(), 1, 2);
  }

  @Test
  void publishOfSeveralRanks_isOneTouch() {
    TieredKernel pair =
        new TieredKernel(
            TieredKernel.settings(100).with(ReadSettings.DEFAULT, WriteSettings.DEFAULT),
            1 << 20,
            2,
            TieredKernel.DENSE);
    Asking policy = new Asking(pair.kernel, PolicySlot.ADMISSION_SSD);
    pair.publish(1, 2);
    policy.drop(policy.admission());
    pair.kernel.publish(TieredKernel.WORKER, pair.engine, PageKey.NONE, 1, 2);
    policy.drop(policy.admission());
    pair.kernel.publish(TieredKernel.WORKER + 1, pair.engine, PageKey.NONE, 1, 2);
    assertFalse(policy.asked());
    pair.assertSums();
  }

  @Test
  void preparation_isNoTouch() {
    kernel.publish(1);
    asking.drop(asking.admission());
    kernel.prepare(1);
    assertFalse(asking.asked());
  }

  // ---- later -----------------------------------------------------------------------------------

  @Test
  void later_isAskedAgainAfterTheDelay() {
    kernel.publish(1, 2);
    asking.later(asking.admission(), Duration.ofMillis(100));
    assertEquals(2, kernel.count(KernelCounter.WRITE_PUT_OFF_PAGES));
    kernel.assertSums();
    assertEquals(
        kernel.kernel.nowNanos + Duration.ofMillis(100).toNanos(),
        kernel.kernel.kernel.nextDeadlineNanos());
    kernel.toDeadline();
    assertChain(asking.admission(), 1, 2);
    asking.admit(asking.admission());
    assertEquals(List.of(1L, 2L), kernel.writing());
    kernel.assertSums();
  }

  @Test
  void later_takesWhatFollowsAlong() {
    kernel.publish(1, 2);
    Command.AskAdmission question = asking.admission();
    kernel.publishAfter(2, 3);
    asking.later(question, Duration.ofMillis(100));
    assertEquals(3, kernel.count(KernelCounter.WRITE_PUT_OFF_PAGES));
    kernel.toDeadline();
    assertChain(asking.admission(), 1, 3);
    kernel.assertSums();
  }

  @Test
  void laterWithoutADelay_waitsForATouch() {
    kernel.publish(1);
    asking.later(asking.admission(), Duration.ZERO);
    assertEquals(Long.MAX_VALUE, kernel.kernel.kernel.nextDeadlineNanos());
    letGo();
    assertFalse(asking.asked());
    touch(1, 1);
    assertChain(asking.admission(), 1, 1);
  }

  @Test
  void touchBeforeTheDelay_isAskedOnce() {
    kernel.publish(1);
    asking.later(asking.admission(), Duration.ofMillis(100));
    touch(1, 1);
    asking.drop(asking.admission());
    kernel.pass(Duration.ofMillis(200));
    assertFalse(asking.asked());
    kernel.assertSums();
  }

  @Test
  void later_isAskedAgainThreeTimesAndDroppedThen() {
    kernel.publish(1);
    for (int i = 1; i <= 3; i++) {
      asking.later(asking.admission(), Duration.ofMillis(100));
      assertEquals(i, kernel.count(KernelCounter.WRITE_PUT_OFF_PAGES));
      kernel.toDeadline();
    }
    asking.later(asking.admission(), Duration.ofMillis(100));
    assertEquals(3, kernel.count(KernelCounter.WRITE_PUT_OFF_PAGES));
    assertEquals(1, kernel.count(KernelCounter.WRITE_REFUSED_PAGES));
    assertEquals(1, kernel.count(KernelCounter.ADMISSIONS_PUT_OFF_TOO_OFTEN));
    kernel.pass(Duration.ofSeconds(1));
    assertFalse(asking.asked());
    kernel.assertSums();
  }

  @Test
  void pagesThatAreGoneWhenTheDelayEnds_areForgotten() {
    kernel.publish(1);
    asking.later(asking.admission(), Duration.ofMillis(100));
    kernel.evict();
    kernel.pass(Duration.ofMillis(200));
    assertFalse(asking.asked());
    assertEquals(1, offered());
    kernel.assertSums();
  }

  // ---- endings ---------------------------------------------------------------------------------

  @Test
  void durableSync_waitsForTheAnswer() {
    kernel.publish(1);
    Command.AskAdmission question = asking.admission();
    kernel.syncDurably();
    assertTrue(kernel.kernel.all(Command.FlushStore.class).isEmpty());
    asking.admit(question);
    assertTrue(kernel.kernel.all(Command.FlushStore.class).isEmpty());
    kernel.written(1, BackingStatus.DONE);
    assertEquals(1, kernel.kernel.all(Command.FlushStore.class).size());
  }

  @Test
  void durableSync_goesOnWhenThePagesAreRefused() {
    kernel.publish(1);
    Command.AskAdmission question = asking.admission();
    kernel.syncDurably();
    asking.drop(question);
    assertEquals(1, kernel.kernel.all(Command.FlushStore.class).size());
  }

  @Test
  void endOfTheInstance_doesNotStopTheWrite() {
    kernel.publish(1);
    Command.AskAdmission question = asking.admission();
    kernel.kernel.close(TieredKernel.WORKER);
    asking.admit(question);
    assertEquals(List.of(1L), kernel.writing());
    kernel.assertSums();
  }

  @Test
  void drain_doesNotWaitForTheAnswer() {
    kernel.publish(1);
    Command.AskAdmission question = asking.admission();
    kernel.geometriesKept();
    kernel.kernel.step(new Event.Drain());
    kernel.kernel.step(
        new Event.DeviceClosed(kernel.kernel.only(Command.CloseDevice.class).registration()));
    assertEquals(1, kernel.kernel.all(Command.Drained.class).size());
    asking.drop(question);
    kernel.assertSums();
  }

  @Test
  void drain_waitsForASyncThatWaitsForTheAnswer() {
    kernel.publish(1);
    Command.AskAdmission question = asking.admission();
    kernel.geometriesKept();
    kernel.syncDurably();
    kernel.kernel.step(new Event.Drain());
    kernel.kernel.step(
        new Event.DeviceClosed(kernel.kernel.only(Command.CloseDevice.class).registration()));
    assertTrue(kernel.kernel.all(Command.Drained.class).isEmpty());
    asking.drop(question);
    assertEquals(1, kernel.kernel.all(Command.FlushStore.class).size());
    kernel.assertSums();
  }
}
