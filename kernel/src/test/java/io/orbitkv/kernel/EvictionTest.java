package io.orbitkv.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.orbitkv.api.page.GroupRule;
import io.orbitkv.api.page.GroupSpec;
import io.orbitkv.api.page.LayerLayout;
import io.orbitkv.api.page.PageKey;
import io.orbitkv.api.page.WorkerLayout;
import io.orbitkv.api.query.AnswerState;
import io.orbitkv.api.query.ErrorCode;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which pages go when memory is short. */
class EvictionTest {
  private static final long RUN = KernelHarness.RUN_BYTES;

  private final KernelHarness kernel = new KernelHarness(KernelHarness.settings(1 << 30), 4 * RUN);

  private void store(int engine, PageKey parent, long... names) {
    long operation = kernel.publish(1, engine, parent, names);
    kernel.done(kernel.plan());
    kernel.commit(1, operation, true);
  }

  /** Length of the prefix that is resident, without leaving a trace in its age. */
  private int resident(int engine, long name) {
    long before = kernel.kernel.status().residentPages();
    Command.Answer answer = kernel.ask(1, engine, name);
    kernel.step(new Event.Cancel(1, answer.operation(), 1));
    assertEquals(before, kernel.kernel.status().residentPages());
    return answer.hits();
  }

  @Test
  void oldestUnreferencedPage_goesFirst() {
    int engine = kernel.instance("engine", 1);
    for (long name = 1; name <= 4; name++) {
      store(engine, PageKey.NONE, name);
    }
    assertEquals(1, resident(engine, 1));
    store(engine, PageKey.NONE, 5);
    assertEquals(0, resident(engine, 2));
    assertEquals(1, resident(engine, 1));
    assertEquals(1, kernel.counter(KernelCounter.EVICTED_PAGES));
    assertEquals(RUN, kernel.counter(KernelCounter.EVICTED_BYTES));
  }

  @Test
  void chain_isEvictedFromItsTail() {
    int engine = kernel.instance("engine", 1);
    store(engine, PageKey.NONE, 1, 2, 3);
    store(engine, PageKey.NONE, 50);
    store(engine, PageKey.NONE, 51);
    assertEquals(2, kernel.ask(1, engine, 1, 2, 3).hits());
  }

  @Test
  void chain_whoseTailWentContinuesWithItsNextPage() {
    int engine = kernel.instance("engine", 1);
    store(engine, PageKey.NONE, 1, 2, 3);
    store(engine, PageKey.NONE, 50);
    store(engine, PageKey.NONE, 51);
    store(engine, PageKey.NONE, 52);
    assertEquals(1, resident(engine, 1));
    assertEquals(0, resident(engine, 2));
    assertEquals(1, resident(engine, 50));
  }

  @Test
  void chain_publishedAgain_isUsedFromItsTailToItsHead() {
    int engine = kernel.instance("engine", 1);
    for (long name = 1; name <= 3; name++) {
      store(engine, PageKey.NONE, name);
    }
    kernel.publish(1, engine, PageKey.NONE, 1, 2, 3);
    store(engine, PageKey.NONE, 50);
    store(engine, PageKey.NONE, 51);
    assertEquals(2, kernel.ask(1, engine, 1, 2, 3).hits());
  }

  @Test
  void chain_publishedFurther_doesNotEvictItself() {
    int engine = kernel.instance("engine", 1);
    store(engine, PageKey.NONE, 1);
    for (long name = 50; name <= 52; name++) {
      store(engine, PageKey.NONE, name);
    }
    store(engine, PageKey.NONE, 1, 2);
    assertEquals(2, kernel.ask(1, engine, 1, 2).hits());
    assertEquals(0, resident(engine, 50));
  }

  @Test
  void page_publishedUnderItsParent_keepsTheParent() {
    int engine = kernel.instance("engine", 1);
    store(engine, PageKey.NONE, 1);
    store(engine, PageKey.NONE, 50);
    store(engine, KernelHarness.key(1), 2);
    store(engine, PageKey.NONE, 51);
    store(engine, PageKey.NONE, 52);
    assertEquals(0, resident(engine, 50));
    assertEquals(2, kernel.ask(1, engine, 1, 2).hits());
  }

  @Test
  void leasedPages_areNeverVictims() {
    int engine = kernel.instance("engine", 1);
    store(engine, PageKey.NONE, 1, 2, 3, 4);
    kernel.lease(1, engine, 1, 2, 3, 4);
    kernel.publish(1, engine, PageKey.NONE, 5);
    assertEquals(AnswerState.PUBLISHED, kernel.only(Command.Answer.class).state());
    assertEquals(1, kernel.only(Command.Answer.class).detail());
    assertEquals(1, kernel.counter(KernelCounter.ALLOCATION_FAILURES));
    assertEquals(0, kernel.counter(KernelCounter.EVICTED_PAGES));
  }

