package io.orbitkv.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.orbitkv.api.copy.CopyPlan;
import io.orbitkv.api.page.PageKey;
import io.orbitkv.api.query.AnswerState;
import io.orbitkv.api.query.ErrorCode;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** From device memory to residency. */
class PublishTest {
  private static final long RUN = KernelHarness.RUN_BYTES;

  private final KernelHarness kernel = new KernelHarness();

  private Command.Answer answer() {
    return kernel.only(Command.Answer.class);
  }

  private AnswerState find(int instance, long... names) {
    Command.Answer answer = kernel.ask(1, instance, names);
    kernel.step(new Event.Cancel(1, answer.operation(), 1));
    return answer.state();
  }

  @Test
  void publish_copiesAndSealsOnCommit() {
    int engine = kernel.instance("engine", 1);
    long operation = kernel.publish(1, engine, PageKey.NONE, 1, 2);
    CopyPlan plan = kernel.plan();
    assertEquals(CopyPlan.Direction.DEVICE_TO_HOST, plan.direction());
    assertEquals(2, plan.pages());
    assertEquals(1, kernel.commands.size());
    kernel.done(plan);
    assertEquals(AnswerState.PUBLISHED, answer().state());
    assertEquals(2, answer().hits());
    assertEquals(0, answer().detail());
    assertEquals(AnswerState.MISS, find(engine, 1, 2));
    assertEquals(2 * RUN, kernel.kernel.status().unsealedBytes());
    kernel.commit(1, operation, true);
    assertTrue(kernel.commands.isEmpty());
    assertEquals(AnswerState.READY, find(engine, 1, 2));
    assertEquals(2, kernel.counter(KernelCounter.PUBLISH_STORED_PAGES));
    assertEquals(2 * KernelHarness.PAYLOAD_BYTES, kernel.counter(KernelCounter.PUBLISHED_BYTES));
  }

  @Test
  void commit_beforeTheCopysEnd_sealsAtTheEnd() {
    int engine = kernel.instance("engine", 1);
    long operation = kernel.publish(1, engine, PageKey.NONE, 1);
    CopyPlan plan = kernel.plan();
    kernel.commit(1, operation, true);
    assertEquals(AnswerState.MISS, find(engine, 1));
    kernel.done(plan);
    assertEquals(AnswerState.READY, find(engine, 1));
  }

  @Test
  void commit_ofAFailedProducer_discards() {
    int engine = kernel.instance("engine", 1);
    long operation = kernel.publish(1, engine, PageKey.NONE, 1);
    kernel.done(kernel.plan());
    kernel.commit(1, operation, false);
    assertEquals(0, kernel.memory.runs());
    assertEquals(1, kernel.counter(KernelCounter.PUBLISH_DISCARDED_PAGES));
    kernel.commit(1, operation, true);
    assertTrue(kernel.commands.isEmpty());
    assertEquals(AnswerState.MISS, find(engine, 1));
  }

  @Test
  void commit_ofAFailedProducerDuringTheCopy_freesOnlyAfterIt() {
    int engine = kernel.instance("engine", 1);
    long operation = kernel.publish(1, engine, PageKey.NONE, 1);
    CopyPlan plan = kernel.plan();
    kernel.commit(1, operation, false);
    assertEquals(RUN, kernel.kernel.status().orphanBytes());
    assertEquals(1, kernel.memory.runs());
    kernel.commit(1, operation, true);
    kernel.done(plan);
    assertEquals(AnswerState.PUBLISHED, answer().state());
    assertEquals(0, kernel.memory.runs());
  }

  @Test
  void commit_ofNothing_isRefusedOnlyForIdsThatNeverWere() {
    int engine = kernel.instance("engine", 1);
    kernel.store(1, engine, 1);
    long operation = kernel.publish(1, engine, PageKey.NONE, 1);
    kernel.commit(1, operation, true);
    assertTrue(kernel.commands.isEmpty());
    kernel.commit(1, operation + 100, true);
    assertEquals(ErrorCode.UNKNOWN, kernel.only(Command.Refused.class).error());
  }

