package io.orbitkv.dram;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orbitkv.api.memory.HostChunk;
import io.orbitkv.api.memory.MemoryTier;
import io.orbitkv.api.memory.MemoryTierFactory.Request;
import io.orbitkv.api.settings.ByteSize;
import io.orbitkv.testkit.RecordingChunkListener;
import io.orbitkv.testkit.RecordingTopology;
import io.orbitkv.testkit.RecordingTopology.Bind;
import io.orbitkv.testkit.TestPluginContext;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DramTierTest {
  private static final long MB = 1L << 20;

  private final TestPluginContext context = new TestPluginContext("dram-tier");
  private final FakePageMemory memory = new FakePageMemory();

  @AfterEach
  void closeScope() {
    context.close();
  }

  @Test
  void plugin_offers_theTierDram() {
    assertThat(new DramTierPlugin().memoryTiers())
        .singleElement()
        .satisfies(factory -> {
          assertThat(factory.name()).isEqualTo("dram");
          assertThat(factory.settings()).isEqualTo(DramSettings.class);
        });
  }

  @Test
  void create_twoNodes_bindsEachChunkToItsNodeBeforeItIsTouched() {
    RecordingTopology topology = new RecordingTopology(0, 1);

    try (MemoryTier tier = tier(64 * MB, 8 * MB, 2, topology)) {
      assertThat(memory.populated).isEmpty();
      assertThat(tier.chunks())
          .extracting(HostChunk::numaNode)
          .containsExactly(0, 0, 0, 0, 1, 1, 1, 1);
      assertThat(topology.binds())
          .containsExactlyElementsOf(
              tier.chunks().stream()
                  .map(chunk -> new Bind(chunk.address(), chunk.bytes(), chunk.numaNode()))
                  .toList());
    }
  }

  @Test
  void allocate_twoNodes_liesInAChunkThatWasBoundToTheWantedNode() {
    RecordingTopology topology = new RecordingTopology(0, 1);

    try (MemoryTier tier = tier(64 * MB, 8 * MB, 2, topology)) {
      activateAll(tier);
      for (int i = 0; i < 24; i++) {
        int node = i % 2;
        long handle = tier.allocate(2 * MB + i, node);
        assertThat(handle).isNotEqualTo(MemoryTier.NO_MEMORY);
        assertThat(topology.nodeOf(tier.address(handle), tier.allocatedBytes(handle)))
            .isEqualTo(node);
      }
      // Three runs of a little more than 2 MiB fit a chunk of 8: twelve a node.
      assertThat(tier.allocate(3 * MB, 0)).isEqualTo(MemoryTier.NO_MEMORY);
      assertThat(tier.allocate(3 * MB, 1)).isEqualTo(MemoryTier.NO_MEMORY);
    }
  }

  @Test
  void allocate_anyNode_takesTheOneWithMostFreeBytesThatCanServe() {
    try (MemoryTier tier = tier(32 * MB, 8 * MB, 1, new RecordingTopology(3, 5))) {
      activateAll(tier);
      // Begins both chunks of node 3, so that it has no whole one left.
      long begun = tier.allocate(MB, 3);
      tier.allocate(MB, 3);
      long second = tier.allocate(7 * MB, 3);
      long third = tier.allocate(MB, 3);
      tier.free(second);
      assertThat(nodeOf(tier, tier.allocate(8 * MB, 5))).isEqualTo(5);
      assertThat(nodeOf(tier, third)).isEqualTo(3);

      // Node 3 has 12 or more MiB free against 8, but only node 5 has them in one piece.
      assertThat(nodeOf(tier, tier.allocate(MB, -1))).isEqualTo(3);
      assertThat(nodeOf(tier, tier.allocate(8 * MB, -1))).isEqualTo(5);
      assertThat(tier.allocate(8 * MB, -1)).isEqualTo(MemoryTier.NO_MEMORY);
      tier.free(begun);
    }
  }

  @Test
  void prepare_severalThreads_announceAtTheSameTime() {
    memory.meeting = new CyclicBarrier(4);

    try (MemoryTier tier = tier(32 * MB, 2 * MB, 4, new RecordingTopology(0))) {
      RecordingChunkListener listener = activateAll(tier);
      assertThat(listener.touched()).hasSize(16).doesNotHaveDuplicates();
      assertThat(listener.threads().stream().distinct()).hasSize(4);
      assertThat(tier.usage().activeBytes()).isEqualTo(32 * MB);
    }
    assertThat(context.meters().timer("touch_duration")).hasSize(16);
  }

  @Test
  void prepare_twoNodes_touchesThemInTurns() {
    try (MemoryTier tier = tier(16 * MB, 4 * MB, 1, new RecordingTopology(0, 1))) {
      RecordingChunkListener listener = activateAll(tier);
      assertThat(listener.touched()).extracting(HostChunk::numaNode).containsExactly(0, 1, 0, 1);
    }
  }

  @Test
  void prepare_systemHasNoMemoryForAChunk_failsItAndServesTheOthers() {
    try (MemoryTier tier = tier(16 * MB, 4 * MB, 2, new RecordingTopology(0))) {
      HostChunk lost = tier.chunks().get(2);
      memory.refuses = address -> address == lost.address();
      RecordingChunkListener listener = new RecordingChunkListener();
      tier.prepare(listener);
      listener.await(4);

      assertThat(listener.failures()).containsOnlyKeys(lost);
      assertThat(listener.failures().get(lost)).hasMessageContaining("cgroup");
      assertThatThrownBy(() -> tier.activate(lost)).isInstanceOf(IllegalStateException.class);
      listener.touched().forEach(tier::activate);
      assertThat(tier.usage().activeBytes()).isEqualTo(12 * MB);
      assertThat(tier.usage().capacityBytes()).isEqualTo(16 * MB);
      assertThat(context.log().messages(Level.WARNING)).anyMatch(line -> line.contains("[2]"));
    }
  }

  @Test
  void prepare_twice_isRefused() {
    try (MemoryTier tier = tier(4 * MB, 4 * MB, 1, new RecordingTopology(0))) {
      activateAll(tier);
      assertThatThrownBy(() -> tier.prepare(new RecordingChunkListener()))
          .isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void prepare_listenerThrows_touchesTheOtherChunks() {
    try (MemoryTier tier = tier(16 * MB, 4 * MB, 1, new RecordingTopology(0))) {
      RecordingChunkListener listener = new RecordingChunkListener();
      tier.prepare(
          new MemoryTier.ChunkListener() {
            @Override
            public void touched(HostChunk chunk) {
              listener.touched(chunk);
              throw new IllegalStateException("planted");
            }

            @Override
            public void failed(HostChunk chunk, Throwable cause) {
              listener.failed(chunk, cause);
            }
          });
      listener.await(4);
      assertThat(listener.touched()).hasSize(4);
    }
    assertThat(context.log().messages(Level.ERROR)).hasSize(4);
  }

  @Test
  void close_whileChunksAreTouched_waitsForTheThreadsAndUnmaps() throws InterruptedException {
    memory.meeting = new CyclicBarrier(2);
    MemoryTier tier = tier(4 * MB, 4 * MB, 2, new RecordingTopology(0));
    CyclicBarrier meeting = memory.meeting;
    tier.prepare(new RecordingChunkListener());
    // Without it the stop could come before the thread touches anything, and nobody would meet.
    assertThat(memory.firstPopulate.await(60, TimeUnit.SECONDS)).isTrue();
    Thread release =
        Thread.ofPlatform()
            .start(() -> {
              try {
                meeting.await();
              } catch (Exception broken) {
                throw new IllegalStateException(broken);
              }
            });

    tier.close();

    assertThat(context.runningThreads()).isEmpty();
    assertThat(memory.unmapped).isEqualTo(memory.mapped);
    tier.close();
    assertThat(memory.unmapped).hasSize(1);
    assertThatJoins(release);
  }

  @Test
  void create_systemRefusesTheSecondNode_leavesNothingMapped() {
    memory.mapsBeforeRefusal = 1;

    assertThatThrownBy(() -> tier(16 * MB, 4 * MB, 1, new RecordingTopology(0, 1)))
        .isInstanceOf(IllegalStateException.class);
    assertThat(memory.unmapped).isEqualTo(memory.mapped).hasSize(1);
  }

  @Test
  void create_adviceIsRefused_warnsAndServes() {
    memory.adviceError = Libc.EINVAL;

    try (MemoryTier tier = tier(4 * MB, 4 * MB, 1, new RecordingTopology(0))) {
      activateAll(tier);
      assertThat(tier.allocate(MB, -1)).isNotEqualTo(MemoryTier.NO_MEMORY);
    }
    assertThat(context.log().messages(Level.WARNING)).hasSize(2);
  }

  @Test
  void create_capacityThatIsNoMultiple_isRoundedDownToPages() {
    try (MemoryTier tier = tier(10 * MB + 5000, 4 * MB, 1, new RecordingTopology(0))) {
      assertThat(tier.chunks())
          .extracting(HostChunk::bytes)
          .containsExactly(4 * MB, 4 * MB, 2 * MB + 4096);
      assertThat(tier.usage().capacityBytes()).isEqualTo(10 * MB + 4096);
    }
  }

  @Test
  void create_impossibleRequests_areRefusedWithTheRemedy() {
    RecordingTopology topology = new RecordingTopology(0, 1);

    assertThatThrownBy(() -> tier(4096, MB, 1, topology))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("memory.pool-size");
    assertThatThrownBy(() -> tier(1L << 40, 4096, 1, topology))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("chunk-size");
    assertThatThrownBy(() -> create(new Request(MB, List.of(0, 7), topology), MB, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("[0, 7]");
    assertThatThrownBy(() -> create(new Request(MB, List.of(0, 0), topology), MB, 1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new DramSettings(new ByteSize(5000), 0, true))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("chunk-size");
    assertThat(memory.unmapped).isEqualTo(memory.mapped);
  }

  @Test
  void allocate_poolOfHalfATebibyte_givesExactHandles() {
    try (MemoryTier tier = tier(1L << 39, 1L << 30, 4, new RecordingTopology(0, 1))) {
      RecordingChunkListener listener = new RecordingChunkListener();
      tier.prepare(listener);
      listener.await(512);
      HostChunk last = tier.chunks().getLast();
      tier.activate(last);

      long whole = tier.allocate(HostChunk.MAX_BYTES, 1);
      assertThat(tier.address(whole)).isEqualTo(last.address());
      tier.free(whole);
      long page = tier.allocate(9 * MB, -1);
      long next = tier.allocate(4096, -1);
      assertThat(tier.address(next)).isEqualTo(tier.address(page) + 9 * MB);
      assertThatThrownBy(() -> tier.free(page + 1)).isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> tier.free(0)).isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void meters_afterAllocations_agreeWithTheUsage() {
    try (MemoryTier tier = tier(8 * MB, 4 * MB, 1, new RecordingTopology(0))) {
      activateAll(tier);
      long handle = tier.allocate(MB, -1);
      assertThat(tier.allocate(5 * MB, -1)).isEqualTo(MemoryTier.NO_MEMORY);

      assertThat(context.meters().gauge("capacity_bytes")).isEqualTo(8 * MB);
      assertThat(context.meters().gauge("active_bytes")).isEqualTo(8 * MB);
      assertThat(context.meters().gauge("allocated_bytes")).isEqualTo(MB);
      assertThat(context.meters().gauge("largest_free_bytes"))
          .isEqualTo(tier.usage().largestFreeBytes())
          .isEqualTo(4 * MB);
      assertThat(context.meters().counter("allocation_failures_total")).isEqualTo(1);
      tier.free(handle);
      assertThat(context.meters().gauge("allocated_bytes")).isZero();
    }
  }

  private MemoryTier tier(
      long capacityBytes, long chunkBytes, int threads, RecordingTopology topology) {
    return create(new Request(capacityBytes, topology.nodes(), topology), chunkBytes, threads);
  }

  private MemoryTier create(Request request, long chunkBytes, int threads) {
    return DramTier.create(
        new DramSettings(new ByteSize(chunkBytes), threads, true), request, context, memory);
  }

  private static int nodeOf(MemoryTier tier, long handle) {
    long address = tier.address(handle);
    return tier.chunks().stream()
        .filter(c -> c.address() <= address && address < c.address() + c.bytes())
        .findFirst()
        .orElseThrow()
        .numaNode();
  }

  private static RecordingChunkListener activateAll(MemoryTier tier) {
    RecordingChunkListener listener = new RecordingChunkListener();
    tier.prepare(listener);
    listener.await(tier.chunks().size());
    tier.chunks().forEach(tier::activate);
    return listener;
  }

  private static void assertThatJoins(Thread thread) {
    try {
      thread.join(60_000);
    } catch (InterruptedException interrupted) {
      throw new AssertionError(interrupted);
    }
    assertThat(thread.isAlive()).isFalse();
  }
}
