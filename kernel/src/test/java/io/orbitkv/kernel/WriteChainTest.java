package io.orbitkv.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.orbitkv.api.backing.BackingStatus;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is dropped when not everything can be written: chain by chain, tails first. */
class WriteChainTest {
  private TieredKernel kernel = with(10);

  /** One page in flight, and so many that wait. */
  private static TieredKernel with(long queuePages) {
    return with(queuePages, WriteAdmission.ALL);
  }

  private static TieredKernel with(long queuePages, WriteAdmission admission) {
    return new TieredKernel(
        TieredKernel.settings(100)
            .with(
                ReadSettings.DEFAULT,
                new WriteSettings(queuePages * TieredKernel.PAGE, TieredKernel.PAGE, 1 << 10)),
        (1L << 10) * TieredKernel.PAGE,
        1,
        TieredKernel.DENSE,
        admission);
  }

  /** Writes everything that waits; returns what was written, in order. */
  private List<Long> written() {
    List<Long> written = new ArrayList<>();
    while (!kernel.writing().isEmpty()) {
      long next = kernel.writing().getFirst();
      written.add(next);
      kernel.written(next, BackingStatus.DONE);
    }
    kernel.assertSums();
    return written;
  }

  @Test
  void fullQueue_dropsTheTailOfTheLongestChain() {
    kernel = with(5);
    kernel.publish(99);
    kernel.publish(1, 2, 3, 4, 5);
    kernel.publish(11);
    assertEquals(1, kernel.count(KernelCounter.WRITE_QUEUE_FULL_PAGES));
    kernel.publish(21, 22);
    assertEquals(3, kernel.count(KernelCounter.WRITE_QUEUE_FULL_PAGES));
    assertEquals(List.of(99L, 1L, 2L, 11L, 21L, 22L), written());
  }

  @Test
  void fullQueue_refusesTheTailOfTheLongestChainWhenItComes() {
    kernel = with(3);
    kernel.publish(99);
    kernel.publish(11);
    kernel.publish(1, 2, 3, 4);
    assertEquals(2, kernel.count(KernelCounter.WRITE_QUEUE_FULL_PAGES));
    assertEquals(List.of(99L, 11L, 1L, 2L), written());
  }

  @Test
  void chainOfSeveralPublishes_isOneChain() {
    kernel = with(4);
    kernel.publish(99);
    kernel.publish(1, 2);
    kernel.publish(11, 12);
    kernel.publishAfter(2, 3);
    // Three pages of the first chain would be the most.
    assertEquals(1, kernel.count(KernelCounter.WRITE_QUEUE_FULL_PAGES));
    assertEquals(List.of(99L, 1L, 2L, 11L, 12L), written());
  }

  @Test
  void branch_isDroppedBeforeThePageThatItFollows() {
    kernel = with(5);
    kernel.publish(99);
    kernel.publish(1, 2, 3);
    kernel.publishAfter(1, 12, 13);
    kernel.publish(21);
    // 13 came last of the two deepest ones.
    assertEquals(1, kernel.count(KernelCounter.WRITE_QUEUE_FULL_PAGES));
    kernel.publish(22);
    assertEquals(List.of(99L, 1L, 2L, 12L, 21L, 22L), written());
  }

  @Test
  void pageBehindADroppedOne_isRefusedWhileThereIsNoRoomForBoth() {
    kernel = with(2);
    kernel.publish(99);
    kernel.publish(1, 2, 3);
    kernel.publishAfter(3, 4);
    assertEquals(1, kernel.count(KernelCounter.WRITE_QUEUE_FULL_PAGES));
    assertEquals(1, kernel.count(KernelCounter.WRITE_BEHIND_GAP_PAGES));
    assertEquals(List.of(99L, 1L, 2L), written());
  }

  @Test
  void pageBehindADroppedOne_bringsItAlongOnceThereIsRoom() {
    kernel = with(2);
    kernel.publish(99);
    kernel.publish(1, 2, 3);
    assertEquals(List.of(99L, 1L, 2L), written());
    kernel.publish(98);
    kernel.publishAfter(3, 4);
    assertEquals(0, kernel.count(KernelCounter.WRITE_BEHIND_GAP_PAGES));
    assertEquals(List.of(98L, 3L, 4L), written());
    assertEquals(6 + 1, kernel.count(KernelCounter.WRITE_OFFERED_PAGES));
  }

