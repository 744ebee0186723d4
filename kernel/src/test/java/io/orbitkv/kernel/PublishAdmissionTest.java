package io.orbitkv.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.orbitkv.api.copy.CopyPlan;
import io.orbitkv.api.page.PageKey;
import io.orbitkv.api.policy.ChainFacts;
import io.orbitkv.api.policy.Facts;
import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.api.policy.TierKind;
import io.orbitkv.api.query.AnswerState;
import io.orbitkv.kernel.policy.PageIds;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A policy is asked which new pages enter host memory. */
class PublishAdmissionTest {
  private final KernelHarness kernel = new KernelHarness();
  private final int engine = kernel.instance("engine", 1);
  private final Asking asking = new Asking(kernel, PolicySlot.ADMISSION_DRAM);

  private long publish(long... names) {
    return kernel.publish(1, engine, PageKey.NONE, names);
  }

  private static long id(long name) {
    PageKey key = KernelHarness.key(name);
    return PageIds.of(key.high(), key.low());
  }

  private void assertPublished(long operation, int stored, int resident, int dropped) {
    Command.Answer answer = kernel.only(Command.Answer.class);
    assertEquals(AnswerState.PUBLISHED, answer.state());
    assertEquals(operation, answer.operation());
    assertEquals(stored, answer.hits());
    assertEquals((long) resident << 32 | dropped, answer.detail());
  }

  private void assertSums() {
    assertEquals(
        kernel.counter(KernelCounter.PUBLISH_OFFERED_PAGES),
        kernel.counter(KernelCounter.PUBLISH_STORED_PAGES)
            + kernel.counter(KernelCounter.PUBLISH_RESIDENT_PAGES)
            + kernel.counter(KernelCounter.PUBLISH_DROPPED_PAGES)
            + kernel.counter(KernelCounter.PUBLISH_REFUSED_PAGES)
            + kernel.counter(KernelCounter.PUBLISH_DISCARDED_PAGES));
    assertEquals(
        kernel.counter(KernelCounter.ADMISSION_QUESTIONS),
        kernel.counter(KernelCounter.ADMISSIONS)
            + kernel.counter(KernelCounter.ADMISSIONS_PUT_OFF)
            + kernel.counter(KernelCounter.ADMISSIONS_DROPPED));
  }

  @Test
  void slotWithoutAPolicy_isNotAsked() {
    asking.serve(PolicySlot.ADMISSION_SSD);
    publish(1, 2);
    assertFalse(asking.asked());
    assertEquals(1, kernel.all(Command.Copy.class).size());
  }

  @Test
  void newPages_areAskedForOnceAndWaitWithoutMemory() {
    publish(1, 2, 3);
    Command.AskAdmission question = asking.admission();
    assertEquals(PolicySlot.ADMISSION_DRAM, question.slot());
    ChainFacts chain = question.chain();
    assertEquals(id(1), chain.id());
    assertEquals(Facts.UNKNOWN, chain.parent());
    assertEquals(0, chain.depth());
    assertEquals(3, chain.pages());
    assertEquals(3 * KernelHarness.RUN_BYTES, chain.bytes());
    assertEquals(TierKind.DEVICE, chain.tier());
    assertEquals(0, chain.uses());
    assertTrue(kernel.all(Command.Copy.class).isEmpty());
    assertEquals(0, kernel.kernel.status().unsealedBytes());
    asking.admit(question);
    assertEquals(3, kernel.plan().pages());
  }

  @Test
  void admittedPages_sealAsEver() {
    long operation = publish(1, 2);
    asking.admit(asking.admission());
    kernel.done(kernel.plan());
    assertPublished(operation, 2, 0, 0);
    kernel.commit(1, operation, true);
    assertEquals(2, kernel.ask(1, engine, 1, 2).hits());
    assertSums();
  }

  @Test
  void commitBeforeTheAdvice_isRemembered() {
    long operation = publish(1);
    Command.AskAdmission question = asking.admission();
    kernel.commit(1, operation, true);
    asking.admit(question);
    kernel.done(kernel.plan());
    assertEquals(1, kernel.ask(1, engine, 1).hits());
    assertSums();
  }