  @Test
  void cancel_afterPublishedBeforeCommit_discards() {
    int engine = kernel.instance("engine", 1);
    long operation = kernel.publish(1, engine, PageKey.NONE, 1);
    kernel.done(kernel.plan());
    kernel.step(new Event.Cancel(1, operation, 0));
    assertTrue(kernel.commands.isEmpty());
    assertEquals(0, kernel.memory.runs());
  }

  @Test
  void publish_ofResidentPages_copiesOnlyTheOthers() {
    int engine = kernel.instance("engine", 1);
    kernel.store(1, engine, 1, 2);
    kernel.publish(1, engine, PageKey.NONE, 1, 2, 3);
    CopyPlan plan = kernel.plan();
    assertEquals(1, plan.pages());
    assertEquals(2, plan.devicePage(0));
    kernel.done(plan);
    assertEquals(1, answer().hits());
    assertEquals(2L << 32, answer().detail());
  }

  @Test
  void publish_ofResidentPagesAlone_isPublishedAtOnce() {
    int engine = kernel.instance("engine", 1);
    kernel.store(1, engine, 1, 2);
    kernel.publish(1, engine, PageKey.NONE, 1, 2);
    assertEquals(AnswerState.PUBLISHED, answer().state());
    assertEquals(0, answer().hits());
    assertEquals(2L << 32, answer().detail());
    assertEquals(0, kernel.kernel.status().operations());
  }

  @Test
  void publish_ofAPageInFlightOfTheSameRank_copiesItOnce() {
    int engine = kernel.instance("engine", 1);
    long first = kernel.publish(1, engine, PageKey.NONE, 1, 1);
    CopyPlan plan = kernel.plan();
    assertEquals(1, plan.pages());
    kernel.publish(1, engine, PageKey.NONE, 1);
    assertEquals(AnswerState.PUBLISHED, answer().state());
    assertEquals(1L << 32, answer().detail());
    kernel.done(plan);
    kernel.commit(1, first, true);
    assertEquals(1, kernel.counter(KernelCounter.PUBLISH_STORED_PAGES));
    assertEquals(2, kernel.counter(KernelCounter.PUBLISH_RESIDENT_PAGES));
  }

  @Test
  void publish_thatFailed_discards() {
    int engine = kernel.instance("engine", 1);
    long operation = kernel.publish(1, engine, PageKey.NONE, 1);
    kernel.failed(kernel.plan());
    assertEquals(AnswerState.FAILED, answer().state());
    assertEquals(0, answer().detail());
    assertEquals(0, kernel.memory.runs());
    kernel.commit(1, operation, true);
    assertTrue(kernel.commands.isEmpty());
    assertEquals(AnswerState.MISS, find(engine, 1));
  }

  @Test
  void publish_withUnknownOutcome_quarantinesForGood() {
    int engine = kernel.instance("engine", 1);
    kernel.publish(1, engine, PageKey.NONE, 1);
    kernel.unknown(kernel.plan());
    assertEquals(AnswerState.FAILED, answer().state());
    assertEquals(Command.OUTCOME_UNKNOWN, answer().detail());
    assertEquals(RUN, kernel.kernel.status().quarantinedBytes());
    assertEquals(0, kernel.kernel.status().unsealedBytes());
    assertEquals(1, kernel.counter(KernelCounter.PUBLISH_DISCARDED_PAGES));
  }

  @Test
  void publish_givenUpAndThenUnknown_isQuarantinedNotFreed() {
    int engine = kernel.instance("engine", 1);
    long operation = kernel.publish(1, engine, PageKey.NONE, 1);
    CopyPlan plan = kernel.plan();
    kernel.commit(1, operation, false);
    kernel.unknown(plan);
    assertEquals(RUN, kernel.kernel.status().quarantinedBytes());
    assertEquals(0, kernel.kernel.status().orphanBytes());
  }

  @Test
  void page_ofTwoRanks_sealsWithTheSecondCommit() {
    int pair = kernel.instance("pair", 1, 2);
    long first = kernel.publish(1, pair, PageKey.NONE, 1);
    CopyPlan one = kernel.plan();
    long second = kernel.publish(2, pair, PageKey.NONE, 1);
    CopyPlan two = kernel.plan();
    assertTrue(one.hostAddress(0) != two.hostAddress(0));
    assertEquals(1, kernel.kernel.status().unsealedPages());
    kernel.commit(2, second, true);
    kernel.done(two);
    kernel.done(one);
    assertEquals(AnswerState.MISS, find(pair, 1));
    kernel.commit(1, first, true);
    assertEquals(AnswerState.READY, find(pair, 1));
    assertEquals(2, kernel.counter(KernelCounter.PUBLISH_STORED_PAGES));
    assertEquals(0, kernel.kernel.status().operations());
  }

