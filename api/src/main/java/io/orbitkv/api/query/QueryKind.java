package io.orbitkv.api.query;

/** What a submitted query wants. The codes are part of the wire protocol and never change. */
public enum QueryKind {
  /** The longest available prefix, leased. */
  DEMAND(0),
  /** All pages of the prefix or nothing; read cut-offs do not apply (producer-wait). */
  PRODUCER_WAIT(1),
  /** All pages of a selected boundary's ranges, or nothing; carries a demand. */
  SELECTED(2),
  /** Candidate positions only; no lease, no reservation. */
  DISCOVER(3),
  /** An owned, speculative read that a later demand may claim. */
  PREPARE(4),
  /** An unowned, speculative read into the reclaimable class. */
  WARM(5);

  private static final QueryKind[] BY_CODE = values();

  private final int code;

  QueryKind(int code) {
    this.code = code;
  }

  /** The code on the wire. */
  public int code() {
    return code;
  }

  /**
   * @throws IllegalArgumentException when no kind has the code
   */
  public static QueryKind of(int code) {
    if (code < 0 || code >= BY_CODE.length) {
      throw new IllegalArgumentException("query kind [" + code + "] is unknown");
    }
    return BY_CODE[code];
  }
}
