package io.orbitkv.ssd.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.backing.BackingStatus;
import io.orbitkv.ssd.device.Transfer;
import org.junit.jupiter.api.Test;

/** A sync holds up the reads of the device: what nobody waits for shares one. */
class SyncsTest {
  private static final int CAPACITY = 4 << 20;
  private static final int PAYLOAD = 5000;

  private final StoreDriver driver = StoreDriver.open(new MemoryFile(CAPACITY));
  private long next;
  private int syncs;
  private int jumps;
  private long recordEnd;

  @Test
  void footer_ofAFullSegment_waitsForASyncThatSomebodyElseNeeds() {
    open();
    fillSegment();
    assertThat(syncs).as("the header of the next segment").isEqualTo(1);
    driver.store.flush(1);
    settleAndCount();
    assertThat(driver.flushes).containsEntry(1L, BackingStatus.DONE);
    assertThat(syncs).as("the footer's own goes on waiting").isEqualTo(2);
  }

  @Test
  void footer_thatNobodyElseHelps_goesAloneAfterASecond() {
    open();
    fillSegment();
    syncs = 0;
    for (long second = 1; second <= 3; second++) {
      driver.store.tick(second * Transfers.PATIENCE_NANOS);
      settleAndCount();
    }
    assertThat(syncs).as("for data, footer, superblock").isBetween(1, 3);
    assertThat(driver.killAndOpen().store.usage().start().walkedSegments()).isEqualTo(1);
  }

  @Test
  void writesThatWaitForASegment_waitForNobodysPatience() {
    for (int i = 0; i < 2000; i++) {
      driver.submitWrite(driver.filled(StoreDriver.key(next++), PAYLOAD));
      settleAndCount();
    }
    assertThat(driver.writes.values()).hasSize(2000).containsOnly(BackingStatus.DONE);
    assertThat(syncs).isPositive();
  }

  @Test
  void close_withARequestThatWaits_leavesAFooter() {
    open();
    fillSegment();
    StoreDriver again = driver.closeAndOpen();
    assertThat(again.store.usage().start().walkedSegments()).isZero();
    assertThat(again.findable).hasSize((int) next);
  }

  /** The first segments are made ready: somebody waits for that. */
  private void open() {
    driver.submitWrite(driver.filled(StoreDriver.key(next++), PAYLOAD));
    settleAndCount();
    driver.settle();
    syncs = 0;
  }

  /** Writes up to the first record of another segment. */
  private void fillSegment() {
    jumps = 0;
    while (jumps == 0) {
      driver.submitWrite(driver.filled(StoreDriver.key(next++), PAYLOAD));
      settleAndCount();
    }
  }

  private void settleAndCount() {
    while (!driver.queue.isEmpty() || !driver.checks.isEmpty()) {
      if (driver.queue.isEmpty()) {
        driver.check(0);
      } else {
        Transfer first = driver.queue.getFirst();
        syncs += first.kind() == Transfer.Kind.SYNC ? 1 : 0;
        if (first.spans().size() > 1) {
          // Records follow one another, but for the first of a segment.
          jumps += recordEnd != 0 && first.offset() != recordEnd ? 1 : 0;
          recordEnd = first.offset() + first.bytes();
        }
        driver.carryOut(first);
      }
    }
  }
}
