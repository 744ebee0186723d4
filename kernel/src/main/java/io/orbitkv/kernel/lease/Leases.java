package io.orbitkv.kernel.lease;

import io.orbitkv.api.lease.LeaseId;
import io.orbitkv.api.lease.ReservationPhase;
import io.orbitkv.kernel.BrokenInvariant;
import io.orbitkv.kernel.KernelCounter;
import io.orbitkv.kernel.budget.Budget;
import io.orbitkv.kernel.budget.Reservation;
import io.orbitkv.kernel.instance.Instance;
import io.orbitkv.kernel.residency.Residency;
import io.orbitkv.kernel.step.Step;
import io.orbitkv.kernel.table.LongMap;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** All leases of one partition. Dispatcher. */
public final class Leases {
  private final Step step;
  private final Residency residency;
  private final Budget budget;
  private final LongMap<Lease> byId = new LongMap<>();
  private final LeaseList offered = new LeaseList(LeaseList.Kind.STANDING);
  private final LeaseList taken = new LeaseList(LeaseList.Kind.STANDING);
  private final LeaseList draining = new LeaseList(LeaseList.Kind.STANDING);
  private final IdleLeases idle = new IdleLeases();
  private long granted;
  private int alive;

  /** No lease is granted. */
  public Leases(Step step, Residency residency, Budget budget) {
    this.step = step;
    this.residency = residency;
    this.budget = budget;
  }

  /**
   * Offers pages on which the caller took one reference each.
   *
   * @param holder told when the lease closes
   * @param reservation of exactly these pages; belongs to the lease from now on
   */
  public Lease grant(
      Lease.Holder holder,
      Instance instance,
      int[] groups,
      int[] pagesOfGroup,
      int[] pages,
      Reservation reservation) {
    long high;
    long low;
    do {
      high = step.random().nextLong();
      low = step.random().nextLong();
    } while ((high == 0 && low == 0) || byId.get(high) != null);
    Lease lease =
        new Lease(
            new LeaseId(high, low),
            holder,
            instance,
            groups,
            pagesOfGroup,
            pages,
            reservation,
            ++granted);
    budget.move(reservation, ReservationPhase.READY);
    byId.put(high, lease);
    offered.add(lease);
    idle.add(lease);
    alive++;
    return lease;
  }

  /** The open lease of that name, or null. */
  public @Nullable Lease find(LeaseId id) {
    Lease lease = byId.get(id.high());
    return lease != null && lease.id().low() == id.low() ? lease : null;
  }

  /** Somebody has seen the offer. Repeating it changes nothing. */
  public void acknowledge(Lease lease) {
    if (lease.standing == Lease.Standing.OFFERED) {
      offered.remove(lease);
      lease.standing = Lease.Standing.TAKEN;
      lease.deadlineNanos = step.nowNanos() + step.settings().lifetimes().lease().toNanos();
      taken.add(lease);
    }
  }

  /** A rank gives its share back unused. Repeating it changes nothing. */
  public void giveBack(Lease lease, int rank) {
    if (lease.hasShare(rank)) {
      idle.remove(lease);
      lease.shares &= ~(1 << rank);
      closeWhenConsumed(lease);
    }
  }

  /** A rank consumes its share with a copy that is being submitted. */
  public void copyStarted(Lease lease, int rank) {
    if (!lease.hasShare(rank)) {
      throw new BrokenInvariant(
          "rank [" + rank + "] restores lease [" + lease.id() + "] without a share");
    }
    acknowledge(lease);
    idle.remove(lease);
    lease.copies++;
    budget.move(lease.reservation(), ReservationPhase.RESTORING);
    lease.shares &= ~(1 << rank);
    closeWhenConsumed(lease);
  }

  /** A copy reported its end. */
  public void copyEnded(Lease lease) {
    lease.copies--;
    if (lease.copies < 0) {
      throw new BrokenInvariant("lease [" + lease.id() + "] has [" + lease.copies + "] copies");
    }
    endWhenUnheld(lease);
  }

