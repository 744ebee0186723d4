package io.orbitkv.api.backing;

/**
 * The use of a backing tier at one moment.
 *
 * @param capacityBytes of the store
 * @param usedBytes in findable pages
 * @param pages findable
 * @param queuedReadBytes submitted and not reported
 * @param queuedWriteBytes submitted and not reported
 * @param degraded empty when healthy, otherwise why the tier is out of the read path or does not
 *     write
 */
public record BackingUsage(
    long capacityBytes,
    long usedBytes,
    long pages,
    long queuedReadBytes,
    long queuedWriteBytes,
    String degraded) {}
