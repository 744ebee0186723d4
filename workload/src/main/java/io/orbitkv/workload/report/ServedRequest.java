package io.orbitkv.workload.report;

/**
 * What one request met. Times are the client's, measured.
 *
 * @param index place in the trace
 * @param promptTokens length of the prompt
 * @param pages complete pages of the prompt
 * @param deviceHitPages of them found in the engine's own device cache
 * @param restoredPages of them restored from the Manager
 * @param slotNanos waited for room in the device
 * @param waitNanos from the submission of the query to the last restored byte; 0 without a query
 */
public record ServedRequest(
    long index,
    int promptTokens,
    int pages,
    int deviceHitPages,
    int restoredPages,
    long slotNanos,
    long waitNanos) {}
