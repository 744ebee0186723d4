package io.orbitkv.wire;

import java.io.IOException;

/** Bytes that are no message of this protocol, or a message that does not fit into a frame. */
public final class ProtocolException extends IOException {
  private static final long serialVersionUID = 1;

  private final String what;
  private final String where;

  /**
   * @param what what is wrong, with the offending value in brackets
   * @param where the message or the part of it
   */
  public ProtocolException(String what, String where) {
    super(where + ": " + what);
    this.what = what;
    this.where = where;
  }

  ProtocolException(String what, String where, Throwable cause) {
    super(where + ": " + what, cause);
    this.what = what;
    this.where = where;
  }

  /** What is wrong. */
  public String what() {
    return what;
  }

  /** In which message or part of it. */
  public String where() {
    return where;
  }
}
