package io.orbitkv.kernel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.orbitkv.api.backing.BackingStatus;
import io.orbitkv.api.backing.StoredKey;
import io.orbitkv.api.policy.Facts;
import io.orbitkv.api.policy.PageBatch.Origin;
import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.kernel.policy.PageColumns;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A policy that is asked which pages leave the backing tier first. */
class SsdRetentionTest {
  private static final Duration TICK = KernelSettings.TICK;

  private final TieredKernel tiers =
      new TieredKernel(
          TieredKernel.settings(1 << 20).with(ReadSettings.DEFAULT, WriteSettings.DEFAULT),
          1L << 30,
          1,
          TieredKernel.DENSE);
  private final RetentionHand policy = new RetentionHand(PolicySlot.RETENTION_SSD, tiers.kernel);
  private final List<Command.ScoreStored> scored = new ArrayList<>();

  @BeforeEach
  void listen() {
    Outbox former = tiers.kernel.listener;
    tiers.kernel.listener =
        command -> {
          former.add(command);
          policy.add(command);
          if (command instanceof Command.ScoreStored scores) {
            scored.add(scores);
          }
        };
  }

  private void write(long... names) {
    tiers.publish(names);
    for (long name : names) {
      tiers.written(name, BackingStatus.DONE);
    }
  }

  /** Without the deep check after each step. */
  private void haveQuietly(long... names) {
    for (long name : names) {
      quietly(new Event.PageStored(tiers.stored(0, name), TieredKernel.PAGE));
    }
  }

  private void quietly(Event event) {
    tiers.kernel.kernel.step(event, tiers.kernel.nowNanos, tiers.kernel.listener);
  }

  private List<Long> scoredNames() {
    return scored.getLast().keys().stream().map(TieredKernel::name).toList();
  }

  // ---- events ----------------------------------------------------------------------------------

  @Test
  void nobodyAsked_nothingIsToldAskedOrScored() {
    write(1, 2);
    tiers.pass(TICK);
    assertTrue(policy.told.isEmpty());
    assertTrue(policy.questions.isEmpty());
    assertTrue(scored.isEmpty());
  }

  @Test
  void pagesWrittenUsedAndLost_areTold() {
    policy.serve();
    write(1, 2);
    tiers.take(tiers.demand(1, 2));
    tiers.lose(2);
    policy.assertKnows(1);
    assertEquals(List.of("INSERTED 1", "INSERTED 2", "USED 1", "USED 2", "REMOVED 2"), policy.told);
  }

  @Test
  void pageReadForADemand_isUsedAndOneReadAheadIsNot() {
    policy.serve();
    tiers.have(1, 2);
    long demand = tiers.demand(1);
    tiers.arrive(1);
    tiers.assertReady(demand, 1);
    tiers.prepare(2);
    tiers.arrive(2);
    policy.assertKnows(2);
    assertEquals(List.of("INSERTED 1", "INSERTED 2", "USED 1"), policy.told);
  }

  @Test
  void everythingEvicted_isTold() {
    policy.serve();
    write(1, 2, 3);
    tiers.evictEverywhere();
    tiers.kernel.step(
        new Event.StoreForgot(
            tiers.kernel.only(Command.EmptyStore.class).ticket(), BackingStatus.DONE, 3));
    policy.assertKnows(0);
  }

  @Test
  void facts_areThoseOfThePage() {
    policy.serve();
    tiers.have(9);
    write(1, 2);
    tiers.kernel.nowNanos = 9_000;
    tiers.take(tiers.demand(1, 2));
    tiers.pass(TICK);
    PageColumns columns = policy.open().candidates();
    int written = policy.entry(2);
    assertEquals(RetentionHand.id(1), columns.parent(written));
    assertEquals(1, columns.depth(written));
    assertEquals(Origin.PUBLISH, columns.origin(written));
    assertEquals(TieredKernel.PAGE, columns.bytes(written));
    assertEquals(1, columns.uses(written));
    assertEquals(9_000, columns.lastUseNanos(written));
    assertEquals((int) Facts.UNKNOWN, columns.children(written));
    int recovered = policy.entry(9);
    assertEquals(Origin.RECOVERED, columns.origin(recovered));
    assertEquals(Facts.UNKNOWN, columns.parent(recovered));
    assertEquals(Facts.UNKNOWN, columns.lastUseNanos(recovered));
  }

  // ---- scores ----------------------------------------------------------------------------------

