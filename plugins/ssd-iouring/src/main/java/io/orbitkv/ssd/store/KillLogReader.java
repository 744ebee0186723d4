package io.orbitkv.ssd.store;

import io.orbitkv.ssd.device.BlockFile;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.List;

/**
 * Reads the kill log at opening. Every valid block counts, of whatever generation: what it says
 * stays true. Whether blocks are missing is judged by the newest generation, and by the superblock,
 * which may be older than both; what cannot be read may say anything.
 */
final class KillLogReader {
  /** The newest generation of a half. */
  private static final class Half {
    final BitSet blocks = new BitSet();
    long generation = -1;
    int batchFirst;
    int compacted;
    int former;

    boolean has(int count) {
      return blocks.nextClearBit(0) >= count;
    }
  }

  private final Layout layout;
  private final Superblock superblock;
  private final boolean fresh;
  private final List<Segment> segments;
  private boolean unreadable;

  /**
   * @param fresh whether the store was made a moment ago, so that nothing can be in its log
   * @param segments whose passes are known; they get to know their dead records
   */
  KillLogReader(Layout layout, Superblock superblock, boolean fresh, List<Segment> segments) {
    this.fresh = fresh;
    this.layout = layout;
    this.superblock = superblock;
    this.segments = segments;
  }

  RecoveredKills read(BlockFile file, MemorySegment window) {
    Half[] halves = {new Half(), new Half()};
    for (int parity = 0; parity < halves.length; parity++) {
      readHalf(file, window, parity, halves[parity]);
    }
    segments.forEach(Segment::sortKills);
    Half newest = halves[0].generation > halves[1].generation ? halves[0] : halves[1];
    return judge(newest, newest == halves[0] ? halves[1] : halves[0]);
  }

  private void readHalf(BlockFile file, MemorySegment window, int parity, Half half) {
    int blockBytes = layout.blockBytes();
    int blocksPerRead = (int) (window.byteSize() / blockBytes);
    for (int first = 0; first < layout.killHalfBlocks(); first += blocksPerRead) {
      int blocks = Math.min(blocksPerRead, layout.killHalfBlocks() - first);
      if (read(file, window, parity, first, blocks)) {
        takeAll(window, parity, first, blocks, half);
      } else {
        readEach(file, window, parity, first, blocks, half);
      }
    }
  }

  /**
   * Once more, block by block: an error that passes does not cost what the store holds. A block
   * that cannot be read again does, whatever the others say, so the rest is not tried one by one.
   */
  private void readEach(
      BlockFile file, MemorySegment window, int parity, int first, int blocks, Half half) {
    for (int block = first; block < first + blocks && !unreadable; block++) {
      if (read(file, window, parity, block, 1)) {
        takeAll(window, parity, block, 1, half);
      } else {
        unreadable = !fresh;
      }
    }
  }

  private boolean read(BlockFile file, MemorySegment window, int parity, int first, int blocks) {
    long blockBytes = layout.blockBytes();
    try {
      file.read(
          layout.killHalf(parity) + first * blockBytes, window.address(), blocks * blockBytes);
      return true;
    } catch (IOException failed) {
      return false;
    }
  }

  private void takeAll(MemorySegment window, int parity, int first, int blocks, Half half) {
    int blockBytes = layout.blockBytes();
    for (int i = 0; i < blocks; i++) {
      long at = (long) i * blockBytes;
      if (KillBlock.isOf(window, at, blockBytes, superblock.store(), first + i, parity)) {
        take(window, at, first + i, half);
      }
    }
  }

  private void take(MemorySegment window, long at, int number, Half half) {
    for (int i = 0; i < KillBlock.count(window, at); i++) {
      long place = KillBlock.place(window, at, i);
      Segment segment = segments.get((int) (place >>> 32));
      if (segment.pass == KillBlock.pass(window, at, i)) {
        segment.kill((int) place);
      }
    }
    long generation = KillBlock.generation(window, at);
    if (generation < half.generation) {
      return;
    }
    if (generation > half.generation) {
      half.generation = generation;
      half.blocks.clear();
    }
    half.blocks.set(number);
    half.batchFirst = KillBlock.batchFirst(window, at);
    half.compacted = KillBlock.compacted(window, at);
    half.former = KillBlock.former(window, at);
  }

  private RecoveredKills judge(Half newest, Half other) {
    int blocks = newest.blocks.length();
    boolean known = superblock.killGeneration() > 0 || superblock.killBlocks() > 0;
    // A batch, or a generation, that nothing else tells of may lie where nothing could be read.
    boolean behind =
        unreadable
            || (known && newest.generation < superblock.killGeneration())
            || (newest.generation == superblock.killGeneration()
                && blocks < superblock.killBlocks());
    long newestGeneration = Math.max(newest.generation, superblock.killGeneration());
    if (newest.generation < 0) {
      return new RecoveredKills(0, newestGeneration, 0, 0, 0, behind, behind);
    }
    if (!newest.has(newest.compacted)) {
      // The take-over had not become durable, so nothing was added behind it.
      boolean hole = behind || blocks > newest.compacted || !other.has(newest.former);
      return new RecoveredKills(
          other.generation < 0 ? newest.generation - 1 : other.generation,
          newestGeneration,
          newest.former,
          other.compacted,
          other.former,
          true,
          hole);
    }
    boolean hole = behind || !newest.has(newest.batchFirst);
    boolean ragged = hole || !newest.has(blocks);
    return new RecoveredKills(
        newest.generation,
        newestGeneration,
        // Nobody was told that the blocks of a batch with gaps are durable.
        ragged ? newest.batchFirst : blocks,
        newest.compacted,
        newest.former,
        ragged,
        hole);
  }
}
