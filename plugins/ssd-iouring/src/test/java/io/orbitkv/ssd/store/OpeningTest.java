package io.orbitkv.ssd.store;

import static io.orbitkv.ssd.store.StoreDriver.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class OpeningTest {
  private static final int CAPACITY = 1 << 20;
  private static final int SECOND = 64 << 10;

  private final MemoryFile file = new MemoryFile(CAPACITY);

  private static StoreSettings settings(long capacity, long segment, boolean format) {
    return new StoreSettings(0, 1, capacity, segment, 1, 25, 0, 16, format);
  }

  private static StoreDriver open(MemoryFile file, boolean format) {
    return StoreDriver.open(file, settings(CAPACITY, 0, format));
  }

  /** A stopped store with one page. */
  private MemoryFile stored() {
    StoreDriver driver = open(file, false);
    driver.write(1, 5000);
    driver.store.close();
    return file;
  }

  @Test
  void open_ofAnEmptyFile_makesAStore() {
    StoreDriver driver = open(file, false);
    assertThat(driver.store.usage().start().formatted()).isTrue();
    assertThat(driver.findable).isEmpty();
    driver.store.close();
    assertThat(open(file, false).store.usage().start().formatted()).isFalse();
  }

  @Test
  void firstWrite_afterASuperblockCouldNotBeRead_marksTheStoreAsWritten() {
    MemoryFile stopped = stored();
    for (int slot : new int[] {0, SECOND}) {
      MemoryFile copy = stopped.copy();
      copy.failReadsFrom = slot;
      copy.failReadsTo = slot + 4096L;
      StoreDriver driver = open(copy, false);
      driver.evict(key(1));
      copy.failReadsTo = 0;

      // Whichever was not read, none is left that says that the store was stopped cleanly.
      StoreDriver again = open(copy, false);
      assertThat(again.store.usage().start().clean()).isFalse();
      assertThat(again.findable).isEmpty();
    }
  }

  @Test
  void open_ofAForeignFile_isRefusedAndChangesNothing() {
    Arrays.fill(file.bytes, 0, 100, (byte) 'x');
    byte[] before = file.bytes.clone();
    assertThatThrownBy(() -> open(file, false))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("not a store")
        .hasMessageContaining("format: true");
    assertThat(file.bytes).isEqualTo(before);
    assertThat(open(file, true).store.usage().start().formatted()).isTrue();
  }

  @Test
  void open_ofAForeignFileThatIsTooShort_isCalledForeign() {
    for (int bytes : new int[] {4096, CAPACITY / 2}) {
      MemoryFile shorter = new MemoryFile(bytes);
      Arrays.fill(shorter.bytes, (byte) 'x');
      byte[] before = shorter.bytes.clone();
      assertThatThrownBy(() -> open(shorter, false)).hasMessageContaining("not a store");
      assertThatThrownBy(() -> open(shorter, true)).hasMessageContaining("remove it");
      assertThat(shorter.bytes).isEqualTo(before);
    }
  }

  @Test
  void open_ofAnEmptyFileThatIsTooShort_saysWhatToDo() {
    assertThatThrownBy(() -> open(new MemoryFile(CAPACITY / 2), false))
        .hasMessageContaining("fewer than the capacity")
        .hasMessageContaining("remove it");
  }

  @Test
  void open_ofAStoreThatWasTruncated_saysSo() {
    MemoryFile shorter = new MemoryFile(CAPACITY / 2);
    System.arraycopy(stored().bytes, 0, shorter.bytes, 0, CAPACITY / 2);
    assertThatThrownBy(() -> open(shorter, false)).hasMessageContaining("it was truncated");
  }

  @Test
  void open_ofAFileWithForeignContentsElsewhere_isRefused() {
    file.bytes[Math.toIntExact(Layout.of(CAPACITY, 0, 4096, 1).segment(0))] = 1;
    assertThatThrownBy(() -> open(file, false)).hasMessageContaining("not empty");
  }

  @Test
  void open_ofAnotherVersion_isRefusedByName() {
    stored();
    for (int slot : new int[] {0, SECOND}) {
      withVersion(slot, 7);
    }
    assertThatThrownBy(() -> open(file, false))
        .hasMessageContaining("format version [7]")
        .hasMessageContaining("reads version [1]");
    assertThat(open(file, true).findable).isEmpty();
  }

  @Test
  void open_ofAStoreThatAnotherVersionBeganToWrite_isRefused() {
    stored();
    withVersion(SECOND, 2);
    assertThatThrownBy(() -> open(file, false)).hasMessageContaining("format version [2]");
  }

  private void withVersion(int slot, int version) {
    var memory = java.lang.foreign.MemorySegment.ofArray(file.bytes).asSlice(slot, 512);
    memory.set(Blocks.INT, 8, version);
    java.util.zip.CRC32C crc = new java.util.zip.CRC32C();
    crc.update(file.bytes, slot, 508);
    memory.set(Blocks.INT, 508, (int) crc.getValue());
  }

  @Test
  void open_withOneDamagedSuperblock_usesTheOther() {
    for (int slot : new int[] {0, SECOND}) {
      MemoryFile damaged = stored().copy();
      damaged.bytes[slot + 60]++;
      assertThat(open(damaged, false).findable).containsOnlyKeys(key(1));
    }
  }

  @Test
  void open_withBothSuperblocksDamaged_isRefused() {
    stored();
    file.bytes[60]++;
    file.bytes[SECOND + 60]++;
    assertThatThrownBy(() -> open(file, false))
        .hasMessageContaining("both superblocks")
        .hasMessageContaining("format: true");
    assertThat(open(file, true).findable).isEmpty();
  }

  @Test
  void open_withAnUnreadableSuperblock_usesTheOther() {
    stored();
    file.failReadsFrom = 0;
    file.failReadsTo = 4096;
    assertThat(open(file, false).findable).containsOnlyKeys(key(1));
  }

  @Test
  void open_withNoSuperblockThatCanBeRead_failsAndSaysNothingOfTheFile() {
    stored();
    file.failReadsFrom = 0;
    file.failReadsTo = 128 << 10;
    assertThatThrownBy(() -> StoreDriver.tryOpen(file, settings(CAPACITY, 0, false)))
        .isInstanceOf(IOException.class);
  }

  @Test
  void open_afterAFormatThatWasCutOff_makesAStore() {
    open(file, false).store.close();
    // As if only the first sector of the first superblock had begun to be written.
    MemoryFile cut = new MemoryFile(CAPACITY);
    System.arraycopy(file.bytes, 0, cut.bytes, 0, 100);
    assertThat(open(cut, false).store.usage().start().formatted()).isTrue();
  }

  @Test
  void open_withFormat_keepsAUsableStore() {
    stored();
    assertThat(open(file, true).findable).containsOnlyKeys(key(1));
  }

  @Test
  void open_withAnotherCapacity_isRefusedOrStartsEmptyWhenAllowed() {
    stored();
    StoreSettings smaller = settings(CAPACITY - (64 << 10), 0, false);
    assertThatThrownBy(() -> StoreDriver.open(file, smaller))
        .hasMessageContaining("capacity of [" + CAPACITY + "]")
        .hasMessageContaining("[" + smaller.capacityBytes() + "]");
    StoreDriver emptied = StoreDriver.open(file, settings(CAPACITY - (64 << 10), 0, true));
    assertThat(emptied.findable).isEmpty();
    emptied.write(2, 5000);
    emptied.store.close();
    // The store before it does not come back.
    assertThat(StoreDriver.open(file, smaller).findable).containsOnlyKeys(key(2));
  }

  @Test
  void open_withAnotherSegmentSize_isRefused() {
    stored();
    assertThatThrownBy(() -> StoreDriver.open(file, settings(CAPACITY, 64 << 10, false)))
        .hasMessageContaining("segments of");
  }

  @Test
  void open_onLargerDeviceBlocks_isRefused() {
    stored();
    MemoryFile coarse = new MemoryFile(CAPACITY, 16 << 10);
    System.arraycopy(file.bytes, 0, coarse.bytes, 0, CAPACITY);
    assertThatThrownBy(() -> open(coarse, false)).hasMessageContaining("blocks of [4096]");
  }

  @Test
  void open_ofATruncatedFile_isRefused() {
    assertThatThrownBy(() -> StoreDriver.open(file, settings(2L * CAPACITY, 0, false)))
        .hasMessageContaining("[" + CAPACITY + "] bytes");
  }

  @Test
  void open_ofATinyFile_saysWhatItNeeds() {
    MemoryFile tiny = new MemoryFile(300 << 10);
    assertThatThrownBy(() -> StoreDriver.open(tiny, settings(300 << 10, 0, false)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("capacity");
  }

  @Test
  void open_onADeviceThatDoesNotWrite_throws() {
    StoreDriver driver = open(file, false);
    driver.write(1, 5000);
    file.failWrites = true;
    assertThatThrownBy(() -> StoreDriver.tryOpen(file, settings(CAPACITY, 0, false)))
        .isInstanceOf(IOException.class);
    file.failWrites = false;
    assertThat(open(file, false).findable).containsOnlyKeys(key(1));
  }
}