  @Test
  void scores_goToTheTier() {
    policy.serve();
    tiers.have(1, 2, 3);
    tiers.pass(TICK);
    policy.score(name -> 10 * name);
    Command.ScoreStored scores = scored.getLast();
    for (int i = 0; i < scores.keys().size(); i++) {
      assertEquals(10 * scoredNames().get(i), scores.scores()[i]);
    }
    assertEquals(Set.of(1L, 2L, 3L), Set.copyOf(scoredNames()));
    assertEquals(3, scores.scores().length);
    assertEquals(3, tiers.count(KernelCounter.STORED_PAGES_SCORED));
  }

  @Test
  void pageLostMeanwhile_isNotScored() {
    policy.serve();
    tiers.have(1, 2);
    tiers.pass(TICK);
    tiers.lose(1);
    policy.score(name -> name);
    assertEquals(List.of(2L), scoredNames());
    assertArrayEquals(new long[] {2}, scored.getLast().scores());
  }

  @Test
  void lateAnswer_scoresNothingAndTheNextTickAsksAgain() {
    policy.serve();
    tiers.have(1);
    tiers.pass(TICK);
    policy.isLate();
    assertTrue(scored.isEmpty());
    tiers.pass(TICK);
    assertEquals(1, policy.questions.size());
  }

  @Test
  void manyPages_areScoredInTurnAndUsedOnesAtOnce() {
    policy.serve();
    long[] names = LongStream.rangeClosed(1, 6_000).toArray();
    haveQuietly(names);
    tiers.pass(TICK);
    assertEquals(4_096, policy.candidates().size());
    policy.score(name -> 1);
    List<Long> first = scoredNames();
    long demand = tiers.demand(first.getFirst());
    tiers.arrive(first.getFirst());
    tiers.assertReady(demand, 1);
    tiers.pass(TICK);
    policy.score(name -> 2);
    List<Long> second = scoredNames();
    assertEquals(first.getFirst(), second.getFirst());
    long both = LongStream.of(names).filter(n -> first.contains(n) || second.contains(n)).count();
    assertEquals(6_000, both);
  }

  // ---- marks and other policies ----------------------------------------------------------------

  @Test
  void mark_movesWithThePageAndStartsAtZeroForAnotherPolicy() {
    policy.serve();
    tiers.have(1);
    tiers.pass(TICK);
    policy.open().candidates().setMark(0, 77);
    policy.score(name -> 0);
    // The set grows, and entries move.
    haveQuietly(LongStream.rangeClosed(2, 5_000).toArray());
    for (long name = 2; name < 3_000; name++) {
      quietly(new Event.PageLost(tiers.stored(0, name)));
    }
    tiers.pass(TICK);
    assertEquals(77, policy.open().candidates().mark(policy.entry(1)));
    policy.score(name -> 0);

    policy.serve();
    assertTrue(policy.open().adopt());
    assertEquals(0, policy.open().candidates().mark(policy.entry(1)));
  }

  @Test
  void pageStoredAnew_hasNoMarkOfBefore() {
    policy.serve();
    tiers.have(1);
    tiers.pass(TICK);
    policy.open().candidates().setMark(0, 77);
    tiers.lose(1);
    tiers.have(1);
    policy.score(name -> 0);
    tiers.pass(TICK);
    assertEquals(0, policy.open().candidates().mark(policy.entry(1)));
  }

  @Test
  void freshPolicy_isHandedAllPagesInSlices() {
    haveQuietly(LongStream.rangeClosed(1, 9_000).toArray());
    policy.serve();
    int slices = 0;
    while (!policy.questions.isEmpty()) {
      assertTrue(policy.open().adopt());
      assertTrue(policy.open().candidates().size() <= 4_096);
      // A page that comes between two slices is told, and not handed over too.
      tiers.have(9_100 + slices);
      slices++;
      policy.score(name -> 0);
    }
    while (tiers.kernel.kernel.nextDeadlineNanos() <= tiers.kernel.nowNanos) {
      tiers.kernel.step(new Event.Tick());
    }
    assertEquals(9_000, tiers.count(KernelCounter.ADOPTED_PAGES));
    policy.assertKnows(9_000 + slices);
    assertTrue(scored.isEmpty());
  }

  @Test
  void namesOfScoredPages_areThoseOfTheTier() {
    policy.serve();
    StoredKey key = tiers.stored(0, 5);
    tiers.have(5);
    tiers.pass(TICK);
    policy.score(name -> 1);
    assertEquals(List.of(key), scored.getLast().keys());
  }
}
