package io.orbitkv.kernel.lease;

import io.orbitkv.kernel.instance.Instance;
import io.orbitkv.kernel.table.LongMap;
import org.jspecify.annotations.Nullable;

/**
 * The leases that only wait, of all instances and of each, in order of granting, with their bytes.
 * A lease is idle from its grant to its first share, and never again, so that the order of arrival
 * is the order of granting and the youngest one is at the end. Everything is O(1).
 */
final class IdleLeases {
  private final Group all = new Group(LeaseList.Kind.IDLE);
  private final LongMap<Group> byInstance = new LongMap<>();
  private long looked;

  private static final class Group {
    final LeaseList leases;
    long bytes;

    Group(LeaseList.Kind kind) {
      leases = new LeaseList(kind);
    }

    void add(Lease lease) {
      leases.add(lease);
      bytes += lease.reservation().bytes();
    }

    void remove(Lease lease) {
      leases.remove(lease);
      bytes -= lease.reservation().bytes();
    }
  }

  /** A lease was granted. */
  void add(Lease lease) {
    lease.listedIdle = true;
    all.add(lease);
    long handle = lease.instance().handle();
    Group own = byInstance.get(handle);
    if (own == null) {
      own = new Group(LeaseList.Kind.IDLE_OF_INSTANCE);
      byInstance.put(handle, own);
    }
    own.add(lease);
  }

  /** A lease is used or closed. Repeating it changes nothing. */
  void remove(Lease lease) {
    if (!lease.listedIdle) {
      return;
    }
    lease.listedIdle = false;
    all.remove(lease);
    long handle = lease.instance().handle();
    Group own = byInstance.get(handle);
    if (own != null) {
      own.remove(lease);
      if (own.leases.isEmpty()) {
        byInstance.remove(handle);
      }
    }
  }

  /** Bytes of one instance, or of all ({@code null}). */
  long bytes(@Nullable Instance instance) {
    Group group = group(instance);
    return group == null ? 0 : group.bytes;
  }

  /** The youngest of one instance, or of all ({@code null}). */
  @Nullable Lease youngest(@Nullable Instance instance) {
    looked++;
    Group group = group(instance);
    return group == null ? null : group.leases.youngest();
  }

  /** How many leases were looked at to find the youngest ones. */
  long looked() {
    return looked;
  }

  private @Nullable Group group(@Nullable Instance instance) {
    return instance == null ? all : byInstance.get(instance.handle());
  }

  /** The deep check of a lease that is not ended. */
  void verify(Lease lease) {
    if (lease.listedIdle != lease.idle()) {
      throw new IllegalStateException(
          "lease [" + lease.id() + "] is listed as idle and is not, or the reverse");
    }
  }

  /**
   * The deep check of the sums.
   *
   * @param bytes of all idle leases, counted anew
   */
  void verifyBytes(long bytes) {
    long own = 0;
    for (Group group : byInstance.values()) {
      own += group.bytes;
    }
    if (all.bytes != bytes || own != bytes) {
      throw new IllegalStateException(
          "idle leases have ["
              + bytes
              + "] bytes, counted are ["
              + all.bytes
              + "], by instance ["
              + own
              + "]");
    }
  }
}
