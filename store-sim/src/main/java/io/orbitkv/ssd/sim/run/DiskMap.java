package io.orbitkv.ssd.sim.run;

import io.orbitkv.ssd.sim.rule.Step;

/**
 * What lies where: superblocks at 0 and 64 KiB, the log of evictions up to the first segment, then
 * segments, each with its header first.
 *
 * @param segmentsFrom offset of the first segment
 * @param segmentBytes of a segment
 */
record DiskMap(long segmentsFrom, long segmentBytes) {
  private static final long SUPERBLOCKS_END = 128 * 1024;

  /** Where the superblocks and what lies between them end. */
  long superblocksEnd() {
    return SUPERBLOCKS_END;
  }

  /** Number of the segment at an offset; -1 for none. */
  long segment(long offset) {
    return offset < segmentsFrom ? -1 : (offset - segmentsFrom) / segmentBytes;
  }

  /** Where the segment at an offset begins. */
  long start(long offset) {
    return segmentsFrom + segment(offset) * segmentBytes;
  }

  /** What a write to a running store is that carries none of a caller's pages. */
  Step write(long offset) {
    if (offset < SUPERBLOCKS_END) {
      return Step.SUPERBLOCK;
    }
    if (offset < segmentsFrom) {
      return Step.KILL_LOG;
    }
    return offset == start(offset) ? Step.SEGMENT_HEADER : Step.FOOTER;
  }

  /** What a write of an opening store is. */
  Step recoveryWrite(long offset) {
    return switch (write(offset)) {
      case SUPERBLOCK -> Step.RECOVERY_SUPERBLOCK;
      case KILL_LOG -> Step.RECOVERY_KILL_LOG;
      case SEGMENT_HEADER -> Step.RECOVERY_SEGMENT_HEADER;
      default -> Step.RECOVERY_FOOTER;
    };
  }

  /** What a read of an opening store is. */
  Step recoveryRead(long offset) {
    return switch (write(offset)) {
      case SUPERBLOCK -> Step.RECOVERY_READ_SUPERBLOCK;
      case KILL_LOG -> Step.RECOVERY_READ_KILL_LOG;
      case SEGMENT_HEADER -> Step.RECOVERY_READ_SEGMENT_HEADER;
      default -> Step.RECOVERY_READ_SEGMENT;
    };
  }
}
