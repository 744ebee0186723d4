package io.orbitkv.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.orbitkv.api.page.PageKey;
import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.api.policy.TierKind;
import io.orbitkv.api.query.QueryKind;
import io.orbitkv.kernel.policy.PageIds;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A policy is asked which pages stay in host memory after a demand had them read. */
class PromotionTest {
  private static final int POOL_PAGES = 6;

  private final TieredKernel kernel =
      new TieredKernel(
          TieredKernel.settings(100), POOL_PAGES * TieredKernel.PAGE, 1, TieredKernel.DENSE);
  private final Asking asking = new Asking(kernel.kernel, PolicySlot.ADMISSION_PROMOTE);

  private static long id(long name) {
    PageKey key = KernelHarness.key(name);
    return PageIds.of(key.high(), key.low());
  }

  private long read(long... names) {
    kernel.have(names);
    long query = kernel.demand(names);
    kernel.arrive(names);
    kernel.assertReady(query, names.length);
    return query;
  }

  private boolean resident(long name) {
    long discovery = kernel.kernel.operation();
    kernel.lose(name);
    kernel.kernel.step(
        kernel.question(
            TieredKernel.SCHEDULER, discovery, 1, QueryKind.DISCOVER, "d" + name, name));
    return kernel.kernel.only(Command.Candidates.class).positions().length == 1;
  }

  @Test
  void pagesThatWereRead_areAskedFor() {
    kernel.publish(1);
    kernel.have(2, 3);
    long query = kernel.demand(1, 2, 3);
    kernel.arrive(2, 3);
    kernel.assertReady(query, 3);
    Command.AskAdmission question = asking.admission();
    assertEquals(PolicySlot.ADMISSION_PROMOTE, question.slot());
    assertEquals(id(2), question.chain().id());
    assertEquals(id(1), question.chain().parent());
    assertEquals(2, question.chain().pages());
    assertEquals(2 * TieredKernel.PAGE, question.chain().bytes());
    assertEquals(TierKind.SSD, question.chain().tier());
    asking.admit(question);
    assertTrue(kernel.kernel.commands.isEmpty());
  }

  @Test
  void hitInMemory_isNotAskedFor() {
    kernel.publish(1);
    kernel.assertReady(kernel.demand(1), 1);
    assertFalse(asking.asked());
  }

  @Test
  void speculation_isAskedForWhenItIsClaimed() {
    kernel.have(1);
    long preparation = kernel.prepare(1);
    kernel.arrive(1);
    assertFalse(asking.asked());
    kernel.claim(preparation);
    assertTrue(asking.asked());
  }

  @Test
  void droppedPages_areEvictedFirst() {
    long query = read(1, 2);
    Command.AskAdmission question = asking.admission();
    asking.drop(question);
    assertEquals(2, kernel.count(KernelCounter.READ_PAGES_NOT_PROMOTED));
    kernel.cancel(query);
    kernel.publish(11, 12, 13, 14);
    kernel.publish(21, 22);
    assertFalse(resident(1));
    assertFalse(resident(2));
    assertTrue(resident(11));
  }

  @Test
  void droppedAfterTheLeaseEnded_areEvictedFirst() {
    kernel.publish(11, 12, 13, 14);
    long query = read(1, 2);
    Command.AskAdmission question = asking.admission();
    kernel.cancel(query);
    asking.drop(question);
    kernel.publish(21, 22);
    assertFalse(resident(1));
    assertTrue(resident(11));
  }

  @Test
  void admittedPages_areOrdinaryOnes() {
    kernel.publish(11, 12, 13, 14);
    long query = read(1, 2);
    asking.admit(asking.admission());
    kernel.cancel(query);
    kernel.publish(21, 22);
    assertTrue(resident(1));
    assertFalse(resident(14));
  }

  @Test
  void droppedPagesThatAreUsedAgain_areOrdinaryOnes() {
    kernel.publish(11, 12, 13, 14);
    long query = read(1, 2);
    asking.drop(asking.admission());
    long again = kernel.demand(1, 2);
    kernel.assertReady(again, 2);
    kernel.cancel(query);
    kernel.cancel(again);
    kernel.publish(21, 22);
    assertTrue(resident(1));
    assertFalse(resident(14));
  }

  @Test
  void laterPages_areTreatedAsDroppedUntilTheirNextRead() {
    long query = read(1);
    asking.later(asking.admission(), Duration.ZERO);
    assertEquals(1, kernel.count(KernelCounter.ADMISSIONS_PUT_OFF));
    assertEquals(1, kernel.count(KernelCounter.READ_PAGES_NOT_PROMOTED));
    kernel.cancel(query);
    kernel.evict();
    read(1);
    assertTrue(asking.asked());
  }

  @Test
  void adviceAfterThePagesLeft_changesNothing() {
    long query = read(1);
    Command.AskAdmission question = asking.admission();
    kernel.cancel(query);
    kernel.evict();
    asking.drop(question);
    assertEquals(0, kernel.count(KernelCounter.READ_PAGES_NOT_PROMOTED));
    kernel.assertDrained();
  }
}
