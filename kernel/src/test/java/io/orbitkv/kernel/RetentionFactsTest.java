package io.orbitkv.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.orbitkv.api.page.PageKey;
import io.orbitkv.api.policy.Facts;
import io.orbitkv.api.policy.PageBatch.Origin;
import io.orbitkv.api.policy.PageEvents;
import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.kernel.policy.PageColumns;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a retention policy is told of each page of a long query, which is gathered in blocks. */
class RetentionFactsTest {
  private static final int PAGES = 1200;
  private static final int BATCH = 1024;

  private final KernelHarness kernel =
      new KernelHarness(KernelHarness.settings(1 << 30), PAGES * KernelHarness.RUN_BYTES);
  private final RetentionHand policy = new RetentionHand(PolicySlot.RETENTION_DRAM, kernel);
  private int engine;

  @BeforeEach
  void register() {
    engine = kernel.instance("engine", 1);
    kernel.listener = policy;
  }

  private static long[] names(int from, int to) {
    return LongStream.rangeClosed(from, to).toArray();
  }

  /** One chain with the names 1, 2, 3, … */
  private void storeChain(int pages) {
    for (int from = 1; from <= pages; from += KernelHarness.DEVICE_PAGES) {
      kernel.nowNanos++;
      int to = Math.min(pages, from + KernelHarness.DEVICE_PAGES - 1);
      PageKey parent = from == 1 ? PageKey.NONE : KernelHarness.key(from - 1);
      long operation = kernel.publish(1, engine, parent, names(from, to));
      kernel.done(kernel.plan());
      kernel.commit(1, operation, true);
    }
  }

  private void use(int pages) {
    kernel.nowNanos++;
    Command.Answer offer = kernel.lease(1, engine, names(1, pages));
    assertEquals(pages, offer.hits());
    kernel.release(1, offer.lease());
  }

  /** What was told of uses since the last call, in order, as (columns, entry). */
  private List<Use> uses() {
    kernel.step(new Event.Tick());
    List<Use> uses = new ArrayList<>();
    for (PageColumns columns : policy.kept) {
      for (int i = 0; i < columns.size(); i++) {
        if (columns.kind(i) == PageEvents.Kind.USED) {
          uses.add(new Use(columns, i));
        }
      }
    }
    policy.kept.clear();
    return uses;
  }

  private record Use(PageColumns columns, int entry) {}

  @Test
  void usedChain_isToldPageByPageWithItsFacts() {
    policy.keeps = true;
    policy.serve();
    storeChain(100);
    use(100);
    use(99);
    List<Use> uses = uses();
    assertEquals(199, uses.size());
    for (int i = 0; i < uses.size(); i++) {
      PageColumns columns = uses.get(i).columns();
      int entry = uses.get(i).entry();
      long name = 1L + i % 100;
      assertEquals(name, policy.name(columns.id(entry)));
      assertEquals(name == 1 ? Facts.UNKNOWN : RetentionHand.id(name - 1), columns.parent(entry));
      assertEquals(name - 1, columns.depth(entry));
      assertEquals(name == 100 ? 0 : 1, columns.children(entry));
      assertEquals(KernelHarness.RUN_BYTES, columns.bytes(entry));
      assertEquals(i / 100 + 1, columns.uses(entry));
      assertEquals(Origin.PUBLISH, columns.origin(entry));
      assertEquals(columns.nanoTime(entry), columns.lastUseNanos(entry));
    }
  }

  @Test
  void queryOfMoreThanABatch_isToldInFullAndInOrder() {
    policy.serve();
    storeChain(PAGES);
    kernel.step(new Event.Tick());
    policy.keeps = true;
    policy.told.clear();
    use(PAGES);
    List<PageColumns> batches = List.copyOf(policy.kept);
    assertEquals(PAGES, uses().size());
    assertEquals(BATCH, batches.getFirst().size());
    for (int i = 0; i < PAGES; i++) {
      assertEquals("USED " + (i + 1), policy.told.get(i));
    }
    assertEquals(0, kernel.counter(KernelCounter.PAGE_EVENTS_DROPPED));
  }

  @Test
  void whatAPolicyMarkedInColumnsThatCameBack_isToldWithTheNextUse() {
    policy.serve();
    policy.keeps = true;
    storeChain(40);
    kernel.step(new Event.Tick());
    PageColumns inserted = policy.kept.remove();
    for (int i = 0; i < inserted.size(); i++) {
      inserted.setMark(i, 7);
    }
    inserted.recycle();
    use(40);
    List<Use> uses = uses();
    assertEquals(40, uses.size());
    for (Use use : uses) {
      assertEquals(7, use.columns().mark(use.entry()));
    }
  }

  @Test
  void policyThatGivesNothingBack_losesTheRestAndItIsCounted() {
    policy.serve();
    storeChain(PAGES);
    kernel.step(new Event.Tick());
    long before = kernel.counter(KernelCounter.PAGE_EVENTS_TOLD);
    policy.keeps = true;
    int rounds = 40;
    for (int round = 0; round < rounds; round++) {
      use(PAGES);
    }
    kernel.step(new Event.Tick());
    long told = kernel.counter(KernelCounter.PAGE_EVENTS_TOLD) - before;
    assertEquals((long) rounds * PAGES, told + kernel.counter(KernelCounter.PAGE_EVENTS_DROPPED));
    assertEquals(policy.kept.stream().mapToInt(PageColumns::size).sum(), told);
    assertTrue(kernel.counter(KernelCounter.PAGE_EVENTS_DROPPED) > 0, "nothing was dropped");
  }
}
