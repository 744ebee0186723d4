package io.orbitkv.ssd.store;

import static io.orbitkv.ssd.store.StoreDriver.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.backing.BackingStatus;
import io.orbitkv.api.backing.StoredKey;
import io.orbitkv.api.page.Namespace;
import io.orbitkv.api.page.PageKey;
import io.orbitkv.ssd.device.Transfer;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RecoveryTest {
  private static final int CAPACITY = 4 << 20;
  private static final int BLOCK = 4096;
  private static final Layout LAYOUT = Layout.of(CAPACITY, 0, BLOCK, 1);

  private final MemoryFile file = new MemoryFile(CAPACITY);
  private final StoreDriver driver = StoreDriver.open(file);

  private static StoreSettings shard(int shard, int shards) {
    return new StoreSettings(shard, shards, CAPACITY, 0, 1, 25, 0, 64, false);
  }

  private long offsetOf(long page, long... payloads) {
    driver.submitRead(driver.blank(key(page), payloads), false);
    long offset = driver.queued(Transfer.Kind.READ).getFirst().offset();
    driver.settle();
    return offset;
  }

  @Test
  void open_afterAKill_findsPagesOfEveryShapeAndIdentity() {
    long[][] shapes = {{0}, {1}, {4095, 4097}, {0, 0, 1}, {12_288}, {70_000, 1}};
    Namespace other = new Namespace("b7".repeat(32));
    Set<StoredKey> keys = new HashSet<>();
    for (int i = 0; i < 24; i++) {
      StoredKey key =
          new StoredKey(
              i % 2 == 0 ? StoreDriver.NAMESPACE : other, i % 3, new PageKey(i / 12, i + 1));
      driver.submitWrite(driver.filled(key, shapes[i % shapes.length]));
      keys.add(key);
    }
    driver.settle();
    for (StoreDriver again : new StoreDriver[] {driver.killAndOpen(), driver.closeAndOpen()}) {
      assertThat(again.findable.keySet()).isEqualTo(keys);
      assertThat(again.findable).isEqualTo(driver.findable);
      int i = 0;
      for (; i < 24; i++) {
        StoredKey key =
            new StoredKey(
                i % 2 == 0 ? StoreDriver.NAMESPACE : other, i % 3, new PageKey(i / 12, i + 1));
        assertThat(again.read(key, shapes[i % shapes.length])).isEqualTo(BackingStatus.DONE);
      }
    }
  }

  @Test
  void open_withATornFooter_walksTheSegmentAndMendsIt() {
    for (int i = 0; i < 60; i++) {
      driver.write(i, 5000);
    }
    driver.store.close();
    int torn = 0;
    for (int segment = 0; segment < LAYOUT.segments(); segment++) {
      int last = (int) (LAYOUT.segment(segment) + LAYOUT.segmentBytes()) - BLOCK;
      if (file.bytes[last] != 0 && torn++ % 2 == 0) {
        file.bytes[last - BLOCK + 100] ^= 1; // An entry, not the closing block.
      } else if (file.bytes[last] != 0) {
        file.bytes[last + 40] ^= 1;
      }
    }
    assertThat(torn).isPositive();
    StoreDriver again = StoreDriver.open(file);
    assertThat(again.findable).isEqualTo(driver.findable);
    assertThat(again.store.usage().start().walkedSegments()).isEqualTo(torn);
    StoreDriver third = StoreDriver.open(file.copy());
    assertThat(third.findable).isEqualTo(driver.findable);
    assertThat(third.store.usage().start().walkedSegments()).isZero();
  }

  @Test
  void payload_thatIsAValidRecordOfTheStore_isNeverTakenForOne() {
    driver.write(1, 5000);
    int record = (int) offsetOf(1, 5000);
    // What the next record of the segment will hold: the store's own bytes, as they lie there.
    byte[] valid = java.util.Arrays.copyOfRange(file.bytes, record, record + 3 * BLOCK);
    StoreDriver.Page hostile = driver.blank(key(2), 3L * BLOCK);
    MemorySegment.copy(valid, 0, hostile.memory(), ValueLayout.JAVA_BYTE, 0, valid.length);
    driver.submitWrite(hostile);
    driver.settle();
    driver.write(3, 5000);
    driver.evict(key(1));
    StoreDriver again = driver.killAndOpen();
    assertThat(again.findable).containsOnlyKeys(key(2), key(3));

    // Nor when the walk could stumble over it: the header before it is torn.
    int header = (int) offsetOf(3, 5000);
    file.bytes[header + 9] ^= 1;
    StoreDriver walked = driver.killAndOpen();
    assertThat(walked.findable).containsOnlyKeys(key(2));
    assertThat(walked.store.usage().start().damagedRecords()).isEqualTo(1);
  }

  @Test
  void recordOfAnEarlierPass_isNotFound() {
    // Pages of one size, so that records of each pass lie where those of the former did.
    int next = 0;
    while (driver.store.usage().lostPages() == 0) {
      driver.write(next++, 5000);
    }
    for (int i = 0; i < 5; i++) {
      driver.write(next++, 5000);
    }
    StoreDriver again = driver.killAndOpen();
    assertThat(again.findable.keySet()).isEqualTo(driver.findable.keySet());
    for (StoredKey key : again.findable.keySet().stream().toList()) {
      assertThat(again.read(key, 5000)).isEqualTo(BackingStatus.DONE);
    }
  }

  @Test
  void passes_areNeverUsedTwice_evenWhenHeadersAreLost() {
    Set<Long> passes = new HashSet<>();
    StoreDriver present = driver;
    for (int round = 0; round < 6; round++) {
      present.write(round, 5000);
      Set<Long> now = passesOf(present.file);
      now.removeAll(passes);
      assertThat(now).as("new passes in round %d", round).isNotEmpty();
      passes.addAll(now);
      MemoryFile lost = present.file.copy();
      for (int segment = 0; segment < LAYOUT.segments(); segment++) {
        if (round % 2 == 0) {
          lost.bytes[(int) LAYOUT.segment(segment)] ^= 1;
        }
      }
      present = StoreDriver.open(lost);
    }
  }

  private static Set<Long> passesOf(MemoryFile file) {
    Set<Long> passes = new HashSet<>();
    MemorySegment bytes = MemorySegment.ofArray(file.bytes);
    for (int segment = 0; segment < LAYOUT.segments(); segment++) {
      long pass = bytes.get(Blocks.LONG, LAYOUT.segment(segment) + 32);
      if (pass != 0) {
        assertThat(passes.add(pass)).as("pass [%d] is used once", pass).isTrue();
      }
    }
    return passes;
  }

  @Test
  void open_withAnotherNumberOfShards_dropsWhatBelongsElsewhereForGood() {
    for (int i = 0; i < 60; i++) {
      driver.write(i, 5000);
    }
    driver.store.close();
    StoreDriver half = StoreDriver.open(file, shard(1, 2));
    assertThat(half.findable.keySet()).allMatch(key -> Store.shardOf(key, 2) == 1);
    assertThat(half.findable.size()).isBetween(15, 45);
    assertThat(half.store.usage().start().foreignPages()).isEqualTo(60 - half.findable.size());
    // Their pages may have been evicted from where they belong meanwhile: none comes back.
    StoreDriver again = StoreDriver.open(file.copy(), shard(0, 1));
    assertThat(again.findable.keySet()).isEqualTo(half.findable.keySet());
  }

  @Test
  void open_withDuplicates_takesTheNewestAndForgetsTheOlderForGood() {
    driver.write(1, 5000);
    int first = (int) offsetOf(1, 5000);
    byte[] old = java.util.Arrays.copyOfRange(file.bytes, first, first + BLOCK);
    driver.evict(key(1));
    driver.write(1, 5000);
    driver.store.close();
    // As if the eviction had been lost by the device, with the log.
    java.util.Arrays.fill(file.bytes, 128 << 10, 256 << 10, (byte) 0);
    java.util.Arrays.fill(file.bytes, 0, 512, (byte) 0);
    forgetFooters();
    assertThat(file.bytes[first]).isEqualTo(old[0]);
    StoreDriver again = StoreDriver.open(file);
    assertThat(again.findable).hasSizeLessThanOrEqualTo(1);
    if (!again.findable.isEmpty()) {
      assertThat(again.store.usage().start().olderCopies()).isEqualTo(1);
      assertThat(again.read(1, 5000)).isEqualTo(BackingStatus.DONE);
      again.evict(key(1));
      assertThat(again.killAndOpen().findable).isEmpty();
    }
  }

  private void forgetFooters() {
    for (int segment = 0; segment < LAYOUT.segments(); segment++) {
      int last = (int) (LAYOUT.segment(segment) + LAYOUT.segmentBytes()) - BLOCK;
      java.util.Arrays.fill(file.bytes, last, last + BLOCK, (byte) 0);
    }
  }

  @Test
  void open_withAnUnreadableStretch_keepsWhatIsBeforeIt() {
    for (int i = 0; i < 10; i++) {
      driver.write(i, 5000);
    }
    MemoryFile failing = file.copy();
    failing.failReadsFrom = offsetOf(6, 5000);
    failing.failReadsTo = failing.failReadsFrom + BLOCK;
    StoreDriver again = StoreDriver.open(failing);
    assertThat(again.findable).hasSize(6);
    assertThat(again.store.usage().start().damagedRecords()).isEqualTo(1);
    failing.failReadsFrom = Long.MAX_VALUE;
    assertThat(again.killAndOpen().findable).isEqualTo(again.findable);
  }

  @Test
  void open_withAnUnreadableFirstRecord_doesNotFindTheRestLater() {
    driver.write(1, 5000);
    driver.write(2, 5000);
    MemoryFile failing = file.copy();
    failing.failReadsFrom = offsetOf(1, 5000);
    failing.failReadsTo = failing.failReadsFrom + BLOCK;
    StoreDriver again = StoreDriver.open(failing);
    assertThat(again.findable).isEmpty();
    assertThat(again.store.usage().start().damagedSegments()).isEqualTo(1);
    again.evict(key(2));
    failing.failReadsFrom = Long.MAX_VALUE;
    assertThat(again.killAndOpen().findable).isEmpty();
  }

  @Test
  void open_interruptedAtAnyWrite_findsTheSameTheNextTime() {
    for (int i = 0; i < 60; i++) {
      driver.write(i, 5000);
    }
    driver.evict(key(3));
    forgetFooters();
    for (int writes = 0; writes < 20; writes++) {
      MemoryFile copy = file.copy();
      copy.failWritesAfter = writes;
      try {
        StoreDriver.tryOpen(copy, StoreDriver.settings(CAPACITY));
      } catch (java.io.IOException interrupted) {
        copy.failWritesAfter = Long.MAX_VALUE;
        copy.failWrites = false;
      }
      assertThat(StoreDriver.open(copy.copy()).findable)
          .as("after [%d] writes", writes)
          .isEqualTo(driver.store.usage().pages() == 59 ? expected() : Set.of());
    }
  }

  private java.util.Map<StoredKey, Long> expected() {
    java.util.Map<StoredKey, Long> expected = new java.util.HashMap<>(driver.findable);
    expected.remove(key(3));
    return expected;
  }

  @Test
  void store_onBlocksOf16KiB_takesPagesOfWholeBlocksAndRefusesOthers() {
    MemoryFile coarse = new MemoryFile(8 << 20, 16 << 10);
    StoreDriver present = StoreDriver.open(coarse);
    StoredKey key = key(1);
    MemorySegment memory = present.arena.allocate(32 << 10, 4096);
    var runs =
        java.util.List.of(
            new io.orbitkv.api.backing.HostRun(memory.address(), 16_000, 16 << 10),
            new io.orbitkv.api.backing.HostRun(memory.address() + (16 << 10), 5, 16 << 10));
    long ticket = present.submitWrite(new StoreDriver.Page(key, runs, memory));
    present.settle();
    assertThat(present.writes).containsEntry(ticket, BackingStatus.DONE);
    assertThat(present.write(2, 5000)).isEqualTo(BackingStatus.FULL);
    StoreDriver again = present.killAndOpen();
    assertThat(again.findable).containsOnlyKeys(key);
    memory.fill((byte) 1);
    long read = again.submitRead(new StoreDriver.Page(key, runs, memory), false);
    again.carryOut(again.queue.getFirst());
    again.check(0);
    assertThat(again.reads).containsEntry(read, BackingStatus.DONE);
  }
}