  @Test
  void refusedPages_areToldAsDropped() {
    long operation = publish(1, 2);
    asking.drop(asking.admission());
    assertPublished(operation, 0, 0, 2);
    assertEquals(2, kernel.counter(KernelCounter.PUBLISH_REFUSED_PAGES));
    assertEquals(0, kernel.counter(KernelCounter.PUBLISH_DROPPED_PAGES));
    assertEquals(0, kernel.kernel.status().operations());
    assertSums();
  }

  @Test
  void residentPages_areNotAskedFor() {
    asking.serve();
    kernel.store(1, engine, 1, 2);
    asking.serve(PolicySlot.ADMISSION_DRAM);
    publish(1, 2);
    assertFalse(asking.asked());
    long operation = publish(1, 2, 3);
    Command.AskAdmission question = asking.admission();
    assertEquals(id(3), question.chain().id());
    assertEquals(id(2), question.chain().parent());
    assertEquals(2, question.chain().depth());
    asking.drop(question);
    assertPublished(operation, 0, 2, 1);
    assertSums();
  }

  @Test
  void pagesInQuestion_areAskedForOnce() {
    long first = publish(1, 2);
    Command.AskAdmission question = asking.admission();
    long second = publish(1, 2);
    assertFalse(asking.asked());
    asking.admit(question);
    List<Command.Copy> copies = kernel.all(Command.Copy.class);
    assertEquals(1, copies.size());
    assertPublished(second, 0, 2, 0);
    kernel.done(copies.getFirst().plan());
    assertPublished(first, 2, 0, 0);
    kernel.commit(1, first, true);
    assertSums();
  }

  @Test
  void pageComputedAgain_countsAsUsed() {
    publish(1);
    asking.drop(asking.admission());
    publish(1);
    assertEquals(1, asking.admission().chain().uses());
  }

  private void assertRun(Command.AskAdmission question, long first, int pages, long uses) {
    assertEquals(id(first), question.chain().id());
    assertEquals(pages, question.chain().pages());
    assertEquals(uses, question.chain().uses());
  }

  @Test
  void pagesAskedForBefore_andNewOnesBehindThem_areTwoQuestions() {
    publish(1, 2);
    asking.drop(asking.admission());
    long operation = publish(1, 2, 3, 4);
    List<Command.AskAdmission> questions = kernel.all(Command.AskAdmission.class);
    assertEquals(2, questions.size());
    assertRun(questions.getFirst(), 1, 2, 1);
    assertRun(questions.getLast(), 3, 2, 0);
    assertEquals(id(2), questions.getLast().chain().parent());
    asking.admit(questions.getFirst());
    assertTrue(kernel.all(Command.Copy.class).isEmpty());
    asking.drop(questions.getLast());
    assertEquals(2, kernel.plan().pages());
    kernel.done(kernel.plan());
    assertPublished(operation, 2, 0, 2);
    kernel.commit(1, operation, true);
    assertSums();
  }

  @Test
  void newPages_andThoseAskedForBeforeBehindThem_areTwoQuestions() {
    publish(2, 3);
    asking.drop(asking.admission());
    publish(1, 2, 3);
    List<Command.AskAdmission> questions = kernel.all(Command.AskAdmission.class);
    assertEquals(2, questions.size());
    assertRun(questions.getFirst(), 1, 1, 0);
    assertRun(questions.getLast(), 2, 2, 1);
  }

  // ---- later -----------------------------------------------------------------------------------

  @Test
  void later_isAskedAgainThreeTimesAndDroppedThen() {
    for (int i = 0; i < 3; i++) {
      publish(1);
      asking.later(asking.admission(), Duration.ofMillis(1));
      assertEquals(i + 1, kernel.counter(KernelCounter.ADMISSIONS_PUT_OFF));
    }
    publish(1);
    asking.later(asking.admission(), Duration.ZERO);
    assertEquals(3, kernel.counter(KernelCounter.ADMISSIONS_PUT_OFF));
    assertEquals(1, kernel.counter(KernelCounter.ADMISSIONS_DROPPED));
    assertEquals(1, kernel.counter(KernelCounter.ADMISSIONS_PUT_OFF_TOO_OFTEN));
    assertEquals(4, kernel.counter(KernelCounter.PUBLISH_REFUSED_PAGES));
    assertSums();
  }

  // ---- ranks -----------------------------------------------------------------------------------

  private int pair() {
    asking.serve();
    int pair = kernel.instance("pair", 11, 12);
    asking.serve(PolicySlot.ADMISSION_DRAM);
    return pair;
  }

