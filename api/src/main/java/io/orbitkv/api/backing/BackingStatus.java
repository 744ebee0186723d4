package io.orbitkv.api.backing;

/** How a submitted operation of a backing tier ended. */
public enum BackingStatus {
  /** Complete and checked. */
  DONE,
  /** The page is not stored (any more). */
  ABSENT,
  /** The page failed its checks; the tier dropped it. */
  CORRUPT,
  /** Fewer bytes than the page has could be moved. */
  SHORT,
  /** The store has no room for it. */
  FULL,
  /** The device reported an error. */
  DEVICE_ERROR,
  /** Nobody knows whether the device still touches the runs: they are quarantined. */
  UNKNOWN
}
