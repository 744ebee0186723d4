package io.orbitkv.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.orbitkv.api.page.PageKey;
import io.orbitkv.api.policy.Facts;
import io.orbitkv.api.policy.PageBatch.Origin;
import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.kernel.policy.PageColumns;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A policy that is asked which pages leave host memory first. */
class DramRetentionTest {
  private static final int PAGES = 16;

  private final KernelHarness kernel =
      new KernelHarness(KernelHarness.settings(1 << 30), PAGES * KernelHarness.RUN_BYTES);
  private final RetentionHand policy = new RetentionHand(PolicySlot.RETENTION_DRAM, kernel);
  private int engine;

  @BeforeEach
  void register() {
    engine = kernel.instance("engine", 1);
    kernel.listener = policy;
  }

  private void store(PageKey parent, long... names) {
    kernel.nowNanos++;
    long operation = kernel.publish(1, engine, parent, names);
    kernel.done(kernel.plan());
    kernel.commit(1, operation, true);
  }

  /** Fills memory with pages that follow nothing. */
  private void fill() {
    LongStream.rangeClosed(1, PAGES).forEach(name -> store(PageKey.NONE, name));
  }

  private void use(long... names) {
    kernel.nowNanos++;
    Command.Answer offer = kernel.lease(1, engine, names);
    kernel.release(1, offer.lease());
  }

  private boolean isThere(long name) {
    kernel.step(new Event.Tick());
    return policy.known.contains(name);
  }

  // ---- whom it does not cost anything ----------------------------------------------------------

  @Test
  void nobodyAsked_nothingIsToldAndAskedAndTheOldestGoes() {
    fill();
    store(PageKey.NONE, 50);
    kernel.tickAfter(Duration.ofSeconds(1));
    assertTrue(policy.told.isEmpty());
    assertTrue(policy.questions.isEmpty());
    assertEquals(1, kernel.counter(KernelCounter.EVICTED_PAGES));
    assertEquals(0, kernel.counter(KernelCounter.VICTIMS_BY_DEFAULT));
  }

  @Test
  void memoryNotNearlyFull_nothingIsAsked() {
    policy.serve();
    LongStream.rangeClosed(1, PAGES / 2).forEach(name -> store(PageKey.NONE, name));
    kernel.tickAfter(Duration.ofSeconds(1));
    assertTrue(policy.questions.isEmpty());
    policy.assertKnows(PAGES / 2);
  }

  // ---- victims ---------------------------------------------------------------------------------

  @Test
  void lowestScore_goesFirstWhateverItsAge() {
    policy.serve();
    fill();
    policy.score(name -> name == 12 ? 0 : name);
    // The question came when memory was nearly full, before the last pages.
    store(PageKey.NONE, 50);
    assertFalse(isThere(12));
    store(PageKey.NONE, 51);
    assertFalse(isThere(1));
    assertEquals(2, kernel.counter(KernelCounter.VICTIMS_BY_SCORE));
    assertEquals(0, kernel.counter(KernelCounter.VICTIMS_BY_DEFAULT));
  }

  @Test
  void equalScores_theOlderUseGoesFirst() {
    policy.serve();
    fill();
    policy.score(name -> 7);
    store(PageKey.NONE, 50);
    assertFalse(isThere(1));
  }

  @Test
  void chain_isEvictedFromItsTailWhateverTheScores() {
    policy.serve();
    store(PageKey.NONE, 1, 2, 3);
    LongStream.rangeClosed(20, 32).forEach(name -> store(PageKey.NONE, name));
    assertFalse(policy.candidates().contains(1L));
    assertFalse(policy.candidates().contains(2L));
    // It would have the head gone first.
    policy.score(name -> name);
    store(PageKey.NONE, 50);
    assertFalse(isThere(3));
    assertTrue(isThere(1));
    assertTrue(isThere(2));
  }

  @Test
  void pageThatBecameALeaf_isACandidateOfTheNextQuestion() {
    policy.serve();
    store(PageKey.NONE, 1, 2, 3);
    LongStream.rangeClosed(20, 32).forEach(name -> store(PageKey.NONE, name));
    policy.score(name -> name);
    store(PageKey.NONE, 50);
    kernel.tickAfter(Duration.ofSeconds(1));
    assertTrue(policy.candidates().contains(2L));
    assertFalse(policy.candidates().contains(1L));
  }

  /** Fills memory; what was there before is worth less than what comes now. */
  private void fillBehindAChain() {
    LongStream.rangeClosed(20, 32).forEach(name -> store(PageKey.NONE, name));
    policy.score(name -> name);
    store(PageKey.NONE, 50);
    assertFalse(isThere(3));
  }

