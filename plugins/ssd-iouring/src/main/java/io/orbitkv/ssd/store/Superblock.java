package io.orbitkv.ssd.store;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The root of a store. All of it lies in one sector of 512 bytes, so that a torn write leaves the
 * old one or the new one on devices that write sectors whole.
 *
 * @param store identity
 * @param shard of this store
 * @param shards of the tier
 * @param blockBytes of the format
 * @param capacityBytes of the store
 * @param segmentBytes of a segment
 * @param sequence the higher of two valid superblocks counts
 * @param mountEpoch random, of the opening that wrote it
 * @param clean whether nothing was written after it
 * @param passLimit no pass at or above it was ever used
 * @param killGeneration of the kill log when it was written
 * @param killBlocks of that generation
 * @param deviceWrittenBytes since the store was formatted
 * @param budgetBytes left of the write budget
 */
record Superblock(
    Identity store,
    int shard,
    int shards,
    int blockBytes,
    long capacityBytes,
    long segmentBytes,
    long sequence,
    long mountEpoch,
    boolean clean,
    long passLimit,
    long killGeneration,
    int killBlocks,
    long deviceWrittenBytes,
    long budgetBytes) {
  static final long MAGIC = Blocks.magic("OrbitKVs");
  static final int VERSION = 1;
  static final int BYTES = 512;

  private static final int VERSION_AT = 8;
  private static final int CRC_AT = BYTES - Integer.BYTES;

  void encode(MemorySegment memory, long at) {
    Blocks.clear(memory, at, blockBytes);
    memory.set(Blocks.LONG, at, MAGIC);
    memory.set(Blocks.INT, at + VERSION_AT, VERSION);
    memory.set(Blocks.INT, at + 12, blockBytes);
    memory.set(Blocks.LONG, at + 16, store.high());
    memory.set(Blocks.LONG, at + 24, store.low());
    memory.set(Blocks.INT, at + 32, shard);
    memory.set(Blocks.INT, at + 36, shards);
    memory.set(Blocks.LONG, at + 40, capacityBytes);
    memory.set(Blocks.LONG, at + 48, segmentBytes);
    memory.set(Blocks.LONG, at + 56, sequence);
    memory.set(Blocks.LONG, at + 64, mountEpoch);
    memory.set(Blocks.LONG, at + 72, passLimit);
    memory.set(Blocks.LONG, at + 80, killGeneration);
    memory.set(Blocks.INT, at + 88, killBlocks);
    memory.set(Blocks.INT, at + 92, clean ? 1 : 0);
    memory.set(Blocks.LONG, at + 96, deviceWrittenBytes);
    memory.set(Blocks.LONG, at + 104, budgetBytes);
    memory.set(Blocks.INT, at + CRC_AT, Blocks.crc(memory, at, CRC_AT));
  }

  /** The same, written by a store of another place among its tier's. */
  Superblock ofShard(int newShard, int newShards) {
    return new Superblock(
        store,
        newShard,
        newShards,
        blockBytes,
        capacityBytes,
        segmentBytes,
        sequence,
        mountEpoch,
        clean,
        passLimit,
        killGeneration,
        killBlocks,
        deviceWrittenBytes,
        budgetBytes);
  }

  /** The same with present totals. */
  Superblock withFigures(
      long presentKillGeneration, int presentKillBlocks, long writtenBytes, long budgetLeftBytes) {
    return new Superblock(
        store,
        shard,
        shards,
        blockBytes,
        capacityBytes,
        segmentBytes,
        sequence,
        mountEpoch,
        clean,
        passLimit,
        presentKillGeneration,
        presentKillBlocks,
        writtenBytes,
        budgetLeftBytes);
  }

  /** The same with the next sequence. */
  Superblock next() {
    return new Superblock(
        store,
        shard,
        shards,
        blockBytes,
        capacityBytes,
        segmentBytes,
        sequence + 1,
        mountEpoch,
        clean,
        passLimit,
        killGeneration,
        killBlocks,
        deviceWrittenBytes,
        budgetBytes);
  }

  static boolean hasMagic(MemorySegment memory, long at) {
    return memory.get(Blocks.LONG, at) == MAGIC;
  }

  /** The version of a block with our magic; at the same place in every version. */
  static int version(MemorySegment memory, long at) {
    return memory.get(Blocks.INT, at + VERSION_AT);
  }

  /** Whether a block is an undamaged superblock; the same in every version. */
  static boolean isIntact(MemorySegment memory, long at) {
    return hasMagic(memory, at)
        && memory.get(Blocks.INT, at + CRC_AT) == Blocks.crc(memory, at, CRC_AT);
  }

  /** The superblock at this place, or null when there is no valid one of this version. */
  static @Nullable Superblock decode(MemorySegment memory, long at) {
    if (!isIntact(memory, at) || version(memory, at) != VERSION) {
      return null;
    }
    return new Superblock(
        new Identity(memory.get(Blocks.LONG, at + 16), memory.get(Blocks.LONG, at + 24)),
        memory.get(Blocks.INT, at + 32),
        memory.get(Blocks.INT, at + 36),
        memory.get(Blocks.INT, at + 12),
        memory.get(Blocks.LONG, at + 40),
        memory.get(Blocks.LONG, at + 48),
        memory.get(Blocks.LONG, at + 56),
        memory.get(Blocks.LONG, at + 64),
        memory.get(Blocks.INT, at + 92) == 1,
        memory.get(Blocks.LONG, at + 72),
        memory.get(Blocks.LONG, at + 80),
        memory.get(Blocks.INT, at + 88),
        memory.get(Blocks.LONG, at + 96),
        memory.get(Blocks.LONG, at + 104));
  }
}