  @Test
  void oneLargePage_evictsAsManyAsItNeeds() {
    int engine = kernel.instance("engine", 1);
    kernel.open(2);
    int large = kernel.register("large", 2, KernelHarness.layout(0, 1, -1, 1500)).instance();
    for (long name = 1; name <= 4; name++) {
      store(engine, PageKey.NONE, name);
    }
    kernel.publish(2, large, PageKey.NONE, 9);
    assertEquals(1, kernel.plan().pages());
    assertEquals(3, kernel.counter(KernelCounter.EVICTED_PAGES));
  }

  @Test
  void shortageOnOneNode_evictsNothingOnAnother() {
    KernelHarness two = new KernelHarness(KernelHarness.settings(1 << 30), 2 * RUN, 2 * RUN);
    two.open(1);
    two.open(2);
    int zero = two.register("zero", 1, KernelHarness.layout(0, 1, 0, 500)).instance();
    int one = two.register("one", 2, KernelHarness.layout(0, 1, 1, 500)).instance();
    two.store(1, zero, 1, 2);
    two.store(2, one, 11, 12);
    two.store(2, one, 13, 14);
    assertEquals(2, two.ask(1, zero, 1, 2).hits());
    assertEquals(0, two.ask(2, one, 11, 12).hits());
    assertEquals(2, two.ask(2, one, 13, 14).hits());
    two.publish(2, one, PageKey.NONE, 21);
    assertEquals(AnswerState.PUBLISHED, two.only(Command.Answer.class).state());
    assertEquals(1, two.only(Command.Answer.class).detail());
  }

  @Test
  void fullTable_makesRoomOrDrops() {
    KernelSettings usual = KernelHarness.settings(1 << 30);
    KernelHarness small = new KernelHarness(KernelSettings.of(usual.budget(), 2), 1 << 30);
    int engine = small.instance("engine", 1);
    small.store(1, engine, 1);
    small.store(1, engine, 2);
    small.store(1, engine, 3);
    assertEquals(2, small.kernel.status().residentPages());
    small.lease(1, engine, 2);
    small.lease(1, engine, 3);
    small.publish(1, engine, PageKey.NONE, 4);
    assertEquals(1, small.only(Command.Answer.class).detail());
  }

  @Test
  void evict_makesAllPagesUnfindableAndFreesWhatNobodyRefersTo() {
    int engine = kernel.instance("engine", 1);
    store(engine, PageKey.NONE, 1, 2, 3);
    Command.Answer lease = kernel.lease(1, engine, 1);
    kernel.step(new Event.Evict(1, 60));
    assertEquals(2 * RUN, kernel.only(Command.Done.class).value());
    assertEquals(0, kernel.kernel.status().residentPages());
    assertEquals(RUN, kernel.kernel.status().orphanBytes());
    assertEquals(0, kernel.ask(1, engine, 1, 2, 3).hits());
    kernel.release(1, lease.lease());
    assertEquals(0, kernel.kernel.status().orphanBytes());
  }

  @Test
  void evict_whoseSessionCloses_endsWithoutAnAnswer() {
    KernelHarness large = new KernelHarness(KernelHarness.settings(1L << 40), 1L << 30);
    int engine = large.instance("engine", 2);
    large.open(1);
    long name = 0;
    // More than are looked at in one step.
    while (large.kernel.status().residentPages() <= 16_384) {
      long[] names = new long[KernelHarness.DEVICE_PAGES];
      for (int i = 0; i < names.length; i++) {
        names[i] = ++name;
      }
      large.store(2, engine, names);
    }
    large.step(new Event.Evict(1, large.operation()));
    long left = large.kernel.status().residentPages();
    assertTrue(left > 0);

    large.close(1);
    large.tickAfter(Duration.ZERO);
    assertEquals(List.of(), large.all(Command.Done.class));
    assertEquals(left, large.kernel.status().residentPages());

    // The next one is not held up by it.
    long operation = large.operation();
    large.step(new Event.Evict(2, operation));
    large.tickAfter(Duration.ZERO);
    assertEquals(operation, large.only(Command.Done.class).operation());
    assertEquals(0, large.kernel.status().residentPages());
  }

  @Test
  void evict_ofAParentWhoseChildIsLeased_freesItWithTheChild() {
    int engine = kernel.instance("engine", 1);
    store(engine, PageKey.NONE, 1, 2);
    Command.Answer lease = kernel.lease(1, engine, 1, 2);
    kernel.step(new Event.Evict(1, 60));
    assertEquals(2 * RUN, kernel.kernel.status().orphanBytes());
    kernel.release(1, lease.lease());
    assertEquals(0, kernel.memory.runs());
  }

  @Test
  void evictedPage_canBePublishedAnewWhileItsFormerSelfIsLeased() {
    int engine = kernel.instance("engine", 1);
    store(engine, PageKey.NONE, 1);
    Command.Answer lease = kernel.lease(1, engine, 1);
    kernel.step(new Event.Evict(1, 60));
    store(engine, PageKey.NONE, 1);
    assertEquals(1, kernel.ask(1, engine, 1).hits());
    kernel.release(1, lease.lease());
    assertEquals(1, kernel.kernel.status().residentPages());
  }