  @Test
  void pageBeforeAVictimUsedAlike_takesItsPlaceAtOnce() {
    policy.serve();
    store(PageKey.NONE, 1, 2, 3);
    fillBehindAChain();
    store(PageKey.NONE, 51);
    assertFalse(isThere(2));
    store(PageKey.NONE, 52);
    assertFalse(isThere(1));
    assertTrue(isThere(20));
    store(PageKey.NONE, 53);
    assertFalse(isThere(20));
    assertEquals(4, kernel.counter(KernelCounter.VICTIMS_BY_SCORE));
  }

  @Test
  void pageBeforeAVictimUsedMoreOften_waitsForTheNextQuestion() {
    policy.serve();
    store(PageKey.NONE, 1, 2, 3);
    use(1, 2);
    fillBehindAChain();
    store(PageKey.NONE, 51);
    assertTrue(isThere(2));
    assertFalse(isThere(20));
    assertTrue(policy.candidates().contains(2L));
  }

  @Test
  void pageBeforeAVictimOfAnotherTime_waitsForTheNextQuestion() {
    policy.serve();
    store(PageKey.NONE, 1, 2);
    store(KernelHarness.key(2), 3);
    fillBehindAChain();
    store(PageKey.NONE, 51);
    assertTrue(isThere(2));
    assertFalse(isThere(20));
  }

  @Test
  void pageBeforeAVictimOfUnknownTime_waitsForTheNextQuestion() {
    store(PageKey.NONE, 1, 2, 3);
    policy.serve();
    policy.score(name -> 0);
    fillBehindAChain();
    store(PageKey.NONE, 51);
    assertTrue(isThere(2));
    assertFalse(isThere(20));
  }

  @Test
  void pageThatTookAVictimsPlace_usedMeanwhile_stays() {
    policy.serve();
    store(PageKey.NONE, 1, 2, 3);
    fillBehindAChain();
    use(1, 2);
    store(PageKey.NONE, 51);
    assertTrue(isThere(2));
    assertFalse(isThere(20));
  }

  @Test
  void pageUsedSinceItWasScored_staysAndTheNextOneGoes() {
    policy.serve();
    fill();
    policy.score(name -> name);
    use(1);
    store(PageKey.NONE, 50);
    assertTrue(isThere(1));
    assertFalse(isThere(2));
    assertEquals(1, kernel.counter(KernelCounter.VICTIMS_BY_SCORE));
  }

  @Test
  void pageInUse_staysWhateverItsScore() {
    policy.serve();
    fill();
    Command.Answer offer = kernel.lease(1, engine, 1);
    policy.score(name -> name);
    store(PageKey.NONE, 50);
    assertTrue(isThere(1));
    kernel.release(1, offer.lease());
    store(PageKey.NONE, 51);
    assertTrue(isThere(1));
  }

  @Test
  void numberThatAnotherPageHas_isNotEvictedByTheFormerOnesScore() {
    policy.serve();
    fill();
    policy.score(name -> name);
    kernel.step(new Event.Evict(1, kernel.operation()));
    LongStream.rangeClosed(101, 100 + PAGES).forEach(name -> store(PageKey.NONE, name));
    store(PageKey.NONE, 50);
    assertEquals(0, kernel.counter(KernelCounter.VICTIMS_BY_SCORE));
    assertEquals(1, kernel.counter(KernelCounter.VICTIMS_BY_DEFAULT));
    assertFalse(isThere(101));
  }

  @Test
  void onlyTheLowestQuarter_isGivenUp() {
    policy.serve();
    fill();
    int candidates = policy.candidates().size();
    policy.score(name -> 100 - name);
    // No answer to the next question: once the quarter is gone the oldest goes.
    for (int i = 0; i < candidates; i++) {
      store(PageKey.NONE, 50 + i);
    }
    int quarter = (candidates + 3) / 4;
    assertEquals(quarter, kernel.counter(KernelCounter.VICTIMS_BY_SCORE));
    assertEquals(candidates - quarter, kernel.counter(KernelCounter.VICTIMS_BY_DEFAULT));
  }

  // ---- late answers ----------------------------------------------------------------------------

  @Test
  void lateAnswer_theOldestGoes() {
    policy.serve();
    fill();
    policy.isLate();
    store(PageKey.NONE, 50);
    assertFalse(isThere(1));
    assertEquals(1, kernel.counter(KernelCounter.VICTIMS_BY_DEFAULT));
    assertEquals(1, kernel.counter(KernelCounter.RETENTION_DEFAULTS));
  }

