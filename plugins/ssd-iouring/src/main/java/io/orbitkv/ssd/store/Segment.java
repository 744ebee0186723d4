package io.orbitkv.ssd.store;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * One segment: what is in it and what becomes of it. Changed by {@link Catalog} and the writers.
 */
final class Segment {
  /** Life of a segment, in this order and round again. */
  enum State {
    /** Holds nothing that counts; needs a header of a new pass before it is written. */
    FREE,
    /** Its next header is being written. */
    RENEWING,
    /** Its header is durable; nothing was written behind it. */
    PREPARED,
    /** Records are appended. */
    OPEN,
    /** Takes no more records; its footer is not durable yet. */
    SEALING,
    /** May become a victim. */
    SEALED,
    /** A victim: hot pages are moved out of it. */
    DRAINING
  }

  final int number;
  State state = State.FREE;
  long pass;
  long mountEpoch;

  /** Accepted pages, linked in the table. */
  int firstPage = PageTable.NONE;

  int pages;
  long liveBlocks;

  /** Over live pages, blocks times score; wraps around, as differences do not mind. */
  long scoreSum;

  /** Reads under way; no overwrite before they end. */
  int readers;

  /** Where the next record goes, in blocks from the segment's start. */
  int nextBlock;

  /** Records that were begun in this pass. */
  int records;

  /** Records whose writes were begun and not reported, in the order of their places. */
  final ArrayDeque<Append> pending = new ArrayDeque<>();

  /**
   * Generations of pages that were moved away under readers, and those of their copies; until the
   * last reader has ended.
   */
  final Map<Long, Long> moved = new HashMap<>();

  /** A write failed: what was not reported before it is not reported as stored. */
  boolean failed;

  /** The device may still write to it: it is never used again. */
  boolean uncertain;

  private int[] kills = new int[0];
  private int killed;

  Segment(int number) {
    this.number = number;
  }

  /** Starts a pass: empty. */
  void renew(long newPass, long epoch) {
    pass = newPass;
    mountEpoch = epoch;
    nextBlock = 1;
    records = 0;
    failed = false;
    killed = 0;
    kills = new int[0];
  }

  SegmentHeader header() {
    return new SegmentHeader(number, pass, mountEpoch);
  }

  /** Notes that the record at a block of this pass is dead. */
  void kill(int block) {
    if (killed == kills.length) {
      kills = Arrays.copyOf(kills, Math.max(8, killed * 2));
    }
    kills[killed++] = block;
  }

  /** Puts dead records in order, each once, for {@link #isKilled}. */
  void sortKills() {
    Arrays.sort(kills, 0, killed);
    int kept = 0;
    for (int i = 0; i < killed; i++) {
      if (i == 0 || kills[i] != kills[i - 1]) {
        kills[kept++] = kills[i];
      }
    }
    killed = kept;
  }

  /** Whether the record at a block is dead; after {@link #sortKills} and before another kill. */
  boolean isKilled(int block) {
    return Arrays.binarySearch(kills, 0, killed, block) >= 0;
  }

  int killed() {
    return killed;
  }

  int killedBlock(int index) {
    return kills[index];
  }
}
