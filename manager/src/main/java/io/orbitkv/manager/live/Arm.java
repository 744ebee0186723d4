package io.orbitkv.manager.live;

/** A variant of an experiment. */
enum Arm {
  /** What there was. */
  A,
  /** What may take its place. */
  B;

  static Arm of(boolean ofB) {
    return ofB ? B : A;
  }
}