  @Test
  void noAnswerYet_theOldestGoesAndNothingElseIsAsked() {
    policy.serve();
    fill();
    store(PageKey.NONE, 50);
    kernel.tickAfter(Duration.ofSeconds(10));
    assertFalse(isThere(1));
    assertEquals(1, policy.questions.size());
  }

  @Test
  void lateAnswer_isFollowedByAQuestionWithTheNextTick() {
    policy.serve();
    fill();
    policy.isLate();
    assertTrue(policy.questions.isEmpty());
    kernel.tickAfter(Duration.ofMillis(250));
    assertEquals(1, policy.questions.size());
    policy.score(name -> name == 9 ? 0 : 1);
    store(PageKey.NONE, 50);
    assertFalse(isThere(9));
  }

  @Test
  void answerToAPolicyThatServesNoMore_changesNothing() {
    policy.serve();
    fill();
    Command.AskScores open = policy.open();
    policy.leave();
    for (int i = 0; i < open.candidates().size(); i++) {
      open.candidates().scores()[i] = i == 9 ? 0 : 1;
    }
    kernel.step(new Event.ScoresAdvice(open.ticket(), open.candidates(), false));
    store(PageKey.NONE, 50);
    assertEquals(0, kernel.counter(KernelCounter.VICTIMS_BY_SCORE));
    assertEquals(0, kernel.ask(1, engine, 1).hits());
  }

  @Test
  void answerThatNobodyAskedFor_breaksAnInvariant() {
    policy.serve();
    PageColumns columns = new PageColumns(1, used -> {});
    assertThrows(
        BrokenInvariant.class, () -> kernel.step(new Event.ScoresAdvice(77, columns, false)));
  }

  // ---- facts and marks -------------------------------------------------------------------------

  @Test
  void facts_areThoseOfThePage() {
    policy.serve();
    store(PageKey.NONE, 1, 2, 3);
    LongStream.rangeClosed(20, 30).forEach(name -> store(PageKey.NONE, name));
    kernel.nowNanos = 5_000;
    use(1, 2, 3);
    kernel.nowNanos = 6_000;
    use(1, 2, 3);
    store(PageKey.NONE, 31);
    kernel.tickAfter(Duration.ofSeconds(1));
    PageColumns columns = policy.open().candidates();
    int tail = policy.entry(3);
    assertEquals(RetentionHand.id(2), columns.parent(tail));
    assertEquals(2, columns.depth(tail));
    assertEquals(0, columns.children(tail));
    assertEquals(KernelHarness.RUN_BYTES, columns.bytes(tail));
    assertEquals(Origin.PUBLISH, columns.origin(tail));
    int single = policy.entry(20);
    assertEquals(Facts.UNKNOWN, columns.parent(single));
    assertEquals(0, columns.depth(single));
    assertEquals(0, columns.uses(single));
  }

  @Test
  void usesAndLastUse_areThoseOfForegroundQueries() {
    policy.serve();
    store(PageKey.NONE, 1);
    kernel.nowNanos = 5_000;
    Command.Answer offer = kernel.lease(1, engine, 1);
    kernel.release(1, offer.lease());
    kernel.nowNanos = 6_000;
    use(1);
    LongStream.rangeClosed(20, 33).forEach(name -> store(PageKey.NONE, name));
    PageColumns columns = policy.open().candidates();
    assertEquals(2, columns.uses(policy.entry(1)));
    assertEquals(6_001, columns.lastUseNanos(policy.entry(1)));
  }

  @Test
  void mark_staysWithThePageAndStartsAtZeroForAnotherPolicy() {
    policy.serve();
    fill();
    PageColumns columns = policy.open().candidates();
    columns.setMark(policy.entry(3), 33);
    policy.score(name -> name);
    for (long name = 50; name < 53; name++) {
      store(PageKey.NONE, name);
    }
    use(5);
    kernel.tickAfter(Duration.ofSeconds(1));
    assertFalse(isThere(3), "page 3 was evicted");
    PageColumns again = policy.open().candidates();
    assertEquals(0, again.mark(policy.entry(5)));
    again.setMark(policy.entry(5), 55);
    policy.score(name -> name);
    store(PageKey.NONE, 53);
    kernel.tickAfter(Duration.ofSeconds(1));
    assertEquals(55, policy.open().candidates().mark(policy.entry(5)));

    policy.serve();
    assertTrue(policy.open().adopt());
    assertEquals(0, policy.open().candidates().mark(policy.entry(5)));
    // What belongs to the kernel stays.
    assertEquals(1, policy.open().candidates().uses(policy.entry(5)));
  }