  @Test
  void page_whoseSecondRankFails_isDiscardedForBoth() {
    int pair = kernel.instance("pair", 1, 2);
    long first = kernel.publish(1, pair, PageKey.NONE, 1);
    kernel.done(kernel.plan());
    kernel.commit(1, first, true);
    kernel.publish(2, pair, PageKey.NONE, 1);
    kernel.failed(kernel.plan());
    assertEquals(2, kernel.counter(KernelCounter.PUBLISH_DISCARDED_PAGES));
    assertEquals(0, kernel.kernel.status().operations());
    assertEquals(0, kernel.memory.runs());
  }

  @Test
  void page_withAnUnknownOutcomeOfOneRank_isQuarantinedUnderTheOthersCopy() {
    int pair = kernel.instance("pair", 1, 2);
    kernel.publish(1, pair, PageKey.NONE, 1);
    CopyPlan one = kernel.plan();
    kernel.publish(2, pair, PageKey.NONE, 1);
    CopyPlan two = kernel.plan();
    kernel.unknown(one);
    kernel.done(two);
    assertEquals(AnswerState.PUBLISHED, answer().state());
    assertEquals(2 * RUN, kernel.kernel.status().quarantinedBytes());
    assertEquals(0, kernel.kernel.status().operations());
  }

  @Test
  void page_whosePartnerNeverComes_isDiscardedAfterFiveMinutes() {
    int pair = kernel.instance("pair", 1, 2);
    long first = kernel.publish(1, pair, PageKey.NONE, 1);
    kernel.done(kernel.plan());
    kernel.commit(1, first, true);
    kernel.tickAfter(Duration.ofSeconds(299));
    assertEquals(1, kernel.kernel.status().unsealedPages());
    kernel.tickAfter(Duration.ofSeconds(1));
    assertEquals(0, kernel.memory.runs());
    assertEquals(1, kernel.counter(KernelCounter.PUBLISH_DISCARDED_PAGES));
  }

  @Test
  void publish_withoutCommit_expiresEvenWhileItsCopyRuns() {
    int engine = kernel.instance("engine", 1);
    kernel.publish(1, engine, PageKey.NONE, 1);
    CopyPlan plan = kernel.plan();
    kernel.tickAfter(Duration.ofMinutes(5));
    assertEquals(RUN, kernel.kernel.status().orphanBytes());
    kernel.done(plan);
    assertEquals(AnswerState.PUBLISHED, answer().state());
    assertEquals(0, kernel.memory.runs());
  }

  @Test
  void instances_ofTheSameShape_shareAndNeverOverwrite() {
    int a = kernel.instance("a", 1);
    int b = kernel.instance("b", 2);
    long slow = kernel.publish(1, a, PageKey.NONE, 1);
    CopyPlan slowPlan = kernel.plan();
    long fast = kernel.publish(2, b, PageKey.NONE, 1);
    CopyPlan fastPlan = kernel.plan();
    assertTrue(slowPlan.hostAddress(0) != fastPlan.hostAddress(0));
    kernel.done(fastPlan);
    kernel.commit(2, fast, true);
    kernel.done(slowPlan);
    kernel.commit(1, slow, true);
    assertEquals(1, kernel.kernel.status().residentPages());
    assertEquals(1, kernel.memory.runs());
    assertEquals(1, kernel.counter(KernelCounter.PUBLISH_RESIDENT_PAGES));
    Command.Answer lease = kernel.lease(1, a, 1);
    kernel.restore(1, a, lease.lease(), 1);
    assertEquals(fastPlan.hostAddress(0), kernel.plan().hostAddress(0));
  }

