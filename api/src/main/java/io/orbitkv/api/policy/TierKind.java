package io.orbitkv.api.policy;

/** Where a page can be. */
public enum TierKind {
  /** Only on a device. */
  DEVICE,
  /** In host memory. */
  DRAM,
  /** In a backing tier. */
  SSD
}
