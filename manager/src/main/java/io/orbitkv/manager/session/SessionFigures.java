package io.orbitkv.manager.session;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;

/**
 * Connections at one moment; opened equals open plus closed.
 *
 * @param open now
 * @param opened since the start
 * @param closed since the start, by cause
 * @param refused since the start, at the door
 * @param waitingReplies messages that wait for their clients, in all sessions
 * @param longestQueue messages that wait for the slowest client
 */
public record SessionFigures(
    int open,
    long opened,
    Map<SessionEnd, Long> closed,
    long refused,
    long waitingReplies,
    long longestQueue) {
  /** Copies the map. */
  public SessionFigures {
    Map<SessionEnd, Long> copy = new EnumMap<>(SessionEnd.class);
    copy.putAll(closed);
    closed = Collections.unmodifiableMap(copy);
  }
}
