package io.orbitkv.ssd.sim.disk;

/** Which of the writes that were not flushed a crash leaves on the medium. */
public enum Survival {
  /** None. */
  NONE,
  /** All, whole. */
  ALL,
  /** Each with the same chance, whole. */
  SOME_WRITES,
  /** Each sector with the same chance. */
  SOME_SECTORS,
  /** All but one, which is torn. */
  ONE_TORN,
  /** The oldest, up to one that is torn. */
  OLDEST,
  /** The newest, whole. */
  NEWEST
}
