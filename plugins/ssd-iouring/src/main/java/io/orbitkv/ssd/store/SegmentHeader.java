package io.orbitkv.ssd.store;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The first block of a segment. Writing it with another pass makes all that the segment held
 * unfindable.
 *
 * @param segment its number
 * @param pass never used twice in a store
 * @param mountEpoch random, of the opening that wrote it
 */
record SegmentHeader(int segment, long pass, long mountEpoch) {
  private static final long MAGIC = Blocks.magic("OrbitKVg");

  void encode(MemorySegment memory, long at, Identity store, int blockBytes) {
    Blocks.clear(memory, at, blockBytes);
    memory.set(Blocks.LONG, at, MAGIC);
    memory.set(Blocks.LONG, at + 8, store.high());
    memory.set(Blocks.LONG, at + 16, store.low());
    memory.set(Blocks.LONG, at + 24, mountEpoch);
    memory.set(Blocks.LONG, at + 32, pass);
    memory.set(Blocks.INT, at + 40, segment);
    Blocks.seal(memory, at, blockBytes);
  }

  /** The header at this place, or null when it is not one of this segment of this store. */
  static @Nullable SegmentHeader decode(
      MemorySegment memory, long at, Identity store, int segment, int blockBytes) {
    if (memory.get(Blocks.LONG, at) != MAGIC
        || memory.get(Blocks.LONG, at + 8) != store.high()
        || memory.get(Blocks.LONG, at + 16) != store.low()
        || memory.get(Blocks.INT, at + 40) != segment
        || !Blocks.isSealed(memory, at, blockBytes)) {
      return null;
    }
    return new SegmentHeader(
        segment, memory.get(Blocks.LONG, at + 32), memory.get(Blocks.LONG, at + 24));
  }

  /** Whether a block is a header of this store, damaged or of another segment. */
  static boolean claimsToBeOf(MemorySegment memory, long at, Identity store) {
    return memory.get(Blocks.LONG, at + 8) == store.high()
        && memory.get(Blocks.LONG, at + 16) == store.low();
  }
}