  @Test
  void secondRank_waitsForTheSameAnswer() {
    int pair = pair();
    kernel.publish(11, pair, PageKey.NONE, 1, 2);
    Command.AskAdmission question = asking.admission();
    kernel.publish(12, pair, PageKey.NONE, 1, 2);
    assertFalse(asking.asked());
    asking.admit(question);
    assertEquals(2, kernel.all(Command.Copy.class).size());
  }

  @Test
  void secondRank_isRefusedWhatTheFirstWas() {
    int pair = pair();
    kernel.publish(11, pair, PageKey.NONE, 1, 2);
    asking.drop(asking.admission());
    long second = kernel.publish(12, pair, PageKey.NONE, 1, 2);
    assertFalse(asking.asked());
    assertPublished(second, 0, 0, 2);
    assertSums();
    kernel.publish(12, pair, PageKey.NONE, 1, 2);
    assertEquals(1, asking.admissions());
  }

  @Test
  void secondRank_waitsForAllAnswersOfTheFirst() {
    int pair = pair();
    kernel.publish(11, pair, PageKey.NONE, 1);
    asking.drop(asking.admission());
    kernel.publish(12, pair, PageKey.NONE, 1);
    kernel.publish(11, pair, PageKey.NONE, 1, 2);
    List<Command.AskAdmission> questions = kernel.all(Command.AskAdmission.class);
    assertEquals(2, questions.size());
    long second = kernel.publish(12, pair, PageKey.NONE, 1, 2);
    assertFalse(asking.asked());
    asking.drop(questions.getLast());
    asking.drop(questions.getFirst());
    Command.Answer answer = kernel.all(Command.Answer.class).getLast();
    assertEquals(second, answer.operation());
    assertEquals(2, answer.detail());
    assertSums();
  }

  @Test
  void ranksThatCutTheirPublishesDifferently_neverDisagree() {
    int pair = pair();
    kernel.publish(11, pair, PageKey.NONE, 1, 2, 3);
    asking.drop(asking.admission());
    kernel.publish(12, pair, PageKey.NONE, 1);
    assertFalse(asking.asked());
    long rest = kernel.publish(12, pair, KernelHarness.key(1), 2, 3, 4);
    Command.AskAdmission further = asking.admission();
    assertEquals(id(4), further.chain().id());
    asking.admit(further);
    assertEquals(1, kernel.plan().pages());
    kernel.done(kernel.plan());
    assertPublished(rest, 1, 0, 2);
    kernel.publish(11, pair, KernelHarness.key(3), 4);
    assertFalse(asking.asked());
    assertEquals(1, kernel.plan().pages());
  }

  @Test
  void rankThatIsAhead_isToldTheSameUntilTheOtherHasCome() {
    int pair = pair();
    kernel.publish(11, pair, PageKey.NONE, 1);
    asking.drop(asking.admission());
    assertPublished(kernel.publish(11, pair, PageKey.NONE, 1), 0, 0, 1);
    assertPublished(kernel.publish(12, pair, PageKey.NONE, 1), 0, 0, 1);
    assertPublished(kernel.publish(12, pair, PageKey.NONE, 1), 0, 0, 1);
    kernel.publish(12, pair, PageKey.NONE, 1);
    assertTrue(asking.asked());
  }

  @Test
  void decisionOfARankWhosePartnerNeverComes_isForgotten() {
    int pair = pair();
    kernel.publish(11, pair, PageKey.NONE, 1);
    asking.drop(asking.admission());
    kernel.tickAfter(Duration.ofMinutes(6));
    kernel.publish(12, pair, PageKey.NONE, 1);
    assertTrue(asking.asked());
  }

  @Test
  void decision_outlivesThePolicy() {
    int pair = pair();
    kernel.publish(11, pair, PageKey.NONE, 1);
    asking.drop(asking.admission());
    asking.serve();
    assertPublished(kernel.publish(12, pair, PageKey.NONE, 1), 0, 0, 1);
    kernel.publish(11, pair, PageKey.NONE, 1);
    assertEquals(1, kernel.all(Command.Copy.class).size());
  }

  // ---- endings while the question is out -------------------------------------------------------

