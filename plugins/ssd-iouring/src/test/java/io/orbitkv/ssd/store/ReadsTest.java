package io.orbitkv.ssd.store;

import static io.orbitkv.ssd.store.StoreDriver.key;
import static io.orbitkv.ssd.store.StoreDriver.status;
import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.backing.BackingRead;
import io.orbitkv.api.backing.BackingStatus;
import io.orbitkv.ssd.device.StoreDevice;
import io.orbitkv.ssd.device.Transfer;
import org.junit.jupiter.api.Test;

class ReadsTest {
  private static final int CAPACITY = 1 << 20;
  private static final int EIO = 5;

  private final StoreDriver driver = StoreDriver.open(new MemoryFile(CAPACITY));

  private long begin(long page) {
    return driver.submitRead(driver.blank(key(page), 5000), false);
  }

  private Transfer reading() {
    return driver.queued(Transfer.Kind.READ).getFirst();
  }

  @Test
  void read_ofADamagedHeader_isCorruptAndThePageIsGoneForGood() {
    driver.write(1, 5000);
    driver.file.bytes[(int) offsetOf(1) + 300]++;
    assertThat(driver.read(1, 5000)).isEqualTo(BackingStatus.CORRUPT);
    assertGone();
  }

  @Test
  void read_ofADamagedPayload_isCorruptAndThePageIsGoneForGood() {
    driver.write(1, 5000);
    driver.file.bytes[(int) offsetOf(1) + 4096 + 4999]++;
    assertThat(driver.read(1, 5000)).isEqualTo(BackingStatus.CORRUPT);
    assertGone();
  }

  private void assertGone() {
    assertThat(driver.lost).containsExactly(key(1));
    assertThat(driver.store.usage().corruptPages()).isEqualTo(1);
    assertThat(driver.read(1, 5000)).isEqualTo(BackingStatus.ABSENT);
    assertThat(driver.killAndOpen().findable).isEmpty();
    // It may be written again.
    assertThat(driver.write(1, 5000)).isEqualTo(BackingStatus.DONE);
    assertThat(driver.read(1, 5000)).isEqualTo(BackingStatus.DONE);
  }

  private long offsetOf(long page) {
    int ticket = driver.queue.size();
    assertThat(ticket).isZero();
    begin(page);
    long offset = reading().offset();
    driver.settle();
    return offset;
  }

  @Test
  void write_withAWrongChecksum_isNeverServed() {
    StoreDriver.Page page = driver.filled(key(1), 5000);
    driver.submitWrite(page, StoreDriver.checksum(page.runs()) + 1);
    driver.settle();
    assertThat(driver.read(1, 5000)).isEqualTo(BackingStatus.CORRUPT);
    assertThat(driver.findable).isEmpty();
  }

  @Test
  void read_thatTheDeviceFailsTwice_losesThePage() {
    driver.write(1, 5000);
    for (int i = 1; i <= 2; i++) {
      assertThat(driver.findable).containsOnlyKeys(key(1));
      long ticket = begin(1);
      driver.end(reading(), EIO);
      driver.settle();
      assertThat(status(driver.reads, ticket)).isEqualTo(BackingStatus.DEVICE_ERROR);
    }
    assertThat(driver.findable).isEmpty();
    assertThat(driver.store.usage().readErrors()).isEqualTo(2);
    assertThat(driver.store.usage().unreadablePages()).isEqualTo(1);
    assertThat(driver.killAndOpen().findable).isEmpty();
  }

  @Test
  void read_thatEndsEarly_isShortAndTheStoreWritesNoMore() {
    driver.write(1, 5000);
    driver.write(2, 5000);
    long ticket = begin(1);
    driver.end(reading(), StoreDevice.SHORT);
    driver.settle();
    assertThat(status(driver.reads, ticket)).isEqualTo(BackingStatus.SHORT);
    assertThat(driver.findable).containsOnlyKeys(key(2));
    assertThat(driver.store.usage().degraded()).contains("truncated");
    assertThat(driver.write(3, 5000)).isEqualTo(BackingStatus.DEVICE_ERROR);
    assertThat(driver.read(2, 5000)).isEqualTo(BackingStatus.DONE);
  }

  @Test
  void read_ofWhichTheDeviceLostTrack_isUnknownAndItsSegmentIsNeverOverwritten() {
    driver.write(1, 5000);
    long ticket = begin(1);
    driver.end(reading(), StoreDevice.UNKNOWN);
    assertThat(status(driver.reads, ticket)).isEqualTo(BackingStatus.UNKNOWN);
    for (int i = 2; i < 400; i++) {
      driver.write(i, 5000);
    }
    assertThat(driver.read(1, 5000)).isEqualTo(BackingStatus.DONE);
  }

  @Test
  void read_ofAPageThatIsEvictedMeanwhile_isAbsent() {
    driver.write(1, 5000);
    long first = begin(1);
    long second = begin(1);
    driver.carryOut(reading());
    driver.store.evict(99, key(1));
    driver.settle();
    assertThat(status(driver.reads, first)).isEqualTo(BackingStatus.ABSENT);
    assertThat(status(driver.reads, second)).isEqualTo(BackingStatus.ABSENT);
    assertThat(driver.evictions).contains(99L);
  }

  @Test
  void overwrite_ofASegment_waitsForItsReaders() {
    driver.write(1, 5000);
    long ticket = begin(1);
    Transfer slow = reading();
    for (int i = 2; i < 400; i++) {
      driver.submitWrite(driver.filled(key(i), 5000));
      while (driver.queue.size() > 1) {
        driver.carryOut(driver.queue.stream().filter(each -> each != slow).findFirst().get());
      }
    }
    assertThat(driver.findable).containsKey(key(1));
    driver.settle();
    assertThat(status(driver.reads, ticket)).isEqualTo(BackingStatus.DONE);
  }

  @Test
  void read_beyondTheMostInFlight_isNotTaken() {
    driver.write(1, 5000);
    for (int i = 0; i < 64; i++) {
      begin(1);
    }
    StoreDriver.Page page = driver.blank(key(1), 5000);
    assertThat(driver.store.read(new BackingRead(1000, page.key(), page.runs(), false))).isFalse();
    driver.carryOut(reading());
    driver.check(0);
    assertThat(driver.store.read(new BackingRead(1001, page.key(), page.runs(), false))).isTrue();
    driver.settle();
    assertThat(driver.store.usage().reads()).isZero();
  }

  @Test
  void raise_ofASpeculativeRead_reachesTheDeviceOnce() {
    driver.write(1, 5000);
    long ticket = driver.submitRead(driver.blank(key(1), 5000), true);
    Transfer transfer = driver.queued(Transfer.Kind.SPECULATIVE_READ).getFirst();
    driver.store.raise(ticket);
    driver.store.raise(ticket);
    driver.store.raise(12_345);
    assertThat(driver.raised).containsExactly(transfer);
    driver.settle();
    driver.store.raise(ticket);
    assertThat(driver.raised).hasSize(1);
  }

  @Test
  void read_ofAPageThatIsBeingWritten_isAbsent() {
    driver.submitWrite(driver.filled(key(1), 5000));
    assertThat(driver.read(1, 5000)).isEqualTo(BackingStatus.ABSENT);
    assertThat(driver.read(1, 5000)).isEqualTo(BackingStatus.DONE);
  }
}
