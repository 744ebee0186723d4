package io.orbitkv.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.backing.BackingRead;
import io.orbitkv.api.backing.BackingStatus;
import io.orbitkv.api.backing.BackingTier;
import io.orbitkv.api.backing.BackingWrite;
import io.orbitkv.api.backing.HostRun;
import io.orbitkv.api.backing.StoredKey;
import io.orbitkv.api.memory.HostChunk;
import io.orbitkv.api.page.Namespace;
import io.orbitkv.api.page.PageKey;
import io.orbitkv.api.plugin.PluginContext;
import io.orbitkv.testkit.pattern.PagePattern;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What every {@link BackingTier} must do. Extend it, say how a tier is made, and run it: each test
 * gets a store of its own.
 *
 * <p>The test thread plays the dispatcher and the boot thread. The tier works on memory of the kit:
 * start the tests with native access for the tier's module.
 */
public abstract class BackingTierContract {
  /** Capacity of the tier that {@link #create} makes, at least. */
  protected static final long CAPACITY_BYTES = 16L << 20;

  private static final long GRANULE = 4096;
  private static final long CHUNK_BYTES = 4L << 20;

  /** Payload of the two runs of a page. */
  private static final long[] PAYLOAD = {3 * GRANULE - 500, GRANULE};

  private static final long[] RUN = {3 * GRANULE, GRANULE};
  private static final Namespace NAMESPACE = new Namespace("5a".repeat(32));
  private static final byte GUARD = 0x5A;
  private static final long RETRY_NANOS = 200_000;

  private TestPluginContext context = new TestPluginContext("under-test");
  private RecordingBackingListener told = new RecordingBackingListener();
  private MemorySegment memory = MemorySegment.NULL;
  private List<HostChunk> chunks = List.of();
  private final List<BackingTier> open = new ArrayList<>();
  private long lastTicket;

  /** For subclasses. */
  protected BackingTierContract() {}

  /**
   * Makes the tier under test, over the store of the present test: a second call in one test opens
   * the same store again.
   *
   * @param capacityBytes of the store; a tier that needs more may take it
   * @param chunks where runs lie
   * @param context the scope
   */
  protected abstract BackingTier create(
      long capacityBytes, List<HostChunk> chunks, PluginContext context);

  /** Whether a store keeps its pages over a close. False unless overridden. */
  protected boolean isPersistent() {
    return false;
  }

  @BeforeEach
  final void openScope() {
    context = new TestPluginContext("under-test");
    told = new RecordingBackingListener();
    memory = Arena.ofAuto().allocate(CHUNK_BYTES, GRANULE).fill(GUARD);
    chunks = List.of(new HostChunk(0, memory.address(), CHUNK_BYTES, 0));
    lastTicket = 0;
  }

  @AfterEach
  final void closeTiersAndScope() {
    open.forEach(BackingTier::close);
    open.clear();
    assertThat(context.runningThreads()).as("threads after close").isEmpty();
    context.close();
  }

  /** A started tier. */
  protected final BackingTier started() {
    BackingTier tier = create(CAPACITY_BYTES, chunks, context);
    open.add(tier);
    tier.start(told);
    return tier;
  }

  private void close(BackingTier tier) {
    open.remove(tier);
    tier.close();
  }

  // ---- the contract --------------------------------------------------------------------------

  @Test
  void close_ofATierThatWasNotStarted_leavesNothing() {
    open.add(create(CAPACITY_BYTES, chunks, context));
    assertThat(told.threads()).isEmpty();
  }

  @Test
  void read_ofAWrittenPage_bringsItsBytesAndNothingBesides() {
    BackingTier tier = started();
    assertThat(write(tier, 1)).isEqualTo(BackingStatus.DONE);
    assertThat(told.findable()).containsEntry(key(1), payloadBytes());
    memory.fill(GUARD);

    assertThat(read(tier, 1, 8, false)).isEqualTo(BackingStatus.DONE);

    verify(1, 8);
    long from = offset(8);
    long to = from + RUN[0] + RUN[1];
    for (long at = 0; at < CHUNK_BYTES; at++) {
      if (at < from || at >= to) {
        assertThat(memory.get(ValueLayout.JAVA_BYTE, at)).as("byte %d", at).isEqualTo(GUARD);
      }
    }
  }

