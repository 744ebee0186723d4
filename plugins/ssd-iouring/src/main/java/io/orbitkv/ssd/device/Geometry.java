package io.orbitkv.ssd.device;

/**
 * What a device asks of a transfer.
 *
 * @param sizeBytes of the file or device
 * @param blockBytes unit of offsets and lengths: a power of two, the larger of what the device asks
 *     for and 4 KiB
 * @param memoryAlignment unit of buffer addresses, a power of two
 * @param direct whether transfers pass the page cache by
 */
public record Geometry(long sizeBytes, int blockBytes, int memoryAlignment, boolean direct) {}