  @Test
  void publish_withoutMemory_dropsTheRestOfTheChainAndIsNoError() {
    KernelHarness small = new KernelHarness(KernelHarness.settings(1 << 30), 2 * RUN);
    int engine = small.instance("engine", 1);
    long operation = small.publish(1, engine, PageKey.NONE, 1, 2, 3, 4);
    CopyPlan plan = small.plan();
    assertEquals(2, plan.pages());
    small.done(plan);
    Command.Answer answer = small.only(Command.Answer.class);
    assertEquals(AnswerState.PUBLISHED, answer.state());
    assertEquals(2, answer.hits());
    assertEquals(2, answer.detail());
    assertEquals(1, small.counter(KernelCounter.ALLOCATION_FAILURES));
    assertEquals(2, small.counter(KernelCounter.PUBLISH_DROPPED_PAGES));
    small.commit(1, operation, true);
    assertEquals(2, small.ask(1, engine, 1, 2, 3, 4).hits());
  }

  @Test
  void publish_ofTwoRanksWithMemoryForOne_leavesNothingBehind() {
    KernelHarness small = new KernelHarness(KernelHarness.settings(1 << 30), 2 * RUN);
    int single = small.instance("single", 3);
    small.store(3, single, 9);
    small.lease(3, single, 9);
    int pair = small.instance("pair", 1, 2);
    small.publish(1, pair, PageKey.NONE, 1);
    assertEquals(AnswerState.PUBLISHED, small.only(Command.Answer.class).state());
    assertEquals(1, small.only(Command.Answer.class).detail());
    assertEquals(1, small.memory.runs());
  }

  @Test
  void runs_lieOnTheirRanksNode() {
    KernelHarness two = new KernelHarness(KernelHarness.settings(1 << 30), 64 * RUN, 64 * RUN);
    two.open(1);
    two.open(2);
    two.register("pair", 1, KernelHarness.layout(0, 2, 1, 500));
    int pair = two.register("pair", 2, KernelHarness.layout(1, 2, 0, 500)).instance();
    two.publish(1, pair, PageKey.NONE, 1, 2);
    assertEquals(1, two.memory.node(two.plan().hostAddress(0)));
    assertEquals(1, two.memory.node(two.plan().hostAddress(1)));
    two.publish(2, pair, PageKey.NONE, 1, 2);
    assertEquals(0, two.memory.node(two.plan().hostAddress(0)));
  }

  @Test
  void publish_thatIsWrong_isRefusedAndChangesNothing() {
    int engine = kernel.instance("engine", 1);
    kernel.open(9);
    long operation = kernel.operation();
    long[] key = KernelHarness.keys(1);
    refused(ErrorCode.NOT_OWNER, publish(9, operation, engine, 0, key, 0));
    refused(ErrorCode.INVALID, publish(1, operation, engine, 1, key, 0));
    refused(ErrorCode.INVALID, publish(1, operation, engine, -1, key, 0));
    refused(ErrorCode.INVALID, publish(1, operation, engine, 0, key));
    refused(ErrorCode.INVALID, publish(1, operation, engine, 0, key, 0, 1));
    refused(ErrorCode.INVALID, publish(1, operation, engine, 0, key, -1));
    refused(ErrorCode.INVALID, publish(1, operation, engine, 0, key, KernelHarness.DEVICE_PAGES));
    refused(ErrorCode.INVALID, publish(1, operation, engine, 0, new long[2], 0));
    assertEquals(0, kernel.counter(KernelCounter.PUBLISHES));
    kernel.step(publish(1, operation, engine, 0, key, 0));
    assertEquals(1, kernel.plan().pages());
    refused(ErrorCode.STALE_OPERATION, publish(1, operation, engine, 0, key, 0));
  }

  @Test
  void publish_beforeAllRanksRegistered_isRefused() {
    kernel.open(1);
    int half = kernel.register("pair", 1, KernelHarness.layout(0, 2)).instance();
    refused(
        ErrorCode.NOT_SEALED, publish(1, kernel.operation(), half, 0, KernelHarness.keys(1), 0));
  }

  private void refused(ErrorCode error, Event.Publish publish) {
    kernel.step(publish);
    assertEquals(error, kernel.only(Command.Refused.class).error());
  }

  private static Event.Publish publish(
      long session, long operation, int instance, int group, long[] keys, int... devicePages) {
    return new Event.Publish(
        session, operation, -1, instance, group, 0, PageKey.NONE, keys, devicePages);
  }

