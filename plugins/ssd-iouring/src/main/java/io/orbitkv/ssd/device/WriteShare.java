package io.orbitkv.ssd.device;

/**
 * When writes may go beside reads. A read that meets a queue of writes inside the device waits for
 * them, whatever the order outside, so few bytes of writes are in flight while reads are about:
 *
 * <ul>
 *   <li>While a read waits or is in flight, writes spend credit: each byte of reads handed out
 *       earns them {@code share / (100 - share)} bytes. That is the guaranteed share. Before they
 *       spend it they wait for a moment without reads, for {@link SchedulerLimits#yieldNanos} at
 *       most, and not at all when more bytes wait than may be in flight: a device with moments to
 *       spare does its writes in those.
 *   <li>When the last read has just ended, writes need no credit, but only one request is in
 *       flight, since the next read may be near.
 *   <li>When no read was seen for {@link SchedulerLimits#calmNanos}, writes use their whole limit.
 *   <li>A write that waited {@link SchedulerLimits#patienceNanos} goes out whatever the credit: a
 *       read that hangs stops no write.
 * </ul>
 */
final class WriteShare {
  private final SchedulerLimits limits;
  private long credit;
  private boolean anyRead;
  private long lastReadNanos;
  private long lastWriteNanos;

  WriteShare(SchedulerLimits limits) {
    this.limits = limits;
  }

  /** Writes wait where none did: patience counts from here. */
  void writesBegin(long nowNanos) {
    lastWriteNanos = nowNanos;
  }

  /** A read was handed out or came back. */
  void readSeen(long nowNanos) {
    anyRead = true;
    lastReadNanos = nowNanos;
  }

  /** Bytes of reads were handed out while writes wait or are in flight. */
  void earn(long readBytes) {
    credit = Math.min(limits.writeBytesBesideReads(), credit + limits.earned(readBytes));
  }

  /** Bytes of writes were handed out. */
  void spend(long writeBytes, boolean readsAbout, long nowNanos) {
    lastWriteNanos = nowNanos;
    if (readsAbout) {
      // Below zero by a part of a request at most; what reads earn pays that back first.
      credit -= writeBytes;
    }
  }

  /**
   * Whether the next request of writes may go.
   *
   * @param waitingBytes of writes that did not end
   * @param oldestNanos when the first of those that wait arrived
   */
  boolean permits(
      boolean readsAbout,
      long writeBytesInFlight,
      long waitingBytes,
      long oldestNanos,
      long nowNanos) {
    if (readsAbout) {
      return (credit > 0 && !yields(waitingBytes, oldestNanos, nowNanos))
          || (writeBytesInFlight == 0 && nowNanos - lastWriteNanos >= limits.patienceNanos());
    }
    return calm(nowNanos)
        || writeBytesInFlight < (limits.yieldNanos() > 0 ? 1 : limits.writeBytesBesideReads());
  }

  /** Whether no read was seen for a while. */
  boolean calm(long nowNanos) {
    return !anyRead || nowNanos - lastReadNanos >= limits.calmNanos();
  }

  /** Whether writes wait for a moment without reads although they have credit. */
  boolean yields(long waitingBytes, long oldestNanos, long nowNanos) {
    return waitingBytes <= limits.writeBytesInFlight()
        && nowNanos - oldestNanos < limits.yieldNanos();
  }

  /** How long until patience alone permits a write. */
  long patienceLeftNanos(long nowNanos) {
    return Math.max(1, limits.patienceNanos() - (nowNanos - lastWriteNanos));
  }

  /** How long until what came at a moment does not yield any more. */
  long yieldLeftNanos(long oldestNanos, long nowNanos) {
    return Math.max(1, limits.yieldNanos() - (nowNanos - oldestNanos));
  }
}