  @Test
  void read_ofAnUnknownPage_isAbsent() {
    BackingTier tier = started();
    assertThat(read(tier, 7, 0, false)).isEqualTo(BackingStatus.ABSENT);
    // Group and namespace are parts of the identity.
    assertThat(write(tier, 1)).isEqualTo(BackingStatus.DONE);
    StoredKey otherGroup = new StoredKey(NAMESPACE, 1, key(1).key());
    StoredKey otherNamespace = new StoredKey(new Namespace("a5".repeat(32)), 0, key(1).key());
    for (StoredKey other : List.of(otherGroup, otherNamespace)) {
      long ticket = ++lastTicket;
      submitReads(tier, List.of(new BackingRead(ticket, other, runs(0), false)));
      assertThat(told.awaitRead(ticket)).isEqualTo(BackingStatus.ABSENT);
    }
  }

  @Test
  void operations_ofManyPages_areEachReportedOnceOnThreadsOfTheTier() {
    BackingTier tier = started();
    int pages = 100;
    List<BackingWrite> writes = new ArrayList<>();
    for (int page = 0; page < pages; page++) {
      fill(page, page);
      writes.add(new BackingWrite(++lastTicket, key(page), runs(page), checksum(page)));
    }
    submitWrites(tier, writes);
    writes.forEach(
        each -> assertThat(told.awaitWrite(each.ticket())).isEqualTo(BackingStatus.DONE));
    memory.fill(GUARD);
    List<BackingRead> reads = new ArrayList<>();
    for (int page = 0; page < pages; page++) {
      reads.add(new BackingRead(++lastTicket, key(page), runs(page), page % 3 == 0));
    }
    submitReads(tier, reads);
    // Raising is advice, whatever the read is doing.
    reads.forEach(each -> tier.raise(each.ticket()));
    tier.raise(Long.MAX_VALUE);
    reads.forEach(each -> assertThat(told.awaitRead(each.ticket())).isEqualTo(BackingStatus.DONE));

    for (int page = 0; page < pages; page++) {
      verify(page, page);
    }
    assertOneReportEach();
    assertThat(told.threads()).doesNotContain(Thread.currentThread());
  }

  @Test
  void write_ofAStoredPage_keepsItFindable() {
    BackingTier tier = started();
    assertThat(write(tier, 1)).isEqualTo(BackingStatus.DONE);
    assertThat(write(tier, 1)).isEqualTo(BackingStatus.DONE);
    assertThat(told.findable()).containsOnlyKeys(key(1));
    assertThat(read(tier, 1, 5, true)).isEqualTo(BackingStatus.DONE);
    verify(1, 5);
  }

  @Test
  void write_withAWrongChecksum_isNeverServed() {
    BackingTier tier = started();
    fill(1, 1);
    long ticket = ++lastTicket;
    submitWrites(tier, List.of(new BackingWrite(ticket, key(1), runs(1), checksum(1) + 1)));
    told.awaitWrite(ticket);

    assertThat(read(tier, 1, 2, false)).isNotEqualTo(BackingStatus.DONE);
    assertThat(told.findable()).isEmpty();
  }

  @Test
  void evict_ofAPage_isReportedAndThePageIsGone() {
    BackingTier tier = started();
    assertThat(write(tier, 1)).isEqualTo(BackingStatus.DONE);
    assertThat(write(tier, 2)).isEqualTo(BackingStatus.DONE);
    tier.evict(77, key(1));
    told.awaitEvicted(77);
    tier.evict(78, key(99));
    told.awaitEvicted(78);

    assertThat(read(tier, 1, 0, false)).isEqualTo(BackingStatus.ABSENT);
    assertThat(read(tier, 2, 0, false)).isEqualTo(BackingStatus.DONE);
    verify(2, 0);
  }

  @Test
  void evictAll_leavesNothingAndWhatIsWrittenAfterItStays() {
    BackingTier tier = started();
    for (int page = 0; page < 5; page++) {
      assertThat(write(tier, page)).isEqualTo(BackingStatus.DONE);
    }
    tier.evictAll(77);
    assertThat(told.awaitForgotten(77))
        .isEqualTo(new RecordingBackingListener.Forgotten(BackingStatus.DONE, 5));
    assertThat(tier.usage().pages()).isZero();
    for (int page = 0; page < 5; page++) {
      assertThat(read(tier, page, 0, false)).isEqualTo(BackingStatus.ABSENT);
    }
    assertThat(write(tier, 2)).isEqualTo(BackingStatus.DONE);
    assertThat(read(tier, 2, 0, false)).isEqualTo(BackingStatus.DONE);
    verify(2, 0);
    if (isPersistent()) {
      close(tier);
      told = new RecordingBackingListener();
      started();
      assertThat(told.findable()).containsOnlyKeys(key(2));
    }
  }

