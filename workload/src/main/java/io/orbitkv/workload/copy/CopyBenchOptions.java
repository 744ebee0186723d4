package io.orbitkv.workload.copy;

import java.time.Duration;
import java.util.List;

/**
 * What {@link CopyBench} measures.
 *
 * @param fragmentBytes sizes of fragments
 * @param poolBytes host memory, pinned
 * @param deviceBytes memory of the GPU that the other process allocates
 * @param rounds of which medians are told
 * @param duration of each measurement
 * @param latencyPages single pages whose time is taken
 * @param gpu place among the driver's devices
 * @param seed of the order of pages
 * @param placement how pages and layers lie
 */
public record CopyBenchOptions(
    List<Long> fragmentBytes,
    long poolBytes,
    long deviceBytes,
    int rounds,
    Duration duration,
    int latencyPages,
    int gpu,
    long seed,
    Placement placement) {
  /** Largest page, and what a page is made of unless a fragment is larger: 9 MiB. */
  public static final long PAGE_BYTES = 9L << 20;

  /** Most fragments of a page smaller than {@link #PAGE_BYTES}: K and V of 36 layers. */
  public static final int PAGE_FRAGMENTS = 72;

  /** How the pages of a plan and the layers of a page lie. */
  public enum Placement {
    /** Pages anywhere, layers at equal distances in one allocation. */
    SHUFFLED,
    /** Pages anywhere, layers at unequal distances, as if each had an allocation of its own. */
    UNEVEN,
    /** Pages one after another on both sides, layers at unequal distances. */
    CONSECUTIVE;

    boolean consecutive() {
      return this == CONSECUTIVE;
    }

    /** Fragments between a layer and the next. */
    long gap(int layer) {
      return this == SHUFFLED ? 0 : layer % 4;
    }
  }

  /**
   * @throws IllegalArgumentException naming what does not fit
   */
  public CopyBenchOptions {
    fragmentBytes = List.copyOf(fragmentBytes);
    for (long bytes : fragmentBytes) {
      if (bytes < 4096 || bytes > PAGE_BYTES) {
        throw new IllegalArgumentException(
            "fragments of [" + bytes + "] bytes: must be 4 KiB to 9 MiB");
      }
    }
    if (rounds < 1 || rounds > 1000) {
      throw new IllegalArgumentException("[" + rounds + "] rounds: must be 1..1000");
    }
    if (poolBytes < 1L << 30 || deviceBytes < 1L << 30) {
      throw new IllegalArgumentException(
          "at least 1gb of host memory and of GPU memory are needed, not ["
              + poolBytes
              + "] and ["
              + deviceBytes
              + "] bytes");
    }
  }
}
