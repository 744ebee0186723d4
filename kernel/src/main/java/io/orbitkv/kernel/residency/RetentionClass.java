package io.orbitkv.kernel.residency;

/** Victims are taken from the first class that has one. Published pages are probationary. */
public enum RetentionClass {
  /** Warmed or prepared, not used yet. */
  RECLAIMABLE,
  /** The ordinary class. */
  PROBATIONARY,
  /** Proven by reuse. */
  PROTECTED;

  private static final RetentionClass[] BY_ORDINAL = values();

  static RetentionClass of(int ordinal) {
    return BY_ORDINAL[ordinal];
  }

  static int count() {
    return BY_ORDINAL.length;
  }
}
