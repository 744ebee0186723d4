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
  /**
   * Not findable any more while something still refers to it or resident pages follow it on its
   * chain; freed with the last of them.
   */
  ORPHAN(3),
  /** Hardware may touch it until the process ends. Never freed. */
  QUARANTINED(4),
  /** Has its runs, is not findable: a read from the backing tier fills it. */
  READING(5);

  static final int COUNT = 6;

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
