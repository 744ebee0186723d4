package io.orbitkv.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orbitkv.api.memory.HostChunk;
import io.orbitkv.api.memory.MemoryTier;
import io.orbitkv.api.memory.MemoryTierFactory.Request;
import io.orbitkv.api.memory.MemoryUsage;
import io.orbitkv.api.page.PageKey;
import io.orbitkv.api.page.SlotLayout;
import io.orbitkv.api.plugin.PluginContext;
import io.orbitkv.testkit.pattern.PagePattern;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What every {@link MemoryTier} must do. Extend it, say how a tier is made, and run it: each test
 * gets tiers of its own, which the kit closes.
 *
 * <p>The test thread plays the dispatcher. The kit writes to runs by their address: start the tests
 * with {@code --enable-native-access=} and the module that the kit is in (with the kit on the class
 * path, {@code ALL-UNNAMED}).
 */
public abstract class MemoryTierContract {
  private static final long GRANULE = SlotLayout.RUN_ALIGNMENT;
  private static final long SEED = 20260101;

  private final List<MemoryTier> tiers = new ArrayList<>();
  private TestPluginContext context = new TestPluginContext("under-test");

  /** For subclasses. */
  protected MemoryTierContract() {}

  /**
   * Makes the tier under test.
   *
   * @param chunkBytes largest chunk that the tier may make, a multiple of 4 KiB; a tier without
   *     such a setting ignores it
   * @param request what the kit wants
   * @param context the scope
   */
  protected abstract MemoryTier create(long chunkBytes, Request request, PluginContext context);

  /** Whether runs are memory that can be written. True unless overridden. */
  protected boolean hasBytes() {
    return true;
  }

  /** Whether chunks are announced on threads of the tier. True unless it is a simulated one. */
  protected boolean hasThreads() {
    return true;
  }

  @BeforeEach
  final void openScope() {
    context = new TestPluginContext("under-test");
  }

  @AfterEach
  final void closeTiersAndScope() {
    tiers.forEach(MemoryTier::close);
    assertThat(context.runningThreads()).as("threads after close").isEmpty();
    context.close();
  }

  /** The scope of the present test. */
  protected final TestPluginContext context() {
    return context;
  }

  /** A tier on the nodes of {@code topology}; nothing is touched. */
  protected final MemoryTier newTier(
      long capacityBytes, long chunkBytes, RecordingTopology topology) {
    MemoryTier tier =
        create(chunkBytes, new Request(capacityBytes, topology.nodes(), topology), context);
    tiers.add(tier);
    return tier;
  }

  /** A tier on one node with every chunk active. */
  protected final MemoryTier activeTier(long capacityBytes, long chunkBytes) {
    MemoryTier tier = newTier(capacityBytes, chunkBytes, new RecordingTopology(0));
    activateAll(tier);
    return tier;
  }

  /** Touches and activates every chunk. */
  protected static void activateAll(MemoryTier tier) {
    RecordingChunkListener listener = new RecordingChunkListener();
    tier.prepare(listener);
    listener.await(tier.chunks().size());
    assertThat(listener.failures()).isEmpty();
    tier.chunks().forEach(tier::activate);
  }

  @Test
  void chunks_afterCreation_areAlignedAscendingAndTogetherTheCapacity() {
    MemoryTier tier = newTier(256 * GRANULE, 64 * GRANULE, new RecordingTopology(0));

    List<HostChunk> chunks = tier.chunks();

    assertThat(chunks).isNotEmpty();
    long end = 0;
    for (int i = 0; i < chunks.size(); i++) {
      HostChunk chunk = chunks.get(i);
      assertThat(chunk.index()).isEqualTo(i);
      assertThat(chunk.address()).isPositive().isGreaterThanOrEqualTo(end);
      assertThat(chunk.address() % GRANULE).isZero();
      assertThat(chunk.bytes() % GRANULE).isZero();
      assertThat(chunk.bytes()).isBetween(GRANULE, HostChunk.MAX_BYTES);
      end = chunk.address() + chunk.bytes();
    }
    assertThat(chunks.stream().mapToLong(HostChunk::bytes).sum())
        .isEqualTo(256 * GRANULE)
        .isEqualTo(tier.usage().capacityBytes());
    assertThat(tier.chunks()).isEqualTo(chunks);
  }