  @Test
  void pageBehindOneThatNobodyHas_isRefused() {
    kernel.publishAfter(7, 8, 9);
    assertEquals(2, kernel.count(KernelCounter.WRITE_BEHIND_GAP_PAGES));
    assertTrue(kernel.writing().isEmpty());
    kernel.publish(7);
    kernel.publishAfter(9, 10);
    // 8 was published without 7 in memory: nothing says that it follows it.
    assertEquals(3, kernel.count(KernelCounter.WRITE_BEHIND_GAP_PAGES));
    assertEquals(List.of(7L), written());
  }

  @Test
  void pageBehindALostOne_isWrittenWithIt() {
    kernel.publish(1, 2);
    assertEquals(List.of(1L, 2L), written());
    kernel.lose(1);
    kernel.lose(2);
    kernel.publishAfter(2, 3);
    assertEquals(List.of(1L, 2L, 3L), written());
  }

  @Test
  void pageBehindAStoredOneThatIsNotInMemory_isWritten() {
    kernel.have(1);
    kernel.publishAfter(1, 2);
    assertEquals(List.of(2L), written());
  }

  @Test
  void pageBehindOneThatFailed_isWrittenWithIt() {
    kernel.publish(1);
    kernel.written(1, BackingStatus.DEVICE_ERROR);
    kernel.publishAfter(1, 2);
    assertEquals(List.of(1L, 2L), written());
  }

  @Test
  void checkpoint_needsNoCheckpointBeforeIt() {
    kernel =
        new TieredKernel(
            TieredKernel.settings(100).with(ReadSettings.DEFAULT, WriteSettings.DEFAULT),
            1L << 30,
            1,
            TieredKernel.HYBRID);
    kernel.publishOf(1, 50);
    kernel.written(50, BackingStatus.DEVICE_ERROR);
    kernel.publishOf(1, 50, 51);
    assertEquals(List.of(51L), kernel.writing());
  }

  // ---- what may be written ---------------------------------------------------------------------

  @Test
  void allowance_isMetChainByChain() {
    kernel.publish(99);
    kernel.publish(1, 2, 3);
    kernel.publish(11);
    kernel.kernel.step(new Event.WriteAllowance(4 * TieredKernel.PAGE));
    assertEquals(1, kernel.count(KernelCounter.WRITE_BUDGET_PAGES));
    kernel.publish(21);
    assertEquals(2, kernel.count(KernelCounter.WRITE_BUDGET_PAGES));
    assertEquals(0, kernel.count(KernelCounter.WRITE_QUEUE_FULL_PAGES));
    assertEquals(List.of(99L, 1L, 11L, 21L), written());
    kernel.publish(31);
    assertEquals(3, kernel.count(KernelCounter.WRITE_BUDGET_PAGES));
    kernel.kernel.step(new Event.WriteAllowance(Long.MAX_VALUE));
    kernel.publishAfter(31, 32);
    assertEquals(List.of(31L, 32L), written());
  }

  @Test
  void withoutAllowance_nothingIsDroppedInVain() {
    kernel.publish(99);
    kernel.publish(1, 2);
    kernel.kernel.step(new Event.WriteAllowance(0));
    assertEquals(2, kernel.count(KernelCounter.WRITE_BUDGET_PAGES));
    kernel.publish(11, 12);
    assertEquals(4, kernel.count(KernelCounter.WRITE_BUDGET_PAGES));
    assertEquals(List.of(99L), written());
  }

  @Test
  void policy_isAskedForEachPieceOfAChain() {
    List<WriteAdmission.Piece> asked = new ArrayList<>();
    kernel =
        with(
            10,
            piece -> {
              asked.add(piece);
              return piece.first().key().low() < 10;
            });
    kernel.publish(99, 100);
    assertEquals(2, kernel.count(KernelCounter.WRITE_REFUSED_PAGES));
    kernel.publish(1, 2, 3);
    kernel.publishAfter(3, 4);
    assertEquals(List.of(1L, 2L, 3L, 4L), written());
    assertEquals(3, asked.size());
    assertEquals(2, asked.getLast().depth() - asked.get(1).depth() - 1);
    assertEquals(TieredKernel.PAGE, asked.getLast().pageBytes());
  }
}