  @Test
  void mark_ofAFormerPage_isNotThatOfTheNextOneInItsPlace() {
    policy.serve();
    fill();
    PageColumns columns = policy.open().candidates();
    for (int i = 0; i < columns.size(); i++) {
      columns.setMark(i, 9);
    }
    kernel.step(new Event.Evict(1, kernel.operation()));
    fill();
    policy.score(name -> name);
    kernel.tickAfter(Duration.ofSeconds(1));
    PageColumns next = policy.open().candidates();
    for (int i = 0; i < next.size(); i++) {
      assertEquals(0, next.mark(i));
    }
  }

  @Test
  void mark_setWhenAnEventWasHeard_isThereAtTheQuestion() {
    policy.markOfEvents = 4;
    policy.serve();
    LongStream.rangeClosed(1, 10).forEach(name -> store(PageKey.NONE, name));
    kernel.step(new Event.Tick());
    LongStream.rangeClosed(11, PAGES).forEach(name -> store(PageKey.NONE, name));
    assertEquals(4, policy.open().candidates().mark(policy.entry(2)));
  }

  // ---- events ----------------------------------------------------------------------------------

  @Test
  void events_comeInOrderAndAddUp() {
    policy.serve();
    store(PageKey.NONE, 1, 2);
    use(1, 2);
    kernel.step(new Event.Evict(1, kernel.operation()));
    store(PageKey.NONE, 1);
    policy.assertKnows(1);
    assertEquals(
        List.of(
            "INSERTED 1", "INSERTED 2", "USED 1", "USED 2", "REMOVED 1", "REMOVED 2", "INSERTED 1"),
        policy.told);
  }

  @Test
  void publishOfAPageThatIsThere_isNoUse() {
    policy.serve();
    store(PageKey.NONE, 1);
    kernel.publish(1, engine, PageKey.NONE, 1);
    policy.assertKnows(1);
    assertEquals(List.of("INSERTED 1"), policy.told);
  }

  @Test
  void policyThatKeepsWhatItIsTold_missesEventsAndNobodyWaits() {
    policy.keeps = true;
    policy.serve();
    store(PageKey.NONE, 100);
    for (int i = 0; i < 40; i++) {
      use(100);
      kernel.step(new Event.Tick());
    }
    assertTrue(kernel.counter(KernelCounter.PAGE_EVENTS_DROPPED) > 0);
    int told = policy.told.size();
    assertEquals(told, kernel.counter(KernelCounter.PAGE_EVENTS_TOLD));
    policy.keeps = false;
    policy.kept.forEach(PageColumns::recycle);
    use(100);
    kernel.step(new Event.Tick());
    assertEquals(told + 1, policy.told.size());
  }

  // ---- another policy --------------------------------------------------------------------------

  @Test
  void freshPolicy_isHandedEachPageOnceAndHearsOfLaterOnes() {
    store(PageKey.NONE, 1, 2, 3);
    policy.serve();
    assertTrue(policy.open().adopt());
    assertEquals(List.of(1L, 2L, 3L), policy.candidates());
    PageColumns columns = policy.open().candidates();
    assertEquals(2, columns.depth(policy.entry(3)));
    assertEquals(1, columns.children(policy.entry(1)));
    assertEquals(Facts.UNKNOWN, columns.lastUseNanos(policy.entry(1)));
    store(PageKey.NONE, 4);
    policy.score(name -> 0);
    policy.assertKnows(4);
    assertEquals(3, kernel.counter(KernelCounter.ADOPTED_PAGES));
  }

  @Test
  void freshPolicy_victimsOfTheFormerOneAreForgotten() {
    policy.serve();
    fill();
    policy.score(name -> name == 9 ? 0 : 1);
    policy.serve();
    store(PageKey.NONE, 50);
    assertTrue(isThere(9));
    assertEquals(1, kernel.counter(KernelCounter.VICTIMS_BY_DEFAULT));
  }

  @Test
  void decisionBoundaryWithoutChange_keepsWhatWasScored() {
    policy.serve();
    fill();
    policy.score(name -> name == 9 ? 0 : 1);
    kernel.step(new Event.Policies(Set.of(PolicySlot.RETENTION_DRAM), Set.of()));
    store(PageKey.NONE, 50);
    assertFalse(isThere(9));
  }
}
