package io.orbitkv.ssd.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orbitkv.api.page.Namespace;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** The small parts: codecs, namespaces, queue, budget, health, settings. */
class PartsTest {
  private static final int BLOCK = 4096;
  private static final Identity STORE = new Identity(11, 12);

  private final MemorySegment memory = Arena.ofAuto().allocate(4 * BLOCK, BLOCK);

  @Test
  void superblock_comesBackAsItWasWritten() {
    Superblock superblock =
        new Superblock(STORE, 1, 3, BLOCK, 1L << 40, 1 << 20, 9, -1, true, 77, 5, 6, 7, -8);
    superblock.encode(memory, BLOCK);
    assertThat(Superblock.decode(memory, BLOCK)).isEqualTo(superblock);
    for (int at = 0; at < Superblock.BYTES; at++) {
      memory.set(java.lang.foreign.ValueLayout.JAVA_BYTE, BLOCK + at, (byte) 0x5A);
      assertThat(Superblock.decode(memory, BLOCK)).as("byte %d", at).isNull();
      superblock.encode(memory, BLOCK);
    }
  }

  @Test
  void segmentHeader_isThatOfItsSegmentAndStoreOnly() {
    SegmentHeader header = new SegmentHeader(3, 40, 50);
    header.encode(memory, 0, STORE, BLOCK);
    assertThat(SegmentHeader.decode(memory, 0, STORE, 3, BLOCK)).isEqualTo(header);
    assertThat(SegmentHeader.decode(memory, 0, STORE, 4, BLOCK)).isNull();
    assertThat(SegmentHeader.decode(memory, 0, new Identity(11, 13), 3, BLOCK)).isNull();
  }

  @Test
  void footer_isThatOfItsPassOnly() {
    SegmentHeader header = new SegmentHeader(3, 40, 50);
    memory.fill((byte) 1);
    Footer.close(memory, 0, 10, STORE, header, BLOCK);
    assertThat(Footer.records(memory, BLOCK, STORE, header, BLOCK)).isEqualTo(10);
    assertThat(Footer.isWhole(memory, 0, BLOCK, BLOCK)).isTrue();
    assertThat(Footer.records(memory, BLOCK, STORE, new SegmentHeader(3, 41, 50), BLOCK))
        .isEqualTo(-1);
    memory.set(Blocks.INT, 100, 7);
    assertThat(Footer.isWhole(memory, 0, BLOCK, BLOCK)).isFalse();
  }

  @Test
  void footer_ofManyRecords_takesWholeBlocks() {
    assertThat(Footer.blocks(0, BLOCK)).isEqualTo(1);
    assertThat(Footer.blocks(1, BLOCK)).isEqualTo(2);
    assertThat(Footer.blocks(BLOCK / Footer.ENTRY_BYTES, BLOCK)).isEqualTo(2);
    assertThat(Footer.blocks(BLOCK / Footer.ENTRY_BYTES + 1, BLOCK)).isEqualTo(3);
  }

  @Test
  void namespaces_areNumberedAnewOnceNoPageNamesThem() {
    Namespaces namespaces = new Namespaces();
    Namespace first = new Namespace("0123456789abcdef".repeat(4));
    Namespace second = new Namespace("ff".repeat(32));
    Namespace scope = new Namespace("a5".repeat(32));
    int number = namespaces.intern(first, scope);
    namespaces.retain(number);
    namespaces.put(number, memory, 0);
    assertThat(memory.get(java.lang.foreign.ValueLayout.JAVA_BYTE, 1)).isEqualTo((byte) 0x23);
    assertThat(namespaces.intern(memory, 0)).isEqualTo(number);
    assertThat(namespaces.is(number, memory, 0)).isTrue();
    assertThat(namespaces.find(second)).isEqualTo(Namespaces.NONE);
    namespaces.release(number);
    assertThat(namespaces.find(first)).isEqualTo(Namespaces.NONE);
    assertThat(namespaces.intern(second, scope)).isEqualTo(number);
    assertThat(namespaces.get(number)).isEqualTo(second);
    int again = namespaces.intern(memory, 0);
    assertThat(namespaces.get(again)).isEqualTo(first);
    assertThat(namespaces.scope(again)).isEqualTo(scope);
  }

