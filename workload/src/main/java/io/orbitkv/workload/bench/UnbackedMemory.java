package io.orbitkv.workload.bench;

import io.orbitkv.api.memory.HostChunk;
import io.orbitkv.api.memory.MemoryTier;
import io.orbitkv.api.memory.MemoryUsage;
import java.util.ArrayList;
import java.util.List;

/**
 * Host memory without bytes: addresses that nobody may touch, in runs of one size. It keeps every
 * promise of a tier and costs the kernel next to nothing, so that what is measured is the kernel.
 * Runs that are free are bits in a tree of bitmaps; the lowest one is allocated.
 */
final class UnbackedMemory implements MemoryTier {
  private static final long FIRST_ADDRESS = 1L << 44;
  private static final int ANY_NODE = -1;
  private static final int WORD_BITS = 6;

  private final long runBytes;
  private final int runs;
  private final List<HostChunk> chunks = new ArrayList<>();
  // A bit a run, then a bit a word of the level below that has a bit.
  private final long[][] free;
  private int activeChunks;
  private int freeRuns;
  private long failures;

  /**
   * @param runs number of runs
   * @param runBytes size of each; a power of two of at least 4 KiB
   */
  UnbackedMemory(int runs, long runBytes) {
    this.runs = runs;
    this.runBytes = runBytes;
    int ofChunk = runsOfChunk();
    for (int first = 0; first < runs; first += ofChunk) {
      long bytes = Math.min(ofChunk, runs - first) * runBytes;
      chunks.add(new HostChunk(chunks.size(), addressOf(first), bytes, ANY_NODE));
    }
    List<long[]> levels = new ArrayList<>();
    int bits = runs;
    do {
      bits = Math.ceilDiv(bits, Long.SIZE);
      levels.add(new long[bits]);
    } while (bits > 1);
    free = levels.toArray(long[][]::new);
  }

  /** Heap that a tier of so many runs takes. */
  static long heapBytes(int runs) {
    return runs / 7;
  }

  @Override
  public void prepare(ChunkListener listener) {
    chunks.forEach(listener::touched);
  }

  @Override
  public void activate(HostChunk chunk) {
    if (chunk.index() != activeChunks || !chunks.get(activeChunks).equals(chunk)) {
      throw new IllegalStateException("chunk [" + chunk + "] is unknown, active or out of turn");
    }
    activeChunks++;
    int first = chunk.index() * runsOfChunk();
    int end = first + (int) (chunk.bytes() / runBytes);
    for (int run = first; run < end; run++) {
      release(run);
    }
  }

  @Override
  public long allocate(long bytes, int numaNode) {
    if (bytes <= 0 || bytes > runBytes) {
      throw new IllegalArgumentException("[" + bytes + "] bytes: runs have [" + runBytes + "]");
    }
    if (freeRuns == 0) {
      failures++;
      return NO_MEMORY;
    }
    int place = 0;
    for (int level = free.length - 1; level >= 0; level--) {
      place = place << WORD_BITS | Long.numberOfTrailingZeros(free[level][place]);
    }
    int word = place;
    for (long[] level : free) {
      int bit = word;
      word >>= WORD_BITS;
      level[word] &= ~(1L << bit);
      if (level[word] != 0) {
        break;
      }
    }
    freeRuns--;
    return place;
  }

  @Override
  public void free(long handle) {
    int run = check(handle);
    release(run);
  }

  private void release(int run) {
    int word = run;
    for (long[] level : free) {
      int bit = word;
      word >>= WORD_BITS;
      boolean known = level[word] != 0;
      level[word] |= 1L << bit;
      if (known) {
        break;
      }
    }
    freeRuns++;
  }

  @Override
  public long address(long handle) {
    return addressOf(check(handle));
  }

  @Override
  public long allocatedBytes(long handle) {
    return runBytes;
  }

  private int check(long handle) {
    if (handle < 0 || handle >= runs || isFree((int) handle)) {
      throw new IllegalArgumentException("handle [" + handle + "] names no allocated run");
    }
    return (int) handle;
  }

  private boolean isFree(int run) {
    return (free[0][run >> WORD_BITS] & 1L << run) != 0;
  }

  private long addressOf(long run) {
    return FIRST_ADDRESS + run * runBytes;
  }

  private int runsOfChunk() {
    return (int) (HostChunk.MAX_BYTES / runBytes);
  }

  @Override
  public List<HostChunk> chunks() {
    return List.copyOf(chunks);
  }

  @Override
  public MemoryUsage usage() {
    long capacityBytes = runs * runBytes;
    long activeBytes = chunks.subList(0, activeChunks).stream().mapToLong(HostChunk::bytes).sum();
    long freeBytes = freeRuns * runBytes;
    return new MemoryUsage(
        capacityBytes,
        activeBytes,
        activeBytes - freeBytes,
        freeRuns == 0 ? 0 : runBytes,
        freeBytes,
        failures,
        -1);
  }

  @Override
  public void close() {}
}
