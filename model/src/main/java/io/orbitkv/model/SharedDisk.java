package io.orbitkv.model;

/**
 * A backing tier in time: reads one after another, writes one after another, and while there are
 * both each gets half of what the disk gives. A read's end is told when it is submitted; a write
 * that comes later delays the reads that come after it. In seconds of the disk's own time. One
 * thread.
 */
final class SharedDisk {
  private double now;
  private double reads;
  private double writes;

  /** Moves the clock. */
  void advance(double seconds) {
    double passed = seconds - now;
    now = Math.max(now, seconds);
    if (passed <= 0) {
      return;
    }
    double both = Math.min(passed, 2 * Math.min(reads, writes));
    reads -= both / 2;
    writes -= both / 2;
    reads = Math.max(0, reads - (passed - both));
    writes = Math.max(0, writes - (passed - both));
  }

  /** Seconds of reading until what is queued now is read. */
  double reads() {
    return reads;
  }

  /** Seconds of writing until what is queued now is written. */
  double writes() {
    return writes;
  }

  /** When so many seconds of reading are done, behind what is queued. */
  double endOfRead(double seconds) {
    double all = reads + seconds;
    return now + (writes >= all ? 2 * all : all + writes);
  }

  /** Seconds of reading that are done by then, behind what is queued; not negative. */
  double readBy(double time) {
    double passed = time - now;
    double all = passed / 2 <= writes ? passed / 2 : passed - writes;
    return Math.max(0, all - reads);
  }

  void read(double seconds) {
    reads += seconds;
  }

  void write(double seconds) {
    writes += seconds;
  }
}
