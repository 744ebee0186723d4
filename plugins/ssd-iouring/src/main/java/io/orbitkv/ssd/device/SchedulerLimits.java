package io.orbitkv.ssd.device;

/** Limits of the scheduler that follow from the settings. */
final class SchedulerLimits {
  /** A read every few milliseconds keeps the writes small. */
  private static final long CALM_NANOS = 20_000_000;

  /** So often a write goes out although a read hangs. */
  private static final long PATIENCE_NANOS = 20_000_000;

  private SchedulerLimits() {}

  static TransferScheduler.Limits of(
      DeviceSettings settings, Geometry geometry, int requestsInFlight) {
    int block = geometry.blockBytes();
    long request = Math.max(block, settings.requestBytes() - settings.requestBytes() % block);
    return new TransferScheduler.Limits(
        block,
        request,
        ThreadsDevice.MOST_VECTORS,
        requestsInFlight,
        settings.readBytesInFlight(),
        settings.writeBytesInFlight(),
        settings.writeSharePercent(),
        CALM_NANOS,
        PATIENCE_NANOS);
  }
}
