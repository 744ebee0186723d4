package io.orbitkv.client;

import io.orbitkv.api.query.ErrorCode;

/** The Manager refused a request, or this client did in its place. Nothing changed. */
public class OrbitKvException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final ErrorCode code;

  /**
   * @param code why
   * @param message what is wrong and what to do
   */
  public OrbitKvException(ErrorCode code, String message) {
    super(message);
    this.code = code;
  }

  OrbitKvException(ErrorCode code, String message, Throwable cause) {
    super(message, cause);
    this.code = code;
  }

  /** Why. */
  public final ErrorCode code() {
    return code;
  }
}
