package io.orbitkv.manager.session;

import io.orbitkv.api.query.ErrorCode;
import java.util.Locale;

/** Why a connection ended. */
public enum SessionEnd {
  /** The client closed it, or is gone. */
  CLIENT_LEFT,
  /** The client did not read its replies. */
  SLOW_READER,
  /** The client broke the protocol, or sent no Hello in time. */
  INVALID,
  /** The client spoke to an earlier Manager. */
  STALE_EPOCH,
  /** The client's protocol is too old. */
  UNSUPPORTED,
  /** The Manager ended. */
  DRAINING,
  /** The Manager failed on it. */
  INTERNAL;

  /** The cause that a refusal of the connection tells. */
  static SessionEnd of(ErrorCode error) {
    return switch (error) {
      case STALE_EPOCH -> STALE_EPOCH;
      case UNSUPPORTED -> UNSUPPORTED;
      case DRAINING -> DRAINING;
      case INTERNAL -> INTERNAL;
      default -> INVALID;
    };
  }

  /** The name in exports. */
  public String key() {
    return name().toLowerCase(Locale.ROOT);
  }
}
