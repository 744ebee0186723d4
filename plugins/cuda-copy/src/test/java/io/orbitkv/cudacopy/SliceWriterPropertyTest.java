package io.orbitkv.cudacopy;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.copy.CopyPlan;
import io.orbitkv.api.copy.CopyPlan.Direction;
import io.orbitkv.api.copy.DeviceMemory;
import io.orbitkv.api.memory.HostChunk;
import io.orbitkv.api.page.GroupRule;
import io.orbitkv.api.page.GroupSpec;
import io.orbitkv.api.page.LayerLayout;
import io.orbitkv.api.page.SlotLayout;
import io.orbitkv.api.page.WorkerLayout;
import io.orbitkv.api.settings.ByteSize;
import io.orbitkv.testkit.RecordingCopyListener;
import io.orbitkv.testkit.TestPluginContext;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * Whatever the layout, the allocations, the chunks and the limits: each byte of the pages arrives
 * at its place and no other byte changes.
 */
class SliceWriterPropertyTest {
  private static final int CHUNK_BYTES = 64 << 10;

  @Property(tries = 200)
  void publishAndRestore_movesEachByteToItsPlace(@ForAll long seed) {
    Random random = new Random(seed);
    int pages = 2 + random.nextInt(12);
    WorkerLayout layout = layout(random, pages);
    SlotLayout slot = layout.slots().getFirst();
    int callFragments = 1 + random.nextInt(40);
    ByteSize slice = new ByteSize(64 + random.nextInt(20_000));
    try (FakeCuda cuda = new FakeCuda();
        TestPluginContext context = new TestPluginContext("cuda-copy");
        Arena arena = Arena.ofShared()) {
      CudaCopier copier =
          new CudaCopier(
              cuda,
              new CudaCopySettings(
                  8,
                  callFragments,
                  random.nextInt(4),
                  slice,
                  1 + random.nextInt(3),
                  Duration.ofMinutes(1),
                  8,
                  2,
                  new ByteSize(1 << 20)),
              context,
              new ProcessEnd(context.log()));
      MemorySegment host = arena.allocate(4L * CHUNK_BYTES, 4096);
      for (int i = 0; i < 4; i++) {
        copier.registerHostMemory(
            new HostChunk(i, host.address() + (long) i * CHUNK_BYTES, CHUNK_BYTES, -1));
      }
      FakeGpuMemory device =
          new FakeGpuMemory(cuda, allocations(random, layout.deviceBytes()), List.of());
      byte[] before = new byte[(int) layout.deviceBytes()];
      random.nextBytes(before);
      device.write(0, MemorySegment.ofArray(before));
      DeviceMemory memory = copier.open(device.descriptor(), layout);
      long[] runs = runs(random, host, slot, pages);
      int[] sources = permutation(random, pages);
      int[] targets = permutation(random, pages);

      copy(copier, memory, slot, Direction.DEVICE_TO_HOST, runs, sources);
      byte[] expected = before.clone();
      for (int i = 0; i < pages; i++) {
        checkRun(host, runs[i], slot, before, sources[i]);
        place(expected, slot, before, sources[i], targets[i]);
      }
      copy(copier, memory, slot, Direction.HOST_TO_DEVICE, runs, targets);

      byte[] after = new byte[before.length];
      device.read(0, MemorySegment.ofArray(after));
      assertThat(after).isEqualTo(expected);
      memory.close();
      copier.close();
      device.close();
    }
  }

  private static void copy(
      CudaCopier copier,
      DeviceMemory memory,
      SlotLayout slot,
      Direction direction,
      long[] runs,
      int[] pages) {
    RecordingCopyListener listener = new RecordingCopyListener();
    copier.submit(
        new CopyPlan(1, memory, slot, direction, false, 0, runs.clone(), pages.clone()), listener);
    assertThat(listener.await(1).getFirst().outcome())
        .isEqualTo(new io.orbitkv.api.copy.CopyOutcome.Done());
  }

  /** Layers side by side, apart, or interleaved; with one segment or two. */
  private static WorkerLayout layout(Random random, int pages) {
    List<LayerLayout> layers = new ArrayList<>();
    int count = 1 + random.nextInt(7);
    int same = random.nextBoolean() ? 1 + random.nextInt(300) : 0;
    long base = 0;
    if (random.nextBoolean()) {
      int bytes = 1 + random.nextInt(700);
      long stride = (long) bytes * count + random.nextInt(2) * 64L;
      for (int i = 0; i < count; i++) {
        layers.add(new LayerLayout("layer." + i, 0, (long) bytes * i, pages, bytes, 1, 0, stride));
      }
    } else {
      for (int i = 0; i < count; i++) {
        int bytes = same > 0 ? same : 1 + random.nextInt(300);
        int segments = 1 + random.nextInt(2);
        long segmentStride = segments == 1 ? 0 : (long) bytes * pages;
        layers.add(
            new LayerLayout("layer." + i, 0, base, pages, bytes, segments, segmentStride, bytes));
        base += (long) bytes * pages * segments + random.nextInt(2) * 32L;
      }
    }
    return new WorkerLayout(
        0, 1, 16, -1, List.of(new GroupSpec(0, new GroupRule.Prefix())), layers);
  }

  private static List<Long> allocations(Random random, long bytes) {
    List<Long> sizes = new ArrayList<>();
    long left = bytes;
    while (left > 0) {
      long size = Math.min(left, 1 + random.nextLong(bytes));
      sizes.add(size);
      left -= size;
    }
    return sizes;
  }

  /** Some runs side by side, none over the border of a chunk. */
  private static long[] runs(Random random, MemorySegment host, SlotLayout slot, int pages) {
    long perChunk = CHUNK_BYTES / slot.runBytes();
    List<Long> places = new ArrayList<>();
    for (int chunk = 0; chunk < 4; chunk++) {
      for (long i = 0; i < perChunk; i++) {
        places.add(host.address() + chunk * (long) CHUNK_BYTES + i * slot.runBytes());
      }
    }
    if (random.nextBoolean()) {
      Collections.shuffle(places, random);
    }
    return places.stream().limit(pages).mapToLong(Long::longValue).toArray();
  }

  private static int[] permutation(Random random, int pages) {
    List<Integer> order = new ArrayList<>();
    for (int i = 0; i < pages; i++) {
      order.add(i);
    }
    if (random.nextBoolean()) {
      Collections.shuffle(order, random);
    }
    return order.stream().mapToInt(Integer::intValue).toArray();
  }

  private static void checkRun(
      MemorySegment host, long run, SlotLayout slot, byte[] device, int page) {
    long offset = run - host.address();
    for (LayerLayout layer : slot.layers()) {
      for (int segment = 0; segment < layer.segments(); segment++) {
        for (int i = 0; i < layer.segmentBytes(); i++) {
          assertThat(host.get(ValueLayout.JAVA_BYTE, offset++))
              .isEqualTo(device[(int) layer.offset(page, segment) + i]);
        }
      }
    }
  }

  private static void place(byte[] expected, SlotLayout slot, byte[] from, int page, int target) {
    for (LayerLayout layer : slot.layers()) {
      for (int segment = 0; segment < layer.segments(); segment++) {
        System.arraycopy(
            from,
            (int) layer.offset(page, segment),
            expected,
            (int) layer.offset(target, segment),
            layer.segmentBytes());
      }
    }
  }
}
