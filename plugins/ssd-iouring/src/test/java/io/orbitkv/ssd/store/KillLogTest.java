package io.orbitkv.ssd.store;

import static io.orbitkv.ssd.store.StoreDriver.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.ssd.device.Transfer;
import java.util.List;
import org.junit.jupiter.api.Test;

class KillLogTest {
  private static final int CAPACITY = 4 << 20;
  private static final int LOG = 128 << 10;
  private static final int HALF_BLOCKS = 16;
  private static final int BLOCK = 4096;

  private final StoreDriver driver = StoreDriver.open(new MemoryFile(CAPACITY));

  private void evictOneByOne(int count) {
    for (int i = 0; i < count; i++) {
      driver.write(i, 5000);
      driver.evict(key(i));
    }
  }

  private static int usedBlocks(MemoryFile file, int half) {
    int used = 0;
    for (int block = 0; block < HALF_BLOCKS; block++) {
      used += file.bytes[LOG + (half * HALF_BLOCKS + block) * BLOCK] == 0 ? 0 : 1;
    }
    return used;
  }

  private static void damage(MemoryFile file, int half, int block) {
    file.bytes[LOG + (half * HALF_BLOCKS + block) * BLOCK + 70] ^= 4;
  }

  @Test
  void evict_isReportedOnlyAfterItsSync() {
    driver.write(1, 5000);
    driver.store.evict(99, key(1));
    Transfer block = driver.queue.getFirst();
    driver.carryOut(block);
    assertThat(driver.evictions).isEmpty();
    assertThat(driver.queue.getFirst().kind()).isEqualTo(Transfer.Kind.SYNC);
    // One that comes now, of an unknown page, has to wait for what is under way.
    driver.store.evict(100, key(2));
    assertThat(driver.evictions).isEmpty();
    driver.settle();
    assertThat(driver.evictions).containsExactly(99L, 100L);
  }

  @Test
  void evictions_thatComeTogether_shareABlock() {
    for (int i = 0; i < 100; i++) {
      driver.write(i, 1);
    }
    int before = usedBlocks(driver.file, 0);
    for (int i = 0; i < 100; i++) {
      driver.store.evict(1000 + i, key(i));
    }
    driver.settle();
    assertThat(driver.evictions).hasSize(100);
    assertThat(usedBlocks(driver.file, 0) - before).isLessThanOrEqualTo(2);
    assertThat(driver.killAndOpen().findable).isEmpty();
  }

  @Test
  void evictions_thatFillAHalf_goOnInTheOther() {
    driver.write(1000, 5000);
    evictOneByOne(3 * HALF_BLOCKS);
    assertThat(usedBlocks(driver.file, 0)).isEqualTo(HALF_BLOCKS);
    assertThat(usedBlocks(driver.file, 1)).isEqualTo(HALF_BLOCKS);
    StoreDriver again = driver.killAndOpen();
    assertThat(again.findable).containsOnlyKeys(key(1000));
    again.evict(key(1000));
    assertThat(again.killAndOpen().findable).isEmpty();
    assertThat(again.closeAndOpen().findable).isEmpty();
  }

  @Test
  void killLog_withAHole_bringsNoPageBackAndSaysSo() {
    driver.write(1000, 5000);
    evictOneByOne(5);
    damage(driver.file, 0, 2);
    StoreDriver again = driver.killAndOpen();
    assertThat(again.findable).isEmpty();
    assertThat(again.store.usage().start().killLogPages()).isEqualTo(2);
    assertThat(again.store.usage().start().droppedPages()).isPositive();
    // It is a store like any other from here on.
    again.write(7, 5000);
    assertThat(again.killAndOpen().findable).containsOnlyKeys(key(7));
    assertThat(again.closeAndOpen().findable).containsOnlyKeys(key(7));
  }

  @Test
  void killLog_thatCannotBeRead_bringsNoPageBackAlthoughNoSuperblockTellsOfIt() {
    driver.write(1, 5000);
    driver.write(2, 5000);
    driver.evict(key(1));
    for (int half = 0; half < 2; half++) {
      MemoryFile copy = driver.file.copy();
      copy.failReadsFrom = LOG + (long) half * HALF_BLOCKS * BLOCK;
      copy.failReadsTo = copy.failReadsFrom + BLOCK;

      // What cannot be read may say that page 2 was evicted too.
      StoreDriver again = StoreDriver.open(copy);
      assertThat(again.findable).isEmpty();
      assertThat(again.store.usage().start().killLogPages()).isPositive();

      again.settle();
      copy.failReadsTo = 0;
      assertThat(again.killAndOpen().findable).isEmpty();
    }
  }

