package io.orbitkv.workload.replay;

/**
 * How far a replay is.
 *
 * @param requests completed or rejected
 * @param pages complete pages of their prompts
 * @param servedPages of them restored from the Manager
 * @param movedBytes restored and published
 * @param elapsedNanos since the first request
 */
public record ReplayProgress(
    long requests, long pages, long servedPages, long movedBytes, long elapsedNanos) {}
