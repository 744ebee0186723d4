package io.orbitkv.kernel.budget;

/** The answer to a wish for bytes. */
public enum Admission {
  /** The bytes are reserved. */
  ADMITTED,
  /** More than the limit of one query: it would never fit. */
  TOO_LARGE,
  /** Unowned warming gives way to foreground bytes. */
  YIELDS,
  /** The instance has too much reserved. */
  INSTANCE_FULL,
  /** All instances together have too much reserved. */
  TOTAL_FULL
}
