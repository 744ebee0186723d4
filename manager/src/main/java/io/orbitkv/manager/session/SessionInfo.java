package io.orbitkv.manager.session;

/**
 * A session at one moment, for the status.
 *
 * @param session number of the connection
 * @param principal user of the peer, as the system names it
 * @param client name and version that the client gave; empty before its Hello
 * @param pid process id as the client sees it; 0 before its Hello
 * @param features bits in use
 * @param ageNanos since it was accepted
 * @param waitingReplies messages that the client has not read
 */
public record SessionInfo(
    long session,
    String principal,
    String client,
    long pid,
    long features,
    long ageNanos,
    int waitingReplies) {}
