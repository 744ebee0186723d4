package io.orbitkv.ssd.device;

/**
 * Load of a device at one moment.
 *
 * @param engine name of the engine, {@code io-uring} or {@code threads}
 * @param queuedReadBytes submitted and not completed
 * @param queuedWriteBytes submitted and not completed
 * @param readBytes completed so far
 * @param writtenBytes completed so far
 * @param oldestNanos age of the oldest transfer that has not completed; 0 for none
 */
public record DeviceUsage(
    String engine,
    long queuedReadBytes,
    long queuedWriteBytes,
    long readBytes,
    long writtenBytes,
    long oldestNanos) {}