  @Test
  void prepare_once_announcesEachChunkOnceOnThreadsOfTheTier() {
    MemoryTier tier = newTier(256 * GRANULE, 64 * GRANULE, new RecordingTopology(0));
    RecordingChunkListener listener = new RecordingChunkListener();

    tier.prepare(listener);
    listener.await(tier.chunks().size());

    assertThat(listener.failures()).isEmpty();
    assertThat(listener.touched()).containsExactlyInAnyOrderElementsOf(tier.chunks());
    if (hasThreads()) {
      assertThat(listener.threads()).doesNotContain(Thread.currentThread());
    }
  }

  @Test
  void allocate_beforeActivation_findsNoMemory() {
    MemoryTier tier = newTier(64 * GRANULE, 64 * GRANULE, new RecordingTopology(0));

    assertThat(tier.allocate(GRANULE, -1)).isEqualTo(MemoryTier.NO_MEMORY);
    assertThat(tier.usage().activeBytes()).isZero();
    assertThat(tier.usage().freeBytes()).isZero();
    assertThat(tier.usage().largestFreeBytes()).isZero();
  }

  @Test
  void activate_unannouncedTwiceOrForeign_isRefused() {
    MemoryTier tier = newTier(64 * GRANULE, 64 * GRANULE, new RecordingTopology(0));
    HostChunk chunk = tier.chunks().getFirst();

    assertThatThrownBy(() -> tier.activate(chunk)).isInstanceOf(IllegalStateException.class);
    activateAll(tier);
    assertThatThrownBy(() -> tier.activate(chunk)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> tier.activate(new HostChunk(0, chunk.address() + GRANULE, GRANULE, 0)))
        .isInstanceOf(IllegalStateException.class);
    assertThat(tier.usage().activeBytes()).isEqualTo(64 * GRANULE);
  }

  @Test
  void allocate_oddSizes_givesAlignedRunsInsideOneChunkThatDoNotOverlap() {
    MemoryTier tier = activeTier(512 * GRANULE, 64 * GRANULE);
    Random random = new Random(SEED);
    List<Run> runs = new ArrayList<>();

    for (int i = 0; i < 200; i++) {
      long bytes = 1 + random.nextLong(5 * GRANULE);
      long handle = tier.allocate(bytes, -1);
      if (handle != MemoryTier.NO_MEMORY) {
        runs.add(checkedRun(tier, handle, bytes));
      }
    }

    assertThat(runs).hasSizeGreaterThan(100);
    List<Run> byAddress =
        runs.stream().sorted((a, b) -> Long.compare(a.address(), b.address())).toList();
    for (int i = 1; i < byAddress.size(); i++) {
      assertThat(byAddress.get(i - 1).end()).isLessThanOrEqualTo(byAddress.get(i).address());
    }
    checkConservation(tier, runs.stream().mapToLong(Run::takenBytes).sum());
  }

  @Test
  void allocate_manyRunsWithBytes_keepsEachRunsBytes() {
    if (!hasBytes()) {
      return;
    }
    MemoryTier tier = activeTier(512 * GRANULE, 128 * GRANULE);
    Random random = new Random(SEED);
    List<Run> live = new ArrayList<>();
    long serial = 0;

    for (int i = 0; i < 2_000; i++) {
      if (!live.isEmpty() && random.nextInt(5) < 2) {
        Run gone = live.remove(random.nextInt(live.size()));
        pattern(gone.serial()).verify(segment(gone));
        tier.free(gone.handle());
      } else {
        long bytes = 1 + random.nextLong(6 * GRANULE);
        long handle = tier.allocate(bytes, -1);
        if (handle != MemoryTier.NO_MEMORY) {
          Run run = checkedRun(tier, handle, bytes).withSerial(serial++);
          pattern(run.serial()).fill(segment(run));
          live.add(run);
        }
      }
    }

    for (Run run : live) {
      pattern(run.serial()).verify(segment(run));
      tier.free(run.handle());
    }
    checkEmpty(tier);
  }

