package io.orbitkv.kernel.operation;

/**
 * The heap that the keys of pending work take: undecided queries, publishes that are not over, and
 * the requests of engines' queues. One for all sessions, since the heap is one. Dispatcher.
 */
public final class PendingKeys {
  private final long limitBytes;
  private long bytes;

  /**
   * @param limitBytes of all pending keys together
   */
  public PendingKeys(long limitBytes) {
    this.limitBytes = limitBytes;
  }

  /** Bytes that halves of keys take. */
  public static long bytesOf(long[] keys) {
    return (long) keys.length * Long.BYTES;
  }

  /**
   * Whether so many bytes more may become pending. What is pending alone always may, or it never
   * could.
   */
  public boolean admits(long more) {
    return bytes == 0 || bytes + more <= limitBytes;
  }

  /** Keys become pending or are let go. */
  public void add(long delta) {
    bytes += delta;
  }

  /** Bytes that are pending. */
  public long bytes() {
    return bytes;
  }
}
