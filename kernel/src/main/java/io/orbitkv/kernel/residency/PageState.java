package io.orbitkv.kernel.residency;

/**
 * The one state of a page slot. The bytes of all allocated states add up to what the memory tier
 * has allocated.
 */
public enum PageState {
  /** The slot names no page. */
  FREE(0),
  /** Has its runs, is not findable: copies run, or a commit or a partner rank is missing. */
  UNSEALED(1),
  /** Findable. */
  RESIDENT(2),
  /** Given up while a copy still touches it; freed with the last reference. */
  ORPHAN(3),
  /** Hardware may touch it until the process ends. Never freed. */
  QUARANTINED(4);

  static final int COUNT = 5;

  private static final PageState[] BY_CODE = values();

  /** As the slot of a page holds it. */
  final int code;

  PageState(int code) {
    this.code = code;
  }

  static PageState of(int code) {
    return BY_CODE[code];
  }
}
