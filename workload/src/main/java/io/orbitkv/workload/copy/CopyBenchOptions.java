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
 */
public record CopyBenchOptions(
    List<Long> fragmentBytes,
    long poolBytes,
    long deviceBytes,
    int rounds,
    Duration duration,
    int latencyPages,
    int gpu,
    long seed) {
  /** Largest page, and what a page is made of unless a fragment is larger: 9 MiB. */
  public static final long PAGE_BYTES = 9L << 20;

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
