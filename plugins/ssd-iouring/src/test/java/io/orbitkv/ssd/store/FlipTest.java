package io.orbitkv.ssd.store;

import static io.orbitkv.ssd.store.StoreDriver.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.backing.BackingStatus;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Whatever byte of the file changes: misses and counters, never wrong bytes, no evicted page. */
class FlipTest {
  private static final int CAPACITY = 1 << 20;
  private static final int PAGES = 24;
  private static final long EVICTED = PAGES;

  private final MemoryFile stopped = stopped();
  private final MemoryFile killed = killed();

  private static StoreDriver written() {
    StoreDriver driver =
        StoreDriver.open(
            new MemoryFile(CAPACITY),
            new StoreSettings(0, 1, CAPACITY, 32 << 10, 1, 0, 0, 16, false));
    driver.write(EVICTED, payload(EVICTED));
    driver.evict(key(EVICTED));
    // A later batch, so that a hole before it shows even after a kill.
    driver.write(EVICTED + 1, payload(EVICTED + 1));
    driver.evict(key(EVICTED + 1));
    for (int i = 0; i < PAGES; i++) {
      assertThat(driver.write(i, payload(i))).isEqualTo(BackingStatus.DONE);
    }
    return driver;
  }

  private static long payload(long page) {
    return 2000 + page;
  }

  private static MemoryFile stopped() {
    StoreDriver driver = written();
    driver.store.close();
    return driver.file;
  }

  private static MemoryFile killed() {
    return written().file;
  }

  @Property(tries = 2000)
  void flippedBit_inAStoppedStore_makesMissesAtMost(
      @ForAll @IntRange(max = CAPACITY - 1) int at, @ForAll @IntRange(max = 7) int bit) {
    flip(stopped, true, at, bit);
  }

  @Property(tries = 2000)
  void flippedBit_inAKilledStore_makesMissesAtMost(
      @ForAll @IntRange(max = CAPACITY - 1) int at, @ForAll @IntRange(max = 7) int bit) {
    flip(killed, false, at, bit);
  }

  @Example
  void flippedBit_inEachUsedBlock_makesMissesAtMost() {
    for (MemoryFile file : new MemoryFile[] {stopped, killed}) {
      for (int block = 0; block < CAPACITY; block += 4096) {
        if (file.bytes[block] != 0) {
          for (int at = 0; at < 160; at += 4) {
            flip(file, file == stopped, block + at, at % 8);
          }
          flip(file, file == stopped, block + 4095, 7);
        }
      }
    }
  }

  private static void flip(MemoryFile file, boolean isStopped, int at, int bit) {
    MemoryFile flipped = file.copy();
    flipped.bytes[at] ^= (byte) (1 << bit);
    StoreDriver driver =
        StoreDriver.open(flipped, new StoreSettings(0, 1, CAPACITY, 32 << 10, 1, 0, 0, 16, false));
    int misses = 0;
    for (int i = 0; i < PAGES; i++) {
      // The driver compares the bytes of what is served.
      if (driver.read(i, payload(i)) != BackingStatus.DONE) {
        misses++;
      }
    }
    StoreUsage usage = driver.store.usage();
    StoreUsage.Start start = usage.start();
    if (misses > 0) {
      assertThat(
              usage.corruptPages()
                  + start.damagedSegments()
                  + start.damagedRecords()
                  + start.killLogPages())
          .as("counted, of [%d] misses after a flip at [%d]", misses, at)
          .isPositive();
    }
    if (isStopped || !isLastKillBlock(file, at)) {
      assertThat(driver.read(EVICTED, payload(EVICTED))).isEqualTo(BackingStatus.ABSENT);
      assertThat(driver.read(EVICTED + 1, payload(EVICTED + 1))).isEqualTo(BackingStatus.ABSENT);
    }
    driver.store.close();
  }

  /**
   * After a kill nothing but the block itself says that the last batch of the kill log was there:
   * the one place where damage brings a page back.
   */
  private static boolean isLastKillBlock(MemoryFile file, int at) {
    int block = at / 4096 * 4096;
    boolean isKillLog = block >= 128 << 10 && block < 256 << 10;
    return isKillLog && file.bytes[block] != 0 && file.bytes[block + 4096] == 0;
  }
}