  @Test
  void allocate_moreThanTheLargestFreeRun_failsAndIsCounted() {
    MemoryTier tier = activeTier(64 * GRANULE, 16 * GRANULE);
    long largest = tier.usage().largestFreeBytes();
    long failures = tier.usage().allocationFailures();

    assertThat(tier.allocate(largest + 1, -1)).isEqualTo(MemoryTier.NO_MEMORY);
    assertThat(tier.allocate(Long.MAX_VALUE, -1)).isEqualTo(MemoryTier.NO_MEMORY);
    assertThat(tier.usage().allocationFailures()).isEqualTo(failures + 2);
    assertThat(tier.allocate(largest, -1)).isNotEqualTo(MemoryTier.NO_MEMORY);
  }

  @Test
  void allocate_withoutSize_isRefused() {
    MemoryTier tier = activeTier(64 * GRANULE, 16 * GRANULE);

    assertThatThrownBy(() -> tier.allocate(0, -1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> tier.allocate(-1, -1)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void free_inAnyOrder_mergesBackToOneRunAChunk() {
    MemoryTier tier = activeTier(256 * GRANULE, 64 * GRANULE);
    Random random = new Random(SEED);
    List<Long> handles = new ArrayList<>();
    for (long handle = tier.allocate(GRANULE, -1);
        handle != MemoryTier.NO_MEMORY;
        handle = tier.allocate(GRANULE * (1 + random.nextInt(3)), -1)) {
      handles.add(handle);
    }

    while (!handles.isEmpty()) {
      tier.free(handles.remove(random.nextInt(handles.size())));
    }

    checkEmpty(tier);
    for (HostChunk chunk : tier.chunks()) {
      assertThat(tier.allocate(chunk.bytes(), -1)).isNotEqualTo(MemoryTier.NO_MEMORY);
    }
    assertThat(tier.usage().freeBytes()).isZero();
  }

  @Test
  void free_twiceOrUnknown_isRefusedAndChangesNothing() {
    MemoryTier tier = activeTier(64 * GRANULE, 64 * GRANULE);
    long first = tier.allocate(3 * GRANULE, -1);
    long second = tier.allocate(GRANULE, -1);
    tier.free(first);

    for (long handle : new long[] {first, -1, -2, Long.MAX_VALUE, Long.MIN_VALUE, second + 1}) {
      assertThatThrownBy(() -> tier.free(handle)).isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> tier.address(handle)).isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> tier.allocatedBytes(handle))
          .isInstanceOf(IllegalArgumentException.class);
    }
    checkConservation(tier, GRANULE);
  }

  /**
   * The fault that this guards against was measured: with an allocator that takes one contiguous
   * run a batch, one surviving page keeps its whole batch.
   */
  @Test
  void allocate_largeBatchAfterOnePageOfEachOfManyBatchesStayed_findsRoom() {
    int batches = 32;
    int pagesOfBatch = 16;
    long pageBytes = 2 * GRANULE;
    MemoryTier tier = activeTier(batches * (pagesOfBatch * pageBytes), 128 * GRANULE);
    List<Long> kept = new ArrayList<>();
    List<List<Long>> made = new ArrayList<>();
    for (int batch = 0; batch < batches; batch++) {
      made.add(allocateBatch(tier, pagesOfBatch, pageBytes));
    }
    assertThat(tier.allocate(pageBytes, -1)).isEqualTo(MemoryTier.NO_MEMORY);

    for (int batch = 0; batch < batches; batch++) {
      List<Long> pages = made.get(batch);
      kept.add(pages.remove(batch % pagesOfBatch));
      pages.forEach(tier::free);
    }
    List<Long> large = allocateBatch(tier, batches * (pagesOfBatch - 1), pageBytes);

    assertThat(large).hasSize(batches * (pagesOfBatch - 1)).doesNotContainAnyElementsOf(kept);
    assertThat(tier.usage().freeBytes()).isZero();
  }

  @Test
  void allocate_onNamedNode_staysStrictlyThere() {
    RecordingTopology topology = new RecordingTopology(0, 1);
    MemoryTier tier = newTier(128 * GRANULE, 16 * GRANULE, topology);
    activateAll(tier);
    assertThat(tier.chunks()).extracting(HostChunk::numaNode).contains(0, 1);
    for (HostChunk chunk : tier.chunks()) {
      assertThat(topology.nodeOf(chunk.address(), chunk.bytes())).isEqualTo(chunk.numaNode());
    }

    long onNode = 0;
    for (long handle = tier.allocate(GRANULE, 1);
        handle != MemoryTier.NO_MEMORY;
        handle = tier.allocate(GRANULE, 1)) {
      assertThat(topology.nodeOf(tier.address(handle), GRANULE)).isEqualTo(1);
      onNode += GRANULE;
    }

    assertThat(onNode).isEqualTo(64 * GRANULE);
    assertThat(tier.usage().freeBytes()).isEqualTo(64 * GRANULE);
    assertThat(tier.allocate(GRANULE, 0)).isNotEqualTo(MemoryTier.NO_MEMORY);
    assertThat(tier.allocate(GRANULE, -1)).isNotEqualTo(MemoryTier.NO_MEMORY);
  }

  @Test
  void allocate_onNodeWithoutMemory_findsNoMemory() {
    MemoryTier tier = activeTier(64 * GRANULE, 16 * GRANULE);

    assertThat(tier.allocate(GRANULE, 7)).isEqualTo(MemoryTier.NO_MEMORY);
  }

  private static List<Long> allocateBatch(MemoryTier tier, int pages, long pageBytes) {
    List<Long> handles = new ArrayList<>();
    for (int page = 0; page < pages; page++) {
      long handle = tier.allocate(pageBytes, -1);
      assertThat(handle).as("page %d of %d", page, pages).isNotEqualTo(MemoryTier.NO_MEMORY);
      handles.add(handle);
    }
    return handles;
  }

  private static Run checkedRun(MemoryTier tier, long handle, long bytes) {
    assertThat(handle).isNotNegative();
    long address = tier.address(handle);
    long taken = tier.allocatedBytes(handle);
    assertThat(taken).isEqualTo(Math.ceilDiv(bytes, GRANULE) * GRANULE);
    assertThat(address % GRANULE).isZero();
    assertThat(tier.chunks())
        .filteredOn(chunk ->
            chunk.address() <= address && address + taken <= chunk.address() + chunk.bytes())
        .hasSize(1);
    return new Run(handle, address, bytes, taken, 0);
  }

  private static void checkConservation(MemoryTier tier, long allocatedBytes) {
    MemoryUsage usage = tier.usage();
    assertThat(usage.allocatedBytes()).isEqualTo(allocatedBytes);
    assertThat(usage.allocatedBytes() + usage.freeBytes()).isEqualTo(usage.activeBytes());
    assertThat(usage.largestFreeBytes()).isLessThanOrEqualTo(usage.freeBytes());
    assertThat(usage.activeBytes()).isLessThanOrEqualTo(usage.capacityBytes());
  }

  private static void checkEmpty(MemoryTier tier) {
    checkConservation(tier, 0);
    assertThat(tier.usage().largestFreeBytes())
        .isEqualTo(tier.chunks().stream().mapToLong(HostChunk::bytes).max().orElseThrow());
  }

  private static PagePattern pattern(long serial) {
    return new PagePattern(new PageKey(serial, ~serial), serial, 0);
  }

  @SuppressWarnings("restricted")
  private static MemorySegment segment(Run run) {
    return MemorySegment.ofAddress(run.address()).reinterpret(run.bytes());
  }

  private record Run(long handle, long address, long bytes, long takenBytes, long serial) {
    long end() {
      return address + takenBytes;
    }

    Run withSerial(long number) {
      return new Run(handle, address, bytes, takenBytes, number);
    }
  }
}