  /** Nobody can take a share any more; what copies hold stays until they end. */
  public void close(Lease lease) {
    if (!lease.open()) {
      return;
    }
    (lease.standing == Lease.Standing.OFFERED ? offered : taken).remove(lease);
    idle.remove(lease);
    byId.remove(lease.id().high());
    lease.standing = Lease.Standing.DRAINING;
    draining.add(lease);
    lease.holder().closed();
    endWhenUnheld(lease);
  }

  /** Closes every lease of an instance. */
  public void closeOf(Instance instance) {
    for (Lease lease : open()) {
      if (lease.instance() == instance) {
        close(lease);
      }
    }
  }

  /** Closes every lease. */
  public void closeAll() {
    for (Lease lease : open()) {
      close(lease);
    }
  }

  /** Closes taken leases that are too old. Offers lapse one by one, with their operations. */
  public void expire() {
    for (Lease lease = taken.oldest(); lease != null && due(lease); lease = taken.oldest()) {
      step.count(KernelCounter.LEASES_EXPIRED);
      close(lease);
    }
  }

  /** Bytes of leases that only wait, of one instance or of all ({@code null}). O(1). */
  public long idleBytes(@Nullable Instance instance) {
    return idle.bytes(instance);
  }

  /**
   * Closes the youngest lease that only waits, of one instance or of all; returns whether there was
   * one. O(1) but for its pages.
   */
  public boolean revokeYoungestIdle(@Nullable Instance instance) {
    Lease youngest = idle.youngest(instance);
    if (youngest == null) {
      return false;
    }
    step.count(KernelCounter.LEASES_REVOKED);
    close(youngest);
    return true;
  }

  /** How many leases were looked at as victims of a revocation. */
  long lookedForIdle() {
    return idle.looked();
  }

  private boolean due(Lease lease) {
    return lease.deadlineNanos - step.nowNanos() <= 0;
  }

  private void closeWhenConsumed(Lease lease) {
    if (lease.shares == 0) {
      close(lease);
    }
  }

  private void endWhenUnheld(Lease lease) {
    if (lease.standing != Lease.Standing.DRAINING || lease.copies != 0) {
      return;
    }
    draining.remove(lease);
    lease.standing = Lease.Standing.ENDED;
    alive--;
    int[] pages = lease.pages();
    // From the tail to the head, so that the tail is the older one and goes first.
    for (int i = pages.length - 1; i >= 0; i--) {
      residency.letGo(pages[i]);
    }
    budget.release(lease.reservation());
  }

  /** Leases that hold anything. */
  public int alive() {
    return alive;
  }

  /** The open leases: offers, then taken ones. */
  public List<Lease> open() {
    List<Lease> leases = new ArrayList<>();
    collect(offered, leases);
    collect(taken, leases);
    return leases;
  }

  /** Adds the references that leases hold, by page. For the deep check. */
  public void countReferences(int[] references) {
    List<Lease> leases = open();
    collect(draining, leases);
    if (leases.size() != alive) {
      throw new IllegalStateException(
          "leases: [" + leases.size() + "] are listed, [" + alive + "] alive");
    }
    long idleBytes = 0;
    for (Lease lease : leases) {
      idle.verify(lease);
      idleBytes += lease.idle() ? lease.reservation().bytes() : 0;
      if (lease.open() != (find(lease.id()) == lease)) {
        throw new IllegalStateException(
            "lease [" + lease.id() + "] is findable and closed, or the reverse");
      }
      if (lease.reservation().bytes() != lease.chargedBytes()) {
        throw new IllegalStateException("lease [" + lease.id() + "] is not charged for its pages");
      }
      for (int page : lease.pages()) {
        references[page]++;
      }
    }
    idle.verifyBytes(idleBytes);
  }

  private static void collect(LeaseList list, List<Lease> into) {
    for (Lease lease = list.oldest(); lease != null; lease = list.younger(lease)) {
      into.add(lease);
    }
  }
}
