package io.orbitkv.kernel.residency;

/** Victims are taken from the first class that has one. Published pages are probationary. */
public enum RetentionClass {
  /** Warmed or prepared, not used yet. */
  RECLAIMABLE(0),
  /** The ordinary class. */
  PROBATIONARY(1),
  /** Proven by reuse. */
  PROTECTED(2);

  static final int COUNT = 3;

  private static final RetentionClass[] BY_CODE = values();

  /** As the slot of a page holds it; victims are taken from the lowest. */
  final int code;

  RetentionClass(int code) {
    this.code = code;
  }

  static RetentionClass of(int code) {
    return BY_CODE[code];
  }
}