  private void assertLateAdviceChangesNothing(Command.AskAdmission question) {
    asking.admit(question);
    assertTrue(kernel.commands.isEmpty(), kernel.commands::toString);
    assertEquals(0, kernel.kernel.status().unsealedBytes());
    assertEquals(0, kernel.kernel.status().operations());
    assertSums();
  }

  @Test
  void cancel_endsItAtOnce() {
    long operation = publish(1, 2);
    Command.AskAdmission question = asking.admission();
    kernel.step(new Event.Cancel(1, operation, 0));
    assertPublished(operation, 0, 0, 2);
    assertEquals(2, kernel.counter(KernelCounter.PUBLISH_DISCARDED_PAGES));
    assertLateAdviceChangesNothing(question);
  }

  @Test
  void failedProducer_endsItAtOnce() {
    long operation = publish(1);
    Command.AskAdmission question = asking.admission();
    kernel.commit(1, operation, false);
    assertPublished(operation, 0, 0, 1);
    assertLateAdviceChangesNothing(question);
  }

  @Test
  void endOfTheSession_endsIt() {
    publish(1);
    Command.AskAdmission question = asking.admission();
    kernel.close(1);
    assertTrue(kernel.all(Command.Answer.class).isEmpty());
    assertEquals(1, kernel.all(Command.CloseDevice.class).size());
    assertLateAdviceChangesNothing(question);
  }

  @Test
  void endOfTheInstance_endsItForAllRanks() {
    int pair = pair();
    long operation = kernel.publish(11, pair, PageKey.NONE, 1);
    Command.AskAdmission question = asking.admission();
    kernel.close(12);
    assertPublished(operation, 0, 0, 1);
    assertLateAdviceChangesNothing(question);
  }

  @Test
  void deadline_endsIt() {
    long operation = publish(1);
    Command.AskAdmission question = asking.admission();
    kernel.tickAfter(Duration.ofMinutes(6));
    assertPublished(operation, 0, 0, 1);
    assertLateAdviceChangesNothing(question);
  }

  @Test
  void drain_doesNotWaitForTheAdvice() {
    long operation = publish(1);
    Command.AskAdmission question = asking.admission();
    List<Command> commands = kernel.step(new Event.Drain());
    assertTrue(commands.stream().anyMatch(Command.CloseDevice.class::isInstance));
    assertEquals(1, kernel.counter(KernelCounter.PUBLISH_DISCARDED_PAGES));
    kernel.step(new Event.DeviceClosed(kernel.only(Command.CloseDevice.class).registration()));
    assertEquals(1, kernel.all(Command.Drained.class).size());
    assertTrue(operation > 0);
    assertLateAdviceChangesNothing(question);
  }

  @Test
  void evictedMeanwhile_residentPagesAreCopiedAgain() {
    asking.serve();
    kernel.store(1, engine, 1);
    asking.serve(PolicySlot.ADMISSION_DRAM);
    publish(1, 2);
    Command.AskAdmission question = asking.admission();
    kernel.step(new Event.Evict(1, kernel.operation()));
    asking.admit(question);
    assertEquals(2, kernel.plan().pages());
  }

  @Test
  void publishedMeanwhileByAnother_isResident() {
    long operation = publish(1, 2);
    Command.AskAdmission question = asking.admission();
    asking.serve();
    int other = kernel.instance("other", 5);
    kernel.store(5, other, 1, 2);
    asking.admit(question);
    assertPublished(operation, 0, 2, 0);
    assertSums();
  }

  @Test
  void sync_waitsForIt() {
    publish(1);
    Command.AskAdmission question = asking.admission();
    long sync = kernel.operation();
    kernel.step(new Event.Sync(1, sync));
    assertTrue(kernel.all(Command.Done.class).isEmpty());
    asking.drop(question);
    assertEquals(sync, kernel.only(Command.Done.class).operation());
  }

  @Test
  void ask_tellsThatItIsPending() {
    long operation = publish(1);
    kernel.step(new Event.Ask(1, operation, 0));
    assertEquals(AnswerState.LOADING, kernel.only(Command.Answer.class).state());
  }

  @Test
  void adviceToNoQuestion_isABrokenInvariant() {
    publish(1);
    Command.AskAdmission question = asking.admission();
    asking.admit(question);
    CopyPlan plan = kernel.plan();
    assertEquals(1, plan.pages());
    assertThrows(BrokenInvariant.class, () -> asking.admit(question));
  }
}
