package io.orbitkv.api.policy;

/**
 * A tier at one moment. Quantities may be {@link Facts#UNKNOWN}.
 *
 * @param kind which
 * @param capacityBytes size
 * @param freeBytes free
 * @param queuedBytes submitted and not done
 * @param readBytesPerSecond measured
 * @param writeBytesPerSecond measured
 * @param readLatencyNanos measured, mean of a page
 * @param writeBudgetLeft bytes that may still be written now under the write allowance; {@link
 *     Long#MAX_VALUE} where nothing limits writes
 */
public record TierFacts(
    TierKind kind,
    long capacityBytes,
    long freeBytes,
    long queuedBytes,
    long readBytesPerSecond,
    long writeBytesPerSecond,
    long readLatencyNanos,
    long writeBudgetLeft) {}
