package io.orbitkv.kernel.lease;

import org.jspecify.annotations.Nullable;

/** Leases in the order in which they came. A lease is in one list at a time. */
final class LeaseList {
  private @Nullable Lease oldest;
  private @Nullable Lease youngest;

  void add(Lease lease) {
    lease.older = youngest;
    lease.younger = null;
    if (youngest == null) {
      oldest = lease;
    } else {
      youngest.younger = lease;
    }
    youngest = lease;
  }

  void remove(Lease lease) {
    Lease older = lease.older;
    Lease younger = lease.younger;
    if (older == null) {
      oldest = younger;
    } else {
      older.younger = younger;
    }
    if (younger == null) {
      youngest = older;
    } else {
      younger.older = older;
    }
    lease.older = null;
    lease.younger = null;
  }

  @Nullable Lease oldest() {
    return oldest;
  }
}
