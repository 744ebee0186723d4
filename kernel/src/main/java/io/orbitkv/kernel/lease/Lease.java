package io.orbitkv.kernel.lease;

import io.orbitkv.api.lease.LeaseId;
import io.orbitkv.api.lease.ReservationPhase;
import io.orbitkv.kernel.budget.Reservation;
import io.orbitkv.kernel.instance.Instance;
import org.jspecify.annotations.Nullable;

/**
 * Complete pages that an instance's ranks may restore, one share each. It starts as an offer and is
 * taken by an acknowledgement. When it closes nobody can take a share any more; pages and bytes go
 * with the last copy.
 */
public final class Lease {
  private final LeaseId id;
  private final Holder holder;
  private final Instance instance;
  private final int[] groups;
  private final int[] pagesOfGroup;
  private final int[] pages;
  private final Reservation reservation;
  private final long sequence;
  int shares;
  int copies;
  Standing standing = Standing.OFFERED;
  long deadlineNanos;
  boolean listedIdle;
  final @Nullable Lease[] older = new Lease[LeaseList.Kind.COUNT];
  final @Nullable Lease[] younger = new Lease[LeaseList.Kind.COUNT];

  Lease(
      LeaseId id,
      Holder holder,
      Instance instance,
      int[] groups,
      int[] pagesOfGroup,
      int[] pages,
      Reservation reservation,
      long sequence) {
    this.id = id;
    this.holder = holder;
    this.instance = instance;
    this.groups = groups;
    this.pagesOfGroup = pagesOfGroup;
    this.pages = pages;
    this.reservation = reservation;
    this.sequence = sequence;
    this.shares = (int) ((1L << instance.worldSize()) - 1);
  }

  /** What a lease was granted for. */
  public interface Holder {
    /** No share can be taken any more. Called once, before pages and bytes go. */
    void closed();
  }

  /** Where a lease stands. */
  public enum Standing {
    /** Nobody has acknowledged it yet. */
    OFFERED,
    /** Acknowledged. */
    TAKEN,
    /** Closed, but copies still run. */
    DRAINING,
    /** Nothing is left. */
    ENDED
  }

  /** The name. */
  public LeaseId id() {
    return id;
  }

  /** What it was granted for. */
  public Holder holder() {
    return holder;
  }

  /** The generation whose ranks have the shares. */
  public Instance instance() {
    return instance;
  }

  /** The groups of the pages, ascending; not to be changed. */
  public int[] groups() {
    return groups;
  }

  /** How many pages each group has; not to be changed. */
  public int[] pagesOfGroup() {
    return pagesOfGroup;
  }

  /** Bytes that its pages are charged with. */
  public long chargedBytes() {
    long bytes = 0;
    for (int i = 0; i < groups.length; i++) {
      bytes += pagesOfGroup[i] * instance.pageBytes(groups[i]);
    }
    return bytes;
  }

  /** The pages in the order of the query; not to be changed. */
  public int[] pages() {
    return pages;
  }

  /** Its bytes. */
  public Reservation reservation() {
    return reservation;
  }

  /** Order of granting. */
  public long sequence() {
    return sequence;
  }

  /** Where it stands. */
  public Standing standing() {
    return standing;
  }

  /** Whether shares can be taken. */
  public boolean open() {
    return standing == Standing.OFFERED || standing == Standing.TAKEN;
  }

  /** Whether a rank has its share still. */
  public boolean hasShare(int rank) {
    return open() && (shares & 1 << rank) != 0;
  }

  /** Copies that run on it. */
  public int copies() {
    return copies;
  }

  /** Whether it only waits: no share was consumed and no copy submitted. */
  public boolean idle() {
    return open()
        && copies == 0
        && reservation.phase() == ReservationPhase.READY
        && Integer.bitCount(shares) == instance.worldSize();
  }
}
