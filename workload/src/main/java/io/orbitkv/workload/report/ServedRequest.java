package io.orbitkv.workload.report;

/**
 * What one request met. Times are the client's, measured.
 *
 * @param index place in the trace
 * @param promptTokens length of the prompt
 * @param pages complete pages of the prompt
 * @param deviceHitPages of them found in the engine's own device cache
 * @param restoredPages of them restored from the Manager
 * @param slotNanos waited for room in the device and for the turn to be scheduled
 * @param waitNanos from the submission of the query to the last restored byte; 0 without a query
 * @param computeNanos from there to the end of the rest of the prompt, with an engine that takes
 *     its time for it; {@link #NOT_COMPUTED} otherwise
 */
public record ServedRequest(
    long index,
    int promptTokens,
    int pages,
    int deviceHitPages,
    int restoredPages,
    long slotNanos,
    long waitNanos,
    long computeNanos) {
  /** The engine computes in no time. */
  public static final long NOT_COMPUTED = -1;
}
