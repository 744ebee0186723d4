package io.orbitkv.ssd.store;

/**
 * Where the parts of a store are: superblocks at 0 and 64 KiB, the two halves of the kill log from
 * 128 KiB, then the segments.
 *
 * @param blockBytes unit of every offset
 * @param capacityBytes of the whole
 * @param killHalfBytes of one half of the kill log
 * @param segmentBytes of a segment
 * @param segments number of segments
 */
record Layout(
    int blockBytes, long capacityBytes, long killHalfBytes, long segmentBytes, int segments) {
  static final long SUPERBLOCK_DISTANCE_BYTES = 64 << 10;

  /** Records are counted with 31 bits, a generous limit on either. */
  private static final long MOST_SEGMENT_BYTES = 1L << 30;

  private static final long PREFERRED_SEGMENT_BYTES = 256L << 20;
  private static final int FEWEST_SEGMENTS = 16;
  private static final int FEWEST_SEGMENT_BLOCKS = 8;

  /** Beside those in reserve: one that is written, one that is emptied, one that holds pages. */
  private static final int WORKING_SEGMENTS = 3;

  private static final long KILL_HALF_SHARE = 1024;
  private static final long KILL_HALF_MOST_BYTES = 16L << 20;
  private static final int KILL_HALF_FEWEST_BLOCKS = 16;

  /**
   * @param segmentBytes 0 to derive it
   * @throws IllegalStateException when the parts do not fit, saying how large they must be
   */
  static Layout of(long capacityBytes, long segmentBytes, int blockBytes, int reserveSegments) {
    long half =
        Math.max(
            (long) KILL_HALF_FEWEST_BLOCKS * blockBytes,
            Blocks.roundUp(
                Math.min(KILL_HALF_MOST_BYTES, capacityBytes / KILL_HALF_SHARE), blockBytes));
    long start = segmentsStart(half, blockBytes);
    long room = capacityBytes - start;
    long segment =
        segmentBytes != 0
            ? segmentBytes / blockBytes * blockBytes
            : Math.min(PREFERRED_SEGMENT_BYTES, room / FEWEST_SEGMENTS / blockBytes * blockBytes);
    long fewest = (long) FEWEST_SEGMENT_BLOCKS * blockBytes;
    if (segment < fewest || segment > MOST_SEGMENT_BYTES) {
      throw new IllegalStateException(
          "segments of ["
              + segment
              + "] bytes in a store of ["
              + capacityBytes
              + "] are not between ["
              + fewest
              + "] and ["
              + MOST_SEGMENT_BYTES
              + "]: set another capacity or segment size");
    }
    long segments = room / segment;
    int needed = reserveSegments + WORKING_SEGMENTS;
    if (segments < needed || segments > Integer.MAX_VALUE) {
      throw new IllegalStateException(
          "a store of ["
              + capacityBytes
              + "] bytes has ["
              + segments
              + "] segments of ["
              + segment
              + "], but needs ["
              + needed
              + "]: give it at least ["
              + (start + needed * segment)
              + "] bytes, or smaller segments");
    }
    return new Layout(blockBytes, capacityBytes, half, segment, (int) segments);
  }

  private static long segmentsStart(long half, int blockBytes) {
    return Blocks.roundUp(
        2 * SUPERBLOCK_DISTANCE_BYTES + 2 * half, Math.max(SUPERBLOCK_DISTANCE_BYTES, blockBytes));
  }

  /**
   * A block before the second superblock that holds nothing, or -1 where a superblock takes all.
   */
  static long unusedBlock(int blockBytes) {
    return blockBytes < SUPERBLOCK_DISTANCE_BYTES ? SUPERBLOCK_DISTANCE_BYTES - blockBytes : -1;
  }

  long superblock(long sequence) {
    return (sequence & 1) * SUPERBLOCK_DISTANCE_BYTES;
  }

  long killHalf(long generation) {
    return 2 * SUPERBLOCK_DISTANCE_BYTES + (generation & 1) * killHalfBytes;
  }

  int killHalfBlocks() {
    return (int) (killHalfBytes / blockBytes);
  }

  long segment(int number) {
    return segmentsStart(killHalfBytes, blockBytes) + number * segmentBytes;
  }

  int segmentBlocks() {
    return (int) (segmentBytes / blockBytes);
  }

  long offset(int segment, int block) {
    return segment(segment) + (long) block * blockBytes;
  }

  /** The largest footer: that of a segment of records with one block of payload each. */
  int mostFooterBlocks() {
    return Footer.blocks(segmentBlocks() / 2, blockBytes);
  }
}
