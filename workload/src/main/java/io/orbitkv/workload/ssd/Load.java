package io.orbitkv.workload.ssd;

import java.time.Duration;

/**
 * What is done to a tier for a while: reads of pages in random order, writes of new pages, or both.
 *
 * @param reads of pages that are stored
 * @param writes of new pages
 * @param ramp at its start, which does not count
 * @param time that counts
 * @param mostWrites after which it ends early
 * @param mostReads after which it ends early
 * @param drained whether, before it waits until something is due, it waits for all that is open
 * @param checked whether every byte that is read is compared, which costs time
 */
record Load(
    Stream reads,
    Stream writes,
    Duration ramp,
    Duration time,
    long mostWrites,
    long mostReads,
    boolean drained,
    boolean checked) {
  /**
   * Operations of one kind.
   *
   * @param depth most at a time; 0 for none
   * @param perSecond at what rate they become due; 0 for as fast as the depth allows
   */
  record Stream(int depth, double perSecond) {
    static final Stream NONE = new Stream(0, 0);

    static Stream asFastAsPossible(int depth) {
      return new Stream(depth, 0);
    }

    boolean paced() {
      return perSecond > 0;
    }
  }

  static Load of(Stream reads, Stream writes, Duration ramp, Duration time) {
    return new Load(reads, writes, ramp, time, Long.MAX_VALUE, Long.MAX_VALUE, false, false);
  }

  /**
   * Paced as fio paces a job with a rate: when nothing is due it takes how long until something is,
   * waits for everything that is open, and then waits that long. Hardly ever are two operations
   * open at once, unless it is late, and what a slow one delays is not counted against the device.
   */
  static Load drained(Stream reads, Stream writes, Duration ramp, Duration time) {
    return new Load(reads, writes, ramp, time, Long.MAX_VALUE, Long.MAX_VALUE, true, false);
  }

  /** Writes so many pages, in no more time than {@code limit}. */
  static Load fill(int depth, long pages, Duration limit) {
    return new Load(
        Stream.NONE,
        Stream.asFastAsPossible(depth),
        Duration.ZERO,
        limit,
        pages,
        Long.MAX_VALUE,
        false,
        false);
  }

  /** Reads so many pages and compares them. */
  static Load check(int depth, long pages, Duration limit) {
    return new Load(
        Stream.asFastAsPossible(depth),
        Stream.NONE,
        Duration.ZERO,
        limit,
        Long.MAX_VALUE,
        pages,
        false,
        true);
  }
}
