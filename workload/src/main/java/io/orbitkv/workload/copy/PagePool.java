package io.orbitkv.workload.copy;

import io.orbitkv.api.copy.CopyPlan;
import io.orbitkv.api.copy.CopyPlan.Direction;
import io.orbitkv.api.copy.DeviceMemory;
import io.orbitkv.api.memory.HostChunk;
import io.orbitkv.api.page.GroupRule;
import io.orbitkv.api.page.GroupSpec;
import io.orbitkv.api.page.LayerLayout;
import io.orbitkv.api.page.SlotLayout;
import io.orbitkv.api.page.WorkerLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * Pages of one layout on both sides: runs in the pinned chunks, pages in the GPU's memory, and
 * plans over random ones of them. A layer's pages lie side by side, so that no two fragments of a
 * page are neighbours on the device.
 */
final class PagePool {
  private static final int PAGE_TOKENS = 64;
  private static final int MAX_PAGES = 4096;

  /** Largest gap between two layers, in fragments. */
  private static final long GAPS = 3;

  private final WorkerLayout layout;
  private final SlotLayout slot;
  private final long[] runs;
  private final SplittableRandom random;
  private final CopyBenchOptions.Placement placement;
  private final int[] order;

  PagePool(
      CopyBenchOptions.Placement placement,
      long fragmentBytes,
      int fragments,
      long deviceBytes,
      List<HostChunk> chunks,
      SplittableRandom random) {
    this.placement = placement;
    this.random = random;
    long pageBytes = fragmentBytes * fragments;
    int pages =
        (int) Math.min(MAX_PAGES, (deviceBytes - GAPS * fragments * fragmentBytes) / pageBytes);
    List<LayerLayout> layers = new ArrayList<>(fragments);
    long offset = 0;
    for (int i = 0; i < fragments; i++) {
      layers.add(
          new LayerLayout(
              "layer." + (100_000 + i),
              0,
              offset,
              pages,
              (int) fragmentBytes,
              1,
              0,
              fragmentBytes));
      offset += pages * fragmentBytes + placement.gap(i) * fragmentBytes;
    }
    layout =
        new WorkerLayout(
            0, 1, PAGE_TOKENS, -1, List.of(new GroupSpec(0, new GroupRule.Prefix())), layers);
    slot = layout.slots().getFirst();
    runs = runs(chunks, slot.runBytes());
    order = IntStream.range(0, Math.max(runs.length, slot.devicePages())).toArray();
  }

  private static long[] runs(List<HostChunk> chunks, long runBytes) {
    return chunks.stream()
        .flatMapToLong(chunk ->
            LongStream.range(0, chunk.bytes() / runBytes).map(i -> chunk.address() + i * runBytes))
        .limit(MAX_PAGES)
        .toArray();
  }

  WorkerLayout layout() {
    return layout;
  }

  SlotLayout slot() {
    return slot;
  }

  /** Address of a run. */
  long run(int i) {
    return runs[i];
  }

  int runCount() {
    return runs.length;
  }

  /** A plan over runs and as many device pages, none twice. */
  CopyPlan plan(long id, DeviceMemory memory, Direction direction, int pages) {
    long[] addresses = new long[pages];
    int[] places = places(runs.length, pages);
    for (int i = 0; i < pages; i++) {
      addresses[i] = runs[places[i]];
    }
    return new CopyPlan(
        id,
        memory,
        slot,
        direction,
        false,
        CopyPlan.NO_EVENT,
        addresses,
        places(slot.devicePages(), pages));
  }

  /** Some of the numbers below a limit, in the order that the placement asks for. */
  private int[] places(int limit, int count) {
    int[] places = new int[count];
    if (placement.consecutive()) {
      int first = random.nextInt(Math.max(1, limit - count));
      Arrays.setAll(places, i -> first + i);
      return places;
    }
    // The order stays a permutation of all numbers: those below the limit come by chance.
    int taken = 0;
    for (int i = 0; taken < count; i++) {
      int other = i + random.nextInt(order.length - i);
      int place = order[other];
      order[other] = order[i];
      order[i] = place;
      if (place < limit) {
        places[taken++] = place;
      }
    }
    return places;
  }
}
