package io.orbitkv.workload.ab.assign;

/** One of the two that are compared. */
public enum Arm {
  /** What there was. */
  A,
  /** What may take its place. */
  B
}