  @Test
  void keep_forgetsTheOtherGeometriesOfAScopeAlone() {
    BackingTier tier = started();
    Namespace scope = new Namespace("11".repeat(32));
    Namespace otherScope = new Namespace("22".repeat(32));
    Namespace former = new Namespace("33".repeat(32));
    Namespace present = new Namespace("44".repeat(32));
    writeOf(tier, scope, former, 1);
    writeOf(tier, scope, former, 2);
    writeOf(tier, scope, present, 3);
    Namespace foreign = new Namespace("55".repeat(32));
    writeOf(tier, otherScope, foreign, 4);
    tier.keep(77, scope, List.of(present));
    assertThat(told.awaitForgotten(77))
        .isEqualTo(new RecordingBackingListener.Forgotten(BackingStatus.DONE, 2));
    List<StoredKey> left = List.of(key(present, 3), key(foreign, 4));
    assertThat(told.findable()).containsOnlyKeys(left);
    assertThat(told.lost()).containsExactlyInAnyOrder(key(former, 1), key(former, 2));
    if (isPersistent()) {
      close(tier);
      told = new RecordingBackingListener();
      started();
      assertThat(told.findable()).containsOnlyKeys(left);
    }
  }

  private void writeOf(BackingTier tier, Namespace scope, Namespace namespace, int page) {
    fill(page, page);
    long ticket = ++lastTicket;
    submitWrites(
        tier,
        List.of(new BackingWrite(ticket, key(namespace, page), scope, runs(page), checksum(page))));
    assertThat(told.awaitWrite(ticket)).isEqualTo(BackingStatus.DONE);
  }

  @Test
  void flush_isReported() {
    BackingTier tier = started();
    assertThat(write(tier, 1)).isEqualTo(BackingStatus.DONE);
    tier.flush(55);
    assertThat(told.awaitFlushed(55)).isEqualTo(BackingStatus.DONE);
  }

  @Test
  void usage_tellsOfPagesAndOfNothingUnderWayAtTheEnd() {
    BackingTier tier = started();
    assertThat(tier.usage().pages()).isZero();
    assertThat(tier.usage().capacityBytes()).isGreaterThanOrEqualTo(CAPACITY_BYTES);
    for (int page = 0; page < 3; page++) {
      assertThat(write(tier, page)).isEqualTo(BackingStatus.DONE);
    }
    assertThat(tier.usage().pages()).isEqualTo(3);
    assertThat(tier.usage().usedBytes())
        .isBetween(3 * payloadBytes(), tier.usage().capacityBytes());
    assertThat(tier.usage().queuedReadBytes()).isZero();
    assertThat(tier.usage().queuedWriteBytes()).isZero();
    assertThat(tier.usage().degraded()).isEmpty();
  }

  @Test
  void score_ofPagesThatAreThereOrNot_losesAndChangesNone() {
    BackingTier tier = started();
    List<StoredKey> keys = new ArrayList<>();
    for (int page = 0; page < 10; page++) {
      assertThat(write(tier, page)).isEqualTo(BackingStatus.DONE);
      keys.add(key(page));
    }
    keys.add(key(4711));
    keys.add(new StoredKey(new Namespace("a5".repeat(32)), 3, key(1).key()));

    tier.score(
        List.copyOf(keys),
        new long[] {5, -1, 0, Long.MAX_VALUE, Long.MIN_VALUE, 1, 1, 1, 1, 1, 9, 9});
    tier.score(List.of(), new long[0]);

    for (int page = 0; page < 10; page++) {
      assertThat(read(tier, page, 1, false)).isEqualTo(BackingStatus.DONE);
      verify(page, 1);
    }
    assertThat(read(tier, 4711, 1, false)).isEqualTo(BackingStatus.ABSENT);
    assertThat(told.findable()).hasSize(10);
    assertOneReportEach();
  }

  @Test
  void write_beyondTheCapacity_losesPagesAndTellsSo() {
    BackingTier tier = started();
    long capacity = tier.usage().capacityBytes();
    int pages = (int) Math.min(20_000, capacity * 5 / 4 / (RUN[0] + RUN[1]));
    for (int page = 0; page < pages; page++) {
      assertThat(write(tier, page)).isIn(BackingStatus.DONE, BackingStatus.FULL);
    }
    assertThat(tier.usage().usedBytes()).isLessThanOrEqualTo(capacity);

    Map<StoredKey, Long> findable = told.findable();
    assertThat(findable).isNotEmpty();
    for (int page = 0; page < pages; page += 7) {
      BackingStatus status = read(tier, page, 3, false);
      if (findable.containsKey(key(page))) {
        assertThat(status).as("page %d, which is findable", page).isEqualTo(BackingStatus.DONE);
        verify(page, 3);
      } else {
        assertThat(status).as("page %d, which is lost", page).isEqualTo(BackingStatus.ABSENT);
      }
    }
    assertOneReportEach();
  }

