package io.orbitkv.kernel.table;

import java.util.Arrays;

/**
 * Blocks of a few {@code long}s, named by an {@code int}. Grows in segments; freed blocks are used
 * again for the same size.
 */
public final class BlockTable {
  /** No block. */
  public static final int NONE = -1;

  private static final int SEGMENT_BITS = 12;
  private static final int SEGMENT_LONGS = 1 << SEGMENT_BITS;
  private static final int MASK = SEGMENT_LONGS - 1;

  private final int[] freeBySize;
  private long[][] segments = new long[4][];
  private int next;
  private int blocks;

  /**
   * @param largest size of a block in longs
   */
  public BlockTable(int largest) {
    freeBySize = new int[largest + 1];
    Arrays.fill(freeBySize, NONE);
  }

  /** A block whose longs are all 0. */
  public int allocate(int size) {
    blocks++;
    int block = freeBySize[size];
    if (block != NONE) {
      freeBySize[size] = (int) get(block, 0);
      int start = block & MASK;
      Arrays.fill(segments[block >> SEGMENT_BITS], start, start + size, 0);
      return block;
    }
    if ((next & MASK) + size > SEGMENT_LONGS) {
      // A block never crosses a segment: the rest is left unused.
      next = (next | MASK) + 1;
    }
    block = next;
    if (block < 0) {
      throw new IllegalStateException("block table is full: more than 2^31 longs");
    }
    int segment = block >> SEGMENT_BITS;
    if (segment >= segments.length) {
      segments = Arrays.copyOf(segments, segments.length * 2);
    }
    if (segments[segment] == null) {
      segments[segment] = new long[SEGMENT_LONGS];
    }
    next += size;
    return block;
  }

  /** Gives a block back. */
  public void free(int block, int size) {
    blocks--;
    set(block, 0, freeBySize[size]);
    freeBySize[size] = block;
  }

  /** A long of a block. */
  public long get(int block, int index) {
    return segments[block >> SEGMENT_BITS][(block & MASK) + index];
  }

  /** Sets a long of a block. */
  public void set(int block, int index, long value) {
    segments[block >> SEGMENT_BITS][(block & MASK) + index] = value;
  }

  /** Number of allocated blocks. */
  public int blocks() {
    return blocks;
  }
}
