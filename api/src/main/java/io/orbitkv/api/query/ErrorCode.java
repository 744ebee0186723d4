package io.orbitkv.api.query;

/** Why a request was refused. The codes are part of the wire protocol and never change. */
public enum ErrorCode {
  /** No error. */
  NONE(0),
  /** The request contradicts itself or the protocol. */
  INVALID(1),
  /** The epoch is not this Manager's: reconnect. */
  STALE_EPOCH(2),
  /** The revision or operation id was used already, or is no longer the current one. */
  STALE_OPERATION(3),
  /** The operation, lease or instance is not known (any more). */
  UNKNOWN(4),
  /** The lease or instance belongs to somebody else. */
  NOT_OWNER(5),
  /** Not all workers of the instance have registered. */
  NOT_SEALED(6),
  /** What is registered already does not fit what is asked. */
  CONFLICT(7),
  /** This Manager does not offer the feature. */
  UNSUPPORTED(8),
  /** A limit of the session or the Manager is reached. */
  LIMIT(9),
  /** The device memory could not be opened. */
  DEVICE(10),
  /** The Manager is draining and takes nothing new. */
  DRAINING(11),
  /** The Manager failed; its log says why. */
  INTERNAL(12);

  private static final ErrorCode[] BY_CODE = values();

  private final int code;

  ErrorCode(int code) {
    this.code = code;
  }

  /** The code on the wire. */
  public int code() {
    return code;
  }

  /**
   * @throws IllegalArgumentException when no error has the code
   */
  public static ErrorCode of(int code) {
    if (code < 0 || code >= BY_CODE.length) {
      throw new IllegalArgumentException("error code [" + code + "] is unknown");
    }
    return BY_CODE[code];
  }
}