  @Test
  void reopened_hasNoPageThatItDidNotTellOfBeforeItsStartReturned() {
    BackingTier first = started();
    for (int page = 0; page < 20; page++) {
      assertThat(write(first, page)).isEqualTo(BackingStatus.DONE);
    }
    first.evict(77, key(3));
    told.awaitEvicted(77);
    close(first);
    Assumptions.assumeTrue(isPersistent());
    told = new RecordingBackingListener();

    BackingTier second = started();

    Map<StoredKey, Long> recovered = told.findable();
    assertThat(recovered).hasSize(19).doesNotContainKey(key(3));
    assertThat(recovered.values()).containsOnly(payloadBytes());
    for (int page = 0; page < 20; page++) {
      assertThat(read(second, page, 1, false))
          .isEqualTo(page == 3 ? BackingStatus.ABSENT : BackingStatus.DONE);
      if (page != 3) {
        verify(page, 1);
      }
    }
  }

  // ---- for the tests -------------------------------------------------------------------------

  private BackingStatus write(BackingTier tier, int page) {
    int place = page % 100;
    fill(page, place);
    long ticket = ++lastTicket;
    submitWrites(tier, List.of(new BackingWrite(ticket, key(page), runs(place), checksum(place))));
    return told.awaitWrite(ticket);
  }

  private BackingStatus read(BackingTier tier, int page, int place, boolean speculative) {
    long ticket = ++lastTicket;
    submitReads(tier, List.of(new BackingRead(ticket, key(page), runs(place), speculative)));
    return told.awaitRead(ticket);
  }

  private static void submitReads(BackingTier tier, List<BackingRead> reads) {
    List<BackingRead> left = reads;
    while (!left.isEmpty()) {
      int taken = tier.read(left);
      assertThat(taken).isBetween(0, left.size());
      left = left.subList(taken, left.size());
      pauseIf(taken == 0);
    }
  }

  private static void submitWrites(BackingTier tier, List<BackingWrite> writes) {
    List<BackingWrite> left = writes;
    while (!left.isEmpty()) {
      int taken = tier.write(left);
      assertThat(taken).isBetween(0, left.size());
      left = left.subList(taken, left.size());
      pauseIf(taken == 0);
    }
  }

  // The Manager offers again after a completion; so long a test may wait.
  private static void pauseIf(boolean full) {
    if (full) {
      LockSupport.parkNanos(RETRY_NANOS);
    }
  }

  private void assertOneReportEach() {
    assertThat(told.reads().values()).allSatisfy(reports -> assertThat(reports).hasSize(1));
    assertThat(told.writes().values()).allSatisfy(reports -> assertThat(reports).hasSize(1));
  }

  private static StoredKey key(int page) {
    return key(NAMESPACE, page);
  }

  private static StoredKey key(Namespace namespace, int page) {
    return new StoredKey(namespace, 0, new PageKey(page + 1L, ~page));
  }

  private static long payloadBytes() {
    return PAYLOAD[0] + PAYLOAD[1];
  }

  private static long offset(int place) {
    return place * (RUN[0] + RUN[1] + GRANULE);
  }

  private List<HostRun> runs(int place) {
    long at = memory.address() + offset(place);
    return List.of(
        new HostRun(at, PAYLOAD[0], RUN[0]), new HostRun(at + RUN[0], PAYLOAD[1], RUN[1]));
  }

  private MemorySegment run(int place, int rank) {
    return memory.asSlice(offset(place) + (rank == 0 ? 0 : RUN[0]), PAYLOAD[rank]);
  }

  private void fill(int page, int place) {
    for (int rank = 0; rank < RUN.length; rank++) {
      pattern(page, rank).fill(run(place, rank));
    }
  }

  private void verify(int page, int place) {
    for (int rank = 0; rank < RUN.length; rank++) {
      pattern(page, rank).verify(run(place, rank));
    }
  }

  private static PagePattern pattern(int page, int rank) {
    return new PagePattern(key(page).key(), page, rank);
  }

  private int checksum(int place) {
    CRC32C checksum = new CRC32C();
    for (int rank = 0; rank < RUN.length; rank++) {
      checksum.update(run(place, rank).asByteBuffer());
    }
    return (int) checksum.getValue();
  }
}
