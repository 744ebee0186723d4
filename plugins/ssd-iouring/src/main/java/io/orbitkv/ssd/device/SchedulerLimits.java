package io.orbitkv.ssd.device;

/**
 * Bounds of a {@link TransferScheduler}.
 *
 * @param blockBytes of the device
 * @param requestBytes most of one request, a multiple of the block
 * @param requestVectors most pieces of memory of one request
 * @param requestsInFlight most of one lane
 * @param readBytesInFlight a request is handed out only below this
 * @param writeBytesInFlight a request is handed out only below this
 * @param writeSharePercent of the bytes while reads are about, 0 to 90
 * @param yieldNanos longest that writes and syncs wait for a moment without reads, while fewer
 *     bytes of writes wait than may be in flight
 * @param besideBytes most of one request of writes while reads are about or may be near
 * @param calmNanos without a read, after which writes use their whole limit
 * @param patienceNanos most that writes wait for reads without any of them going out
 */
record SchedulerLimits(
    int blockBytes,
    long requestBytes,
    int requestVectors,
    int requestsInFlight,
    long readBytesInFlight,
    long writeBytesInFlight,
    int writeSharePercent,
    long yieldNanos,
    long besideBytes,
    long calmNanos,
    long patienceNanos) {
  /** A read every few milliseconds keeps the writes small. */
  private static final long CALM_NANOS = 20_000_000;

  /** So often a write goes out although a read hangs. */
  private static final long PATIENCE_NANOS = 20_000_000;

  private static final int WHOLE_PERCENT = 100;

  /** The limits that follow from the settings. */
  static SchedulerLimits of(DeviceSettings settings, Geometry geometry, int requestsInFlight) {
    int block = geometry.blockBytes();
    long request = Math.max(block, settings.requestBytes() - settings.requestBytes() % block);
    return new SchedulerLimits(
        block,
        request,
        ThreadsDevice.MOST_VECTORS,
        requestsInFlight,
        settings.readBytesInFlight(),
        settings.writeBytesInFlight(),
        settings.writeSharePercent(),
        settings.yieldNanos(),
        Math.clamp(settings.besideBytes(), block, request),
        CALM_NANOS,
        PATIENCE_NANOS);
  }

  /** Bytes that a read of so many bytes earns for writes. */
  long earned(long readBytes) {
    return readBytes * writeSharePercent / (WHOLE_PERCENT - writeSharePercent);
  }

  /** Most bytes of writes in flight beside reads. */
  long writeBytesBesideReads() {
    return Math.min(writeBytesInFlight, Math.max(requestBytes, earned(readBytesInFlight)));
  }
}
