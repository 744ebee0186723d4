package io.orbitkv.ssd.store;

import static io.orbitkv.ssd.store.StoreDriver.key;
import static io.orbitkv.ssd.store.StoreDriver.status;
import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.backing.BackingStatus;
import io.orbitkv.api.backing.BackingWrite;
import io.orbitkv.ssd.device.StoreDevice;
import io.orbitkv.ssd.device.Transfer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class WritesTest {
  private static final int CAPACITY = 4 << 20;
  private static final int EIO = 5;

  private final StoreDriver driver = StoreDriver.open(new MemoryFile(CAPACITY));

  private long begin(long page) {
    return driver.submitWrite(driver.filled(key(page), 5000));
  }

  /** The store has a prepared segment and is quiet. */
  private void warmUp() {
    driver.write(1000, 5000);
    driver.settle();
  }

  private List<Transfer> records() {
    return driver.queued(Transfer.Kind.WRITE);
  }

  @Test
  void write_isReportedOnlyAfterAllBeforeItInItsSegment() {
    warmUp();
    long first = begin(1);
    long second = begin(2);
    driver.carryOut(records().get(1));
    assertThat(driver.writes).doesNotContainKeys(first, second);
    assertThat(driver.findable).doesNotContainKey(key(2));
    driver.carryOut(records().get(0));
    assertThat(status(driver.writes, first)).isEqualTo(BackingStatus.DONE);
    assertThat(status(driver.writes, second)).isEqualTo(BackingStatus.DONE);
  }

  @Test
  void write_ofNeighbours_isAdjacentOnTheDevice() {
    warmUp();
    begin(1);
    begin(2);
    begin(3);
    List<Transfer> records = records();
    for (int i = 1; i < records.size(); i++) {
      assertThat(records.get(i).offset())
          .isEqualTo(records.get(i - 1).offset() + records.get(i - 1).bytes());
    }
    driver.settle();
  }

  @Test
  void write_thatFails_failsAllBehindItAndTheSegmentIsSealedAtWhatHeld() {
    warmUp();
    List<Long> tickets = new ArrayList<>();
    for (int i = 1; i <= 3; i++) {
      tickets.add(begin(i));
    }
    List<Transfer> records = records();
    driver.carryOut(records.get(0));
    driver.carryOut(records.get(2));
    driver.carryOut(records.get(1)); // Its bytes are there, which nobody knows:
    assertThat(status(driver.writes, tickets.get(2))).isEqualTo(BackingStatus.DONE);
    tickets.clear();
    for (int i = 4; i <= 6; i++) {
      tickets.add(begin(i));
    }
    records = records();
    driver.carryOut(records.get(0));
    driver.carryOut(records.get(2));
    driver.end(records.get(1), EIO);
    driver.settle();
    assertThat(status(driver.writes, tickets.get(0))).isEqualTo(BackingStatus.DONE);
    assertThat(status(driver.writes, tickets.get(1))).isEqualTo(BackingStatus.DEVICE_ERROR);
    assertThat(status(driver.writes, tickets.get(2))).isEqualTo(BackingStatus.DEVICE_ERROR);
    assertThat(driver.findable).containsKey(key(4)).doesNotContainKeys(key(5), key(6));
    assertThat(driver.killAndOpen().findable.keySet()).isEqualTo(driver.findable.keySet());
    // They may be offered again.
    assertThat(driver.write(6, 5000)).isEqualTo(BackingStatus.DONE);
    assertThat(driver.killAndOpen().read(6, 5000)).isEqualTo(BackingStatus.DONE);
  }

  @Test
  void evict_ofAPageWhoseWriteFailedThoughItsBytesAreThere_isDurable() {
    warmUp();
    long ticket = begin(1);
    Transfer record = records().getFirst();
    // The device writes it and then says that it did not.
    long at = record.offset();
    for (var span : record.spans()) {
      try {
        driver.file.write(at, span.address(), span.bytes());
      } catch (java.io.IOException failed) {
        throw new AssertionError(failed);
      }
      at += span.bytes();
    }
    driver.end(record, EIO);
    driver.evict(key(1));
    assertThat(status(driver.writes, ticket)).isEqualTo(BackingStatus.DEVICE_ERROR);
    assertThat(driver.killAndOpen().findable).doesNotContainKey(key(1));
  }

  @Test
  void write_ofAStoredPage_isDoneWithoutWriting() {
    driver.write(1, 5000);
    long before = driver.store.usage().deviceWrittenBytes();
    assertThat(driver.write(1, 5000)).isEqualTo(BackingStatus.DONE);
    assertThat(driver.store.usage().deviceWrittenBytes()).isEqualTo(before);
    assertThat(driver.store.usage().duplicateWrites()).isEqualTo(1);
  }

  @Test
  void write_ofAPageThatIsBeingWritten_endsAsThatDoes() {
    warmUp();
    long first = begin(1);
    long second = begin(1);
    assertThat(records()).hasSize(1);
    driver.end(records().getFirst(), EIO);
    assertThat(status(driver.writes, first)).isEqualTo(BackingStatus.DEVICE_ERROR);
    assertThat(status(driver.writes, second)).isEqualTo(BackingStatus.DEVICE_ERROR);
    long third = begin(1);
    long fourth = begin(1);
    driver.settle();
    assertThat(status(driver.writes, third)).isEqualTo(BackingStatus.DONE);
    assertThat(status(driver.writes, fourth)).isEqualTo(BackingStatus.DONE);
    assertThat(driver.store.usage().writes()).isZero();
  }

  @Test
  void evict_ofAPageThatIsBeingWritten_endsTheWriteAsAbsentAndIsDurable() {
    warmUp();
    long ticket = begin(1);
    driver.store.evict(99, key(1));
    // Another write of the page may follow at once.
    long again = begin(1);
    driver.settle();
    assertThat(status(driver.writes, ticket)).isEqualTo(BackingStatus.ABSENT);
    assertThat(status(driver.writes, again)).isEqualTo(BackingStatus.DONE);
    assertThat(driver.evictions).contains(99L);
    assertThat(driver.findable).containsKey(key(1));
    driver.evict(key(1));
    assertThat(driver.killAndOpen().findable).doesNotContainKey(key(1));
  }

  @Test
  void evict_ofAPageThatWaitsForASegment_endsItsWriteAtOnce() {
    long ticket = begin(1); // Nothing is prepared yet.
    driver.store.evict(99, key(1));
    assertThat(status(driver.writes, ticket)).isEqualTo(BackingStatus.ABSENT);
    driver.settle();
    assertThat(driver.killAndOpen().findable).isEmpty();
  }

  @Test
  void write_ofAPageThatNoSegmentHolds_isRefusedAsFull() {
    long segment = driver.store.usage().segmentBytes();
    assertThat(driver.write(1, segment - 3 * 4096)).isEqualTo(BackingStatus.FULL);
    assertThat(driver.write(2, segment - 4 * 4096)).isEqualTo(BackingStatus.DONE);
    assertThat(driver.read(2, segment - 4 * 4096)).isEqualTo(BackingStatus.DONE);
    assertThat(driver.store.usage().refusedFull()).isEqualTo(1);
  }

  @Test
  void write_ofOnePageASegment_comesRound() {
    long payload = driver.store.usage().segmentBytes() - 4 * 4096;
    for (int i = 0; i < 60; i++) {
      assertThat(driver.write(i, payload)).isEqualTo(BackingStatus.DONE);
      assertThat(driver.read(i, payload)).isEqualTo(BackingStatus.DONE);
    }
    assertThat(driver.killAndOpen().findable.keySet()).containsAll(driver.findable.keySet());
  }

  @Test
  void write_beyondTheMostInFlight_isNotTaken() {
    for (int i = 0; i < 64; i++) {
      begin(i);
    }
    StoreDriver.Page page = driver.filled(key(64), 5000);
    BackingWrite write = new BackingWrite(1000, page.key(), page.runs(), 1);
    assertThat(driver.store.write(write)).isFalse();
    driver.settle();
    assertThat(driver.store.write(write)).isTrue();
    driver.settle();
  }

  @Test
  void writes_thatFailInARow_degradeTheStoreUntilAProbeSucceeds() {
    warmUp();
    driver.file.failWrites = true;
    int refused = 0;
    for (int i = 1; i < 30; i++) {
      assertThat(driver.write(i, 5000)).isEqualTo(BackingStatus.DEVICE_ERROR);
      refused += driver.queue.isEmpty() ? 1 : 0;
    }
    assertThat(refused).isPositive();
    assertThat(driver.store.usage().degraded()).contains("error [5]");
    assertThat(driver.store.usage().refusedDegraded()).isPositive();
    assertThat(driver.read(1000, 5000)).isEqualTo(BackingStatus.DONE);
    driver.store.tick(Health.PROBE_NANOS + 1);
    driver.settle();
    assertThat(driver.write(1, 5000)).isEqualTo(BackingStatus.DEVICE_ERROR);
    driver.file.failWrites = false;
    driver.store.tick(2 * Health.PROBE_NANOS + 2);
    driver.settle();
    assertThat(driver.store.usage().degraded()).isEmpty();
    assertThat(driver.write(1, 5000)).isEqualTo(BackingStatus.DONE);
  }

  @Test
  void write_ofWhichTheDeviceLostTrack_isUnknownAndItsSegmentIsNotUsedAgain() {
    warmUp();
    long first = begin(1);
    long second = begin(2);
    Transfer lost = records().getFirst();
    driver.end(lost, StoreDevice.UNKNOWN);
    driver.settle();
    assertThat(status(driver.writes, first)).isEqualTo(BackingStatus.UNKNOWN);
    assertThat(status(driver.writes, second)).isEqualTo(BackingStatus.DEVICE_ERROR);
    assertThat(driver.store.usage().degraded()).contains("lost track");
    assertThat(driver.read(1000, 5000)).isEqualTo(BackingStatus.DONE);
    assertThat(driver.write(3, 5000)).isEqualTo(BackingStatus.DEVICE_ERROR);
  }

  @Test
  void flush_withWritesUnderWay_coversWhatWasReported() {
    warmUp();
    begin(1);
    driver.store.flush(77);
    Transfer sync = driver.queued(Transfer.Kind.SYNC).getFirst();
    driver.store.flush(78);
    assertThat(driver.queued(Transfer.Kind.SYNC)).hasSize(1);
    driver.carryOut(sync);
    assertThat(status(driver.flushes, 77)).isEqualTo(BackingStatus.DONE);
    // The second one was asked for while the first was under way: it needs a sync of its own.
    assertThat(driver.flushes).doesNotContainKey(78L);
    driver.settle();
    assertThat(status(driver.flushes, 78)).isEqualTo(BackingStatus.DONE);
  }

  @Test
  void flush_thatTheDeviceFails_saysSo() {
    warmUp();
    driver.store.flush(77);
    driver.end(driver.queued(Transfer.Kind.SYNC).getFirst(), EIO);
    assertThat(status(driver.flushes, 77)).isEqualTo(BackingStatus.DEVICE_ERROR);
  }

  @Test
  void firstWrite_afterACleanStop_followsADurableMark() {
    driver.write(1, 5000);
    StoreDriver again = driver.closeAndOpen();
    again.submitWrite(again.filled(key(2), 5000));
    List<String> order = new ArrayList<>();
    while (!again.queue.isEmpty()) {
      Transfer transfer = again.queue.getFirst();
      boolean superblock = transfer.offset() <= Layout.SUPERBLOCK_DISTANCE_BYTES;
      order.add(
          transfer.kind() == Transfer.Kind.SYNC
              ? "sync"
              : superblock ? "superblock" : transfer.spans().size() == 1 ? "header" : "record");
      again.carryOut(transfer);
    }
    List<String> without = order.stream().distinct().toList();
    assertThat(order.subList(0, 2)).containsExactly("superblock", "sync");
    assertThat(without).containsExactly("superblock", "sync", "header", "record");
    assertThat(order.subList(order.indexOf("header"), order.indexOf("record"))).contains("sync");
  }

  @Test
  void write_overTheDaysBudget_isRefusedAndTheBudgetComesBackAfterARestart() {
    long perDay = 400 << 10;
    StoreSettings settings = new StoreSettings(0, 1, CAPACITY, 0, 1, 25, perDay, 64, false);
    StoreDriver limited = StoreDriver.open(new MemoryFile(CAPACITY), settings);
    int done = 0;
    for (int i = 0; i < 60; i++) {
      done += limited.write(i, 5000) == BackingStatus.DONE ? 1 : 0;
    }
    assertThat(done).isBetween(20, 33);
    assertThat(limited.store.usage().refusedBudget()).isEqualTo(60 - done);
    assertThat(limited.store.usage().deviceWrittenBytes()).isLessThan(perDay + (64 << 10));
    limited.store.close();
    StoreDriver again = StoreDriver.open(limited.file, settings);
    assertThat(again.store.usage().budgetBytes()).isLessThan(20_000);
    assertThat(again.write(100, 5000)).isEqualTo(BackingStatus.FULL);
    again.store.tick(6L * 60 * 60 * 1_000_000_000);
    assertThat(again.write(100, 5000)).isEqualTo(BackingStatus.DONE);
    assertThat(again.store.usage().lifetimeWrittenBytes())
        .isGreaterThan(limited.store.usage().deviceWrittenBytes());
  }

  @Test
  void writeBudget_afterAKill_isNotLargerThanItWas() {
    StoreSettings settings = new StoreSettings(0, 1, CAPACITY, 0, 1, 25, 4 << 20, 64, false);
    StoreDriver limited = StoreDriver.open(new MemoryFile(CAPACITY), settings);
    for (int i = 0; i < 20; i++) {
      limited.write(i, 5000);
    }
    long left = limited.store.usage().budgetBytes();
    StoreDriver again = StoreDriver.open(limited.file.copy(), settings);
    // But for footer and superblock of the segment that was open.
    assertThat(again.store.usage().budgetBytes()).isLessThanOrEqualTo(left + (16 << 10));
  }
}
