package io.orbitkv.api.memory;

/**
 * The use of a memory tier at one moment, in bytes.
 *
 * @param capacityBytes of all chunks
 * @param activeBytes of the chunks that were activated
 * @param allocatedBytes in allocated runs, rounding included
 * @param largestFreeBytes of the largest free run; with {@code freeBytes} it tells the
 *     fragmentation
 * @param freeBytes in free runs of active chunks
 * @param allocationFailures allocations that found no run, since the start
 * @param hugePageBytes obtained as huge pages, read back from the system; -1 when unknown
 */
public record MemoryUsage(
    long capacityBytes,
    long activeBytes,
    long allocatedBytes,
    long largestFreeBytes,
    long freeBytes,
    long allocationFailures,
    long hugePageBytes) {}