  @Test
  void longQueue_growsAroundItsEnd() {
    LongQueue queue = new LongQueue();
    long next = 0;
    long first = 0;
    for (int round = 0; round < 50; round++) {
      for (int i = 0; i < 37; i++) {
        queue.add(next++);
      }
      queue.drop(20);
      first += 20;
      for (int i = 0; i < queue.size(); i++) {
        assertThat(queue.get(i)).isEqualTo(first + i);
      }
    }
  }

  @Test
  void writeBudget_fillsEvenlyUpToADay() {
    long hour = 3600L * 1_000_000_000;
    WriteBudget budget = new WriteBudget(24_000, 0);
    budget.spend(24_000);
    assertThat(budget.allows(1)).isFalse();
    for (int i = 1; i <= 3600; i++) {
      budget.tick(i * (hour / 3600));
    }
    assertThat(budget.left()).isBetween(999L, 1000L);
    budget.tick(1000 * hour);
    assertThat(budget.left()).isEqualTo(24_000);
    budget.restore(Long.MAX_VALUE);
    assertThat(budget.left()).isEqualTo(24_000);
    assertThat(new WriteBudget(0, 0).allows(Long.MAX_VALUE)).isTrue();
  }

  @Test
  void health_afterReadOnlyErrors_stopsAtOnce() {
    Health health = new Health(new Counters(), 0);
    health.failed(30);
    assertThat(health.takesPages()).isFalse();
    assertThat(health.degraded()).contains("[30]");
    assertThat(health.wantsProbe()).isFalse();
    health.tick(Health.PROBE_NANOS);
    assertThat(health.wantsProbe()).isTrue();
    assertThat(health.wantsProbe()).isFalse();
    health.recovered();
    assertThat(health.takesPages()).isTrue();
  }

  @Test
  void health_afterASuccess_countsFromTheStart() {
    Health health = new Health(new Counters(), 0);
    for (int i = 0; i < 100; i++) {
      for (int k = 1; k < Health.MOST_ERRORS_IN_A_ROW; k++) {
        health.failed(5);
      }
      health.succeeded();
    }
    assertThat(health.takesPages()).isTrue();
    health.degrade("the file was replaced");
    health.recovered();
    assertThat(health.takesPages()).isFalse();
    assertThat(health.isFailing()).isFalse();
    assertThat(health.degraded()).isEqualTo("the file was replaced");
  }

  @Test
  void settings_outOfTheirRange_areRefusedByName() {
    assertThatThrownBy(() -> new StoreSettings(2, 2, 1, 0, 1, 0, 0, 1, false))
        .hasMessageContaining("shard [2]");
    assertThatThrownBy(() -> new StoreSettings(0, 1, 1, 0, 0, 0, 0, 1, false))
        .hasMessageContaining("reserve segments [0]");
  }

  @Test
  void layout_ofALargeStore_hasSegmentsOfTheUsualSize() {
    Layout layout = Layout.of(512L << 30, 0, BLOCK, 2);
    assertThat(layout.segmentBytes()).isEqualTo(256L << 20);
    assertThat(layout.segments()).isEqualTo(2047);
    assertThat(layout.killHalfBytes()).isEqualTo(16L << 20);
    assertThat(layout.segment(layout.segments() - 1) + layout.segmentBytes())
        .isLessThanOrEqualTo(512L << 30);
  }

  @Test
  void layout_withTooFewSegments_saysWhatItNeeds() {
    assertThatThrownBy(() -> Layout.of(1L << 30, 256L << 20, BLOCK, 2))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("needs [5]");
  }

  @Test
  void completion_ofATransferThatIsNotUnderWay_isABug() {
    StoreDriver driver = StoreDriver.open(new MemoryFile(1 << 20));
    driver.write(1, 5000);
    driver.submitRead(driver.blank(StoreDriver.key(1), 5000), false);
    var transfer = driver.queue.getFirst();
    driver.settle();
    assertThatThrownBy(() -> driver.store.completed(transfer, 0))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> driver.store.checked(1234, true))
        .isInstanceOf(IllegalStateException.class);
  }
}
