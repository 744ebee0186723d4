package io.orbitkv.api.backing;

/**
 * The use of a backing tier at one moment.
 *
 * @param engine how it reaches its device, for example {@code io-uring} or {@code threads}; empty
 *     when there is nothing to tell
 * @param capacityBytes of the store
 * @param usedBytes in findable pages
 * @param pages findable
 * @param queuedReadBytes submitted and not reported
 * @param queuedWriteBytes submitted and not reported
 * @param payloadWrittenBytes payload of the writes that were reported as done since the start
 * @param writtenBytes that went to the device since the start for whatever reason: headers, padding
 *     and copies of the tier's own are in it
 * @param writeBudgetLeftBytes that may go to the device now under every limit on writes, what is
 *     submitted included; {@link #UNLIMITED} without a limit
 * @param degraded empty when healthy, otherwise why the tier is out of the read path or does not
 *     write
 */
public record BackingUsage(
    String engine,
    long capacityBytes,
    long usedBytes,
    long pages,
    long queuedReadBytes,
    long queuedWriteBytes,
    long payloadWrittenBytes,
    long writtenBytes,
    long writeBudgetLeftBytes,
    String degraded) {
  /** No limit on writes. */
  public static final long UNLIMITED = Long.MAX_VALUE;

  /** The use of a tier that counts no writes and has no limit on them. */
  public BackingUsage(
      long capacityBytes,
      long usedBytes,
      long pages,
      long queuedReadBytes,
      long queuedWriteBytes,
      String degraded) {
    this(
        "",
        capacityBytes,
        usedBytes,
        pages,
        queuedReadBytes,
        queuedWriteBytes,
        0,
        0,
        UNLIMITED,
        degraded);
  }

  /** Bytes written to the device for a byte of payload; 1 before anything was written. */
  public double writeAmplification() {
    return payloadWrittenBytes == 0 ? 1 : (double) writtenBytes / payloadWrittenBytes;
  }

  /** The same, but degraded for another reason. */
  public BackingUsage degraded(String reason) {
    return new BackingUsage(
        engine,
        capacityBytes,
        usedBytes,
        pages,
        queuedReadBytes,
        queuedWriteBytes,
        payloadWrittenBytes,
        writtenBytes,
        writeBudgetLeftBytes,
        reason);
  }
}
