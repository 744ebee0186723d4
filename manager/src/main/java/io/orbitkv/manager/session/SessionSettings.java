package io.orbitkv.manager.session;

import io.orbitkv.wire.Features;
import java.time.Duration;
import java.util.List;

/**
 * Limits and times of the sessions.
 *
 * @param epoch of this Manager; every frame after Hello carries it
 * @param manager version of the Manager, for Welcome
 * @param maxSessions connections at the same time
 * @param boardRecords records of a session's status board
 * @param replyQueue messages that may wait for a client that does not read
 * @param maxFrameBytes largest frame in either direction
 * @param maxQueryPages most pages in one query, restore or publish
 * @param allowedUsers names of users that may connect beside the Manager's own
 * @param helloTimeout how long a connection may stay silent before its Hello
 * @param lingerTimeout how long a closing session waits for its client to read the reason
 */
public record SessionSettings(
    long epoch,
    String manager,
    int maxSessions,
    int boardRecords,
    int replyQueue,
    int maxFrameBytes,
    int maxQueryPages,
    List<String> allowedUsers,
    Duration helloTimeout,
    Duration lingerTimeout) {
  /** Feature bits that this Manager offers. */
  public static final long OFFERED_FEATURES =
      Features.BOARD
          | Features.PREPARE
          | Features.QUEUE
          | Features.RECOVERY
          | Features.WARM
          | Features.STAGED;

  /** Copies the users. */
  public SessionSettings {
    allowedUsers = List.copyOf(allowedUsers);
  }
}
