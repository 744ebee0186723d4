package io.orbitkv.kernel.residency;

/** The one state of a page slot. The bytes of all allocated states add up to what the memory tier has allocated. */
public enum PageState {
  /** The slot names no page. */
  FREE,
  /** Has its runs, is not findable: copies run, or a commit or a partner rank is missing. */
  UNSEALED,
  /** Findable. */
  RESIDENT,
  /** Given up while a copy still touches it; freed with the last reference. */
  ORPHAN,
  /** Hardware may touch it until the process ends. Never freed. */
  QUARANTINED;

  private static final PageState[] BY_ORDINAL = values();

  static PageState of(int ordinal) {
    return BY_ORDINAL[ordinal];
  }

  static int count() {
    return BY_ORDINAL.length;
  }
}