  @Test
  void ask_ofAPublish_tellsWhereItStands() {
    int engine = kernel.instance("engine", 1);
    long operation = kernel.publish(1, engine, PageKey.NONE, 1);
    CopyPlan plan = kernel.plan();
    kernel.step(new Event.Ask(1, operation, 0));
    assertEquals(AnswerState.LOADING, answer().state());
    kernel.done(plan);
    kernel.step(new Event.Ask(1, operation, 0));
    assertEquals(AnswerState.PUBLISHED, answer().state());
  }

  // ---- sync ------------------------------------------------------------------------------------

  @Test
  void sync_withoutPublishes_isDoneAtOnce() {
    kernel.open(1);
    kernel.step(new Event.Sync(1, 5));
    assertEquals(new Command.Done(1, 5, 0), kernel.only(Command.Done.class));
  }

  @Test
  void sync_waitsForEarlierPublishesOnly() {
    int engine = kernel.instance("engine", 1);
    kernel.open(2);
    long first = kernel.publish(1, engine, PageKey.NONE, 1, 2);
    kernel.done(kernel.plan());
    kernel.step(new Event.Sync(2, 77));
    assertTrue(kernel.commands.isEmpty());
    long later = kernel.publish(1, engine, PageKey.NONE, 3);
    kernel.done(kernel.plan());
    kernel.commit(1, first, false);
    assertEquals(new Command.Done(2, 77, 2), kernel.only(Command.Done.class));
    kernel.commit(1, later, true);
    assertTrue(kernel.commands.isEmpty());
  }

  @Test
  void syncs_beyondTheirLimit_areRefused() {
    int engine = kernel.instance("engine", 1);
    kernel.publish(1, engine, PageKey.NONE, 1);
    for (int i = 0; i < KernelSettings.SESSION_SYNCS; i++) {
      assertTrue(kernel.step(new Event.Sync(1, kernel.operation())).isEmpty());
    }
    kernel.step(new Event.Sync(1, kernel.operation()));
    assertEquals(ErrorCode.LIMIT, kernel.only(Command.Refused.class).error());
  }

  @Test
  void syncs_tellWhatWasDiscardedOfTheirPublishesWhileTheyWaited() {
    int engine = kernel.instance("engine", 1);
    kernel.open(2);
    kernel.open(3);
    long[] publishes = new long[5];
    for (int i = 0; i < 3; i++) {
      publishes[i] = kernel.publish(1, engine, PageKey.NONE, 10 * i + 1, 10 * i + 2);
      kernel.done(kernel.plan());
      kernel.step(new Event.Sync(3 - i, 100 + i)); // 100, 101 and 102 of the sessions 3, 2 and 1.
    }
    publishes[3] = kernel.publish(1, engine, PageKey.NONE, 31);
    kernel.done(kernel.plan());
    kernel.commit(1, publishes[1], false); // 101 and 102 count two.
    kernel.step(new Event.Sync(1, 103)); // Counts nothing of what was before.
    kernel.commit(1, publishes[2], false); // 102 and 103 count two.
    kernel.close(2);
    kernel.step(new Event.Sync(3, 104));
    publishes[4] = kernel.publish(1, engine, PageKey.NONE, 41);
    kernel.done(kernel.plan());
    kernel.commit(1, publishes[4], false); // Concerns nobody.
    kernel.commit(1, publishes[0], false); // 100, 102, 103 and 104 count two.
    List<Command.Done> done = kernel.all(Command.Done.class);
    assertEquals(List.of(100L, 102L), done.stream().map(Command.Done::operation).toList());
    assertEquals(List.of(2L, 6L), done.stream().map(Command.Done::value).toList());
    kernel.commit(1, publishes[3], false); // 103 and 104 count one.
    done = kernel.all(Command.Done.class);
    assertEquals(List.of(103L, 104L), done.stream().map(Command.Done::operation).toList());
    assertEquals(List.of(5L, 3L), done.stream().map(Command.Done::value).toList());
  }

  @Test
  void sync_ofAClosedSession_isForgotten() {
    int engine = kernel.instance("engine", 1);
    kernel.open(2);
    long first = kernel.publish(1, engine, PageKey.NONE, 1);
    kernel.done(kernel.plan());
    kernel.step(new Event.Sync(2, 77));
    kernel.close(2);
    kernel.commit(1, first, true);
    assertTrue(kernel.commands.isEmpty());
  }
}
