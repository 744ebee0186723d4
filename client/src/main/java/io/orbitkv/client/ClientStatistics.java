package io.orbitkv.client;

/**
 * What a client counted since it connected.
 *
 * @param boardAnswers terminal answers read from the status board
 * @param socketAnswers terminal answers that came over the socket, refusals included
 * @param asks questions about operations on which the board was silent
 * @param operationsWithoutRecord operations that found no free board record and used the socket
 * @param lateReplies replies to operations that had ended already, among them refusals of
 *     acknowledgements that came too late
 * @param fenceWarnings warnings about copies whose device pages stay in use for want of an answer
 */
public record ClientStatistics(
    long boardAnswers,
    long socketAnswers,
    long asks,
    long operationsWithoutRecord,
    long lateReplies,
    long fenceWarnings) {}
