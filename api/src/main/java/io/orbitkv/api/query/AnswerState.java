package io.orbitkv.api.query;

/**
 * The state of an operation as its client sees it. The codes are part of the wire protocol and of
 * the status board and never change; 0 is an unused board record.
 */
public enum AnswerState {
  /** Accepted, not finished. */
  LOADING(1, false),
  /** A query found pages: an offer of a lease, which lapses unless it is taken. */
  READY(2, true),
  /** A query found nothing, or the lease of a restore is gone: recompute. */
  MISS(3, true),
  /** A limit on operations is reached; the operation id is not used up. */
  BUSY(4, true),
  /** A restore is complete: every byte is in device memory. */
  RESTORED(5, true),
  /** A publish is copied: the source device pages are free. The pages seal on the commit. */
  PUBLISHED(6, true),
  /**
   * The operation failed in its hardware part; device pages are free, their content is undefined.
   */
  FAILED(7, true),
  /** The operation was cancelled by its client. */
  CANCELLED(8, true),
  /** The operation was refused; the error code says why. */
  REFUSED(9, true),
  /** A preparation holds its pages and waits for its claim. Says nothing about how many. */
  PREPARED(10, false),
  /** A warming ended: so many pages were read into host memory. Nobody owns them. */
  WARMED(11, true),
  /**
   * A staged restore: all its copies are submitted, with an event behind each layer for which the
   * client's streams may wait now. Says nothing about the end, which follows.
   */
  SUBMITTED(12, false);

  private static final AnswerState[] BY_CODE = values();

  private final int code;
  private final boolean terminal;

  AnswerState(int code, boolean terminal) {
    this.code = code;
    this.terminal = terminal;
  }

  /** The code on the wire and on the board. */
  public int code() {
    return code;
  }

  /** Whether nothing follows. */
  public boolean terminal() {
    return terminal;
  }

  /**
   * @throws IllegalArgumentException when no state has the code
   */
  public static AnswerState of(int code) {
    if (code < 1 || code > BY_CODE.length) {
      throw new IllegalArgumentException("answer state [" + code + "] is unknown");
    }
    return BY_CODE[code - 1];
  }
}