  @Test
  void killLog_thatCanBeReadTheSecondTime_losesNothing() {
    driver.write(1, 5000);
    driver.write(2, 5000);
    driver.evict(key(1));
    for (int half = 0; half < 2; half++) {
      MemoryFile copy = driver.file.copy();
      copy.failReadsFrom = LOG + (long) half * HALF_BLOCKS * BLOCK;
      copy.failReadsTo = copy.failReadsFrom + BLOCK;
      copy.failingReads = 1;

      StoreDriver again = StoreDriver.open(copy);
      assertThat(copy.failingReads).isZero();
      assertThat(again.findable).containsOnlyKeys(key(2));
      assertThat(again.store.usage().start().killLogPages()).isZero();
    }
  }

  @Test
  void killLog_thatLostItsLastBlockAfterACleanStop_hasAHole() {
    driver.write(1000, 5000);
    evictOneByOne(2);
    driver.store.close();
    damage(driver.file, 0, 1);
    assertThat(StoreDriver.open(driver.file).findable).isEmpty();
  }

  @Test
  void takeOver_thatIsCutOff_leavesTheFormerHalfInForce() {
    driver.write(1000, 5000);
    evictOneByOne(HALF_BLOCKS);
    driver.write(2000, 5000);
    driver.store.evict(99, key(2000));
    // The take-over into the other half: not a byte of it arrives.
    assertThat(driver.queue.getFirst().offset()).isEqualTo(LOG + HALF_BLOCKS * BLOCK);
    StoreDriver without = driver.killAndOpen();
    assertThat(without.findable).containsOnlyKeys(key(1000), key(2000));
    assertThat(without.store.usage().start().killLogPages()).isZero();
    // All of it arrives, but nobody was told.
    driver.carryOut(driver.queue.getFirst());
    StoreDriver with = driver.killAndOpen();
    assertThat(with.findable).containsOnlyKeys(key(1000));
  }

  @Test
  void evictions_ofMoreThanTheLogHolds_emptyWholeSegments() {
    int pages = 0;
    // One block of payload each: as many records as the store can have.
    for (int i = 0; i < 420; i++) {
      driver.write(i, 1);
      pages++;
    }
    for (int round = 0; round < 12; round++) {
      for (int i = 0; i < pages; i++) {
        driver.submitWriteIfAbsent(key(round * 1000L + i));
        if (i % 50 == 0) {
          driver.settle();
        }
      }
      driver.settle();
      driver.store.keep(5000 + round, StoreDriver.NAMESPACE, List.of());
      driver.settle();
      assertThat(driver.evictions).contains(5000L + round);
      assertThat(driver.findable).isEmpty();
      assertThat(driver.killAndOpen().findable).isEmpty();
    }
    driver.write(9999, 5000);
    assertThat(driver.killAndOpen().findable).containsOnlyKeys(key(9999));
  }

  @Test
  void evictions_thatTheDeviceRefuses_areReportedInTheEndAndCounted() {
    driver.write(1, 5000);
    driver.file.failWrites = true;
    driver.store.evict(99, key(1));
    driver.settle();
    assertThat(driver.evictions).isEmpty();
    assertThat(driver.findable).containsKey(key(1)); // The driver's own view; the store has none.
    assertThat(driver.read(1, 5000)).isEqualTo(io.orbitkv.api.backing.BackingStatus.ABSENT);
    for (int i = 1; i <= 5; i++) {
      driver.store.tick(i * (Health.PROBE_NANOS + 1));
      driver.settle();
    }
    assertThat(driver.evictions).containsExactly(99L);
    assertThat(driver.store.usage().uncertainEvictions()).isEqualTo(1);
    assertThat(driver.store.idle()).isTrue();
    // What comes later is written after all.
    driver.file.failWrites = false;
    driver.store.tick(10 * Health.PROBE_NANOS);
    driver.settle();
    assertThat(driver.killAndOpen().findable).isEmpty();
  }
}
