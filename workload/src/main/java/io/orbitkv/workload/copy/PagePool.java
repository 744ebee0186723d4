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
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;

/**
 * Pages of one layout on both sides: runs in the pinned chunks, pages in the GPU's memory, and
 * plans over random ones of them. A layer's pages lie side by side, so that no two fragments of a
 * page are neighbours on the device.
 */
final class PagePool {
  private static final int PAGE_TOKENS = 64;
  private static final int MAX_PAGES = 4096;

  private final WorkerLayout layout;
  private final SlotLayout slot;
  private final long[] runs;
  private final SplittableRandom random;

  PagePool(
      long fragmentBytes,
      int fragments,
      long deviceBytes,
      List<HostChunk> chunks,
      SplittableRandom random) {
    this.random = random;
    long pageBytes = fragmentBytes * fragments;
    int pages = (int) Math.min(MAX_PAGES, deviceBytes / pageBytes);
    List<LayerLayout> layers = new ArrayList<>(fragments);
    for (int i = 0; i < fragments; i++) {
      layers.add(
          new LayerLayout(
              "layer." + (100_000 + i),
              0,
              i * fragmentBytes * pages,
              pages,
              (int) fragmentBytes,
              1,
              0,
              fragmentBytes));
    }
    layout =
        new WorkerLayout(
            0, 1, PAGE_TOKENS, -1, List.of(new GroupSpec(0, new GroupRule.Prefix())), layers);
    slot = layout.slots().getFirst();
    runs = runs(chunks, slot.runBytes());
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

  /** A plan over random runs and as many device pages, none twice. */
  CopyPlan plan(long id, DeviceMemory memory, Direction direction, int pages) {
    long[] addresses = new long[pages];
    int firstRun = random.nextInt(Math.max(1, runs.length - pages));
    for (int i = 0; i < pages; i++) {
      addresses[i] = runs[firstRun + i];
    }
    return new CopyPlan(
        id,
        memory,
        slot,
        direction,
        false,
        CopyPlan.NO_EVENT,
        addresses,
        distinct(slot.devicePages(), pages));
  }

  private int[] distinct(int limit, int count) {
    int[] pages = new int[count];
    // A step that shares no divisor with the number of pages visits all before one comes again.
    int step = 1 + random.nextInt(limit);
    while (gcd(step, limit) != 1) {
      step++;
    }
    int page = random.nextInt(limit);
    for (int i = 0; i < count; i++) {
      pages[i] = page;
      page = (int) (((long) page + step) % limit);
    }
    return pages;
  }

  private static int gcd(int a, int b) {
    return b == 0 ? a : gcd(b, a % b);
  }
}