  @Test
  void parentUsedLately_outlivesOlderPagesWhenItsChildGoes() {
    int engine = kernel.instance("engine", 1);
    store(engine, PageKey.NONE, 1, 2);
    store(engine, PageKey.NONE, 50);
    store(engine, PageKey.NONE, 51);
    assertEquals(1, resident(engine, 1));
    store(engine, PageKey.NONE, 52);
    assertEquals(0, resident(engine, 2));
    store(engine, PageKey.NONE, 53);
    assertEquals(0, resident(engine, 50));
    assertEquals(1, resident(engine, 1));
  }

  // ---- what can never fit ----------------------------------------------------------------------

  private static final int LARGE = 1 << 20;

  static WorkerLayout large(int rank, int worldSize, int node, int bytes) {
    LayerLayout layer = new LayerLayout("layer-" + bytes, 0, 0, 256, bytes, 1, bytes, bytes);
    List<GroupSpec> groups = List.of(new GroupSpec(0, new GroupRule.Prefix()));
    return new WorkerLayout(rank, worldSize, 16, node, groups, List.of(layer));
  }

  private static Command.Refused refused(
      KernelHarness kernel, long session, String name, WorkerLayout layout) {
    kernel.step(
        new Event.Register(
            session,
            kernel.operation(),
            name,
            KernelHarness.NAMESPACE,
            layout,
            FakeDeviceMemory.descriptor()));
    Command.Refused refused = kernel.only(Command.Refused.class);
    assertEquals(ErrorCode.INVALID, refused.error());
    return refused;
  }

  @Test
  void register_withARunLargerThanTheLargestChunk_isInvalid() {
    KernelHarness two = new KernelHarness(KernelHarness.settings(1 << 30), 8 * RUN, 4 * RUN);
    two.open(1);
    String message = refused(two, 1, "engine", large(0, 1, 1, 5 * (int) RUN)).message();
    assertTrue(message.contains("[20480]"), message);
    assertTrue(message.contains("NUMA node [1] has [16384]"), message);
    assertTrue(message.contains("larger pool"), message);
    assertTrue(message.contains("smaller pages"), message);
    // A node without chunks is any node.
    refused(two, 1, "engine", large(0, 1, 7, 9 * (int) RUN));
    assertTrue(two.register("engine", 1, large(0, 1, 7, 8 * (int) RUN)).sealed());
  }

  @Test
  void register_withMoreBytesOverItsRanksThanThePool_isInvalid() {
    KernelHarness two = new KernelHarness(KernelHarness.settings(1 << 30), 8 * RUN, 4 * RUN);
    two.open(1);
    two.open(2);
    two.register("engine", 1, large(0, 2, -1, 8 * (int) RUN));
    String message = refused(two, 2, "engine", large(1, 2, -1, 5 * (int) RUN)).message();
    assertTrue(message.contains("[53248]"), message);
    assertTrue(message.contains("has [49152]"), message);
    message = refused(two, 2, "engine", large(1, 2, 0, 13 * (int) RUN)).message();
    assertTrue(message.contains("NUMA node [0] has [32768]"), message);
    assertTrue(two.register("engine", 2, large(1, 2, -1, 4 * (int) RUN)).sealed());
  }

  @Test
  void register_withMoreBytesOnANodeThanItHas_isInvalid() {
    KernelHarness two = new KernelHarness(KernelHarness.settings(1 << 30), 8 * RUN, 8 * RUN);
    two.open(1);
    two.open(2);
    two.register("engine", 1, large(0, 2, 1, 5 * (int) RUN));
    String message = refused(two, 2, "engine", large(1, 2, 1, 5 * (int) RUN)).message();
    assertTrue(message.contains("[40960] bytes over its ranks"), message);
    assertTrue(message.contains("NUMA node [1] has [32768]"), message);
    assertTrue(two.register("engine", 2, large(1, 2, 0, 5 * (int) RUN)).sealed());
  }

  @Test
  void page_thatFindsNoGap_evictsOnlySoMuchAndIsDropped() {
    KernelHarness torn = new KernelHarness(KernelHarness.settings(1 << 30), 200L * LARGE);
    torn.open(1);
    torn.open(2);
    int engine = torn.register("engine", 1, large(0, 1, -1, LARGE)).instance();
    int wide = torn.register("wide", 2, large(0, 1, -1, 2 * LARGE)).instance();
    for (long name = 1; name <= 200; name++) {
      torn.store(1, engine, name);
    }
    for (long name = 1; name <= 200; name += 2) {
      torn.lease(1, engine, name);
    }
    torn.publish(2, wide, PageKey.NONE, 9);
    assertEquals(1, torn.only(Command.Answer.class).detail());
    assertEquals(64L * LARGE, torn.counter(KernelCounter.EVICTED_BYTES));
    assertEquals(1, torn.counter(KernelCounter.ALLOCATION_FAILURES));
    assertEquals(136, torn.kernel.status().residentPages());
  }
}
