package io.orbitkv.ssd.store;

import java.lang.foreign.MemorySegment;

/**
 * One block of the kill log. An entry says that the record at a block of a segment's pass is dead;
 * as passes are never used again, that stays true for ever.
 */
final class KillBlock {
  private static final long MAGIC = Blocks.magic("OrbitKVk");
  private static final int GENERATION = 24;
  private static final int NUMBER = 32;
  private static final int BATCH_FIRST = 36;
  private static final int COMPACTED = 40;
  private static final int FORMER = 44;
  private static final int COUNT = 48;
  private static final int FIRST_ENTRY = 64;
  private static final int ENTRY_BYTES = 16;

  private KillBlock() {}

  static int entries(int blockBytes) {
    return (blockBytes - FIRST_ENTRY - Integer.BYTES) / ENTRY_BYTES;
  }

  /**
   * @param generation of the log: its half
   * @param number of the block in it
   * @param batchFirst number of the first block that is made durable together with this one
   * @param compacted blocks at the start that hold what was taken over from the former generation
   * @param former blocks that the former generation had
   */
  static void begin(
      MemorySegment memory,
      long at,
      int blockBytes,
      Identity store,
      long generation,
      int number,
      int batchFirst,
      int compacted,
      int former) {
    Blocks.clear(memory, at, blockBytes);
    memory.set(Blocks.LONG, at, MAGIC);
    memory.set(Blocks.LONG, at + 8, store.high());
    memory.set(Blocks.LONG, at + 16, store.low());
    memory.set(Blocks.LONG, at + GENERATION, generation);
    memory.set(Blocks.INT, at + NUMBER, number);
    memory.set(Blocks.INT, at + BATCH_FIRST, batchFirst);
    memory.set(Blocks.INT, at + COMPACTED, compacted);
    memory.set(Blocks.INT, at + FORMER, former);
  }

  static void add(MemorySegment memory, long at, long place, long pass) {
    int count = memory.get(Blocks.INT, at + COUNT);
    long entry = at + FIRST_ENTRY + (long) count * ENTRY_BYTES;
    memory.set(Blocks.LONG, entry, place);
    memory.set(Blocks.LONG, entry + Long.BYTES, pass);
    memory.set(Blocks.INT, at + COUNT, count + 1);
  }

  static boolean isOf(
      MemorySegment memory, long at, int blockBytes, Identity store, int number, long halfParity) {
    return memory.get(Blocks.LONG, at) == MAGIC
        && memory.get(Blocks.LONG, at + 8) == store.high()
        && memory.get(Blocks.LONG, at + 16) == store.low()
        && memory.get(Blocks.INT, at + NUMBER) == number
        && (generation(memory, at) & 1) == halfParity
        && Blocks.isSealed(memory, at, blockBytes);
  }

  static long generation(MemorySegment memory, long at) {
    return memory.get(Blocks.LONG, at + GENERATION);
  }

  static int batchFirst(MemorySegment memory, long at) {
    return memory.get(Blocks.INT, at + BATCH_FIRST);
  }

  static int compacted(MemorySegment memory, long at) {
    return memory.get(Blocks.INT, at + COMPACTED);
  }

  static int former(MemorySegment memory, long at) {
    return memory.get(Blocks.INT, at + FORMER);
  }

  static int count(MemorySegment memory, long at) {
    return memory.get(Blocks.INT, at + COUNT);
  }

  /** Segment in the upper half, block in the lower. */
  static long place(MemorySegment memory, long at, int entry) {
    return memory.get(Blocks.LONG, at + FIRST_ENTRY + (long) entry * ENTRY_BYTES);
  }

  static long pass(MemorySegment memory, long at, int entry) {
    return memory.get(Blocks.LONG, at + FIRST_ENTRY + (long) entry * ENTRY_BYTES + Long.BYTES);
  }
}
