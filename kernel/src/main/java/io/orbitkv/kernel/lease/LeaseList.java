package io.orbitkv.kernel.lease;

import org.jspecify.annotations.Nullable;

/**
 * Leases in the order in which they came, linked through the leases themselves: adding, removing
 * and both ends are O(1). A lease is in at most one list of each kind at a time.
 */
final class LeaseList {
  private final Kind kind;
  private @Nullable Lease oldest;
  private @Nullable Lease youngest;

  LeaseList(Kind kind) {
    this.kind = kind;
  }

  /** Which of a lease's links a list uses. */
  enum Kind {
    /** All leases of one standing. */
    STANDING(0),
    /** All leases that only wait. */
    IDLE(1),
    /** Those of one instance. */
    IDLE_OF_INSTANCE(2);

    static final int COUNT = 3;

    private final int place;

    Kind(int place) {
      this.place = place;
    }

    @Nullable Lease older(Lease lease) {
      return lease.older[place];
    }

    @Nullable Lease younger(Lease lease) {
      return lease.younger[place];
    }

    private void link(Lease lease, @Nullable Lease older, @Nullable Lease younger) {
      lease.older[place] = older;
      lease.younger[place] = younger;
    }
  }

  void add(Lease lease) {
    kind.link(lease, youngest, null);
    if (youngest == null) {
      oldest = lease;
    } else {
      youngest.younger[kind.place] = lease;
    }
    youngest = lease;
  }

  void remove(Lease lease) {
    Lease older = kind.older(lease);
    Lease younger = kind.younger(lease);
    if (older == null) {
      oldest = younger;
    } else {
      older.younger[kind.place] = younger;
    }
    if (younger == null) {
      youngest = older;
    } else {
      younger.older[kind.place] = older;
    }
    kind.link(lease, null, null);
  }

  @Nullable Lease oldest() {
    return oldest;
  }

  @Nullable Lease youngest() {
    return youngest;
  }

  @Nullable Lease younger(Lease lease) {
    return kind.younger(lease);
  }

  boolean isEmpty() {
    return oldest == null;
  }
}
