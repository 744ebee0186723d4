package io.orbitkv.kernel.budget;

import io.orbitkv.api.lease.BudgetLimits;
import io.orbitkv.api.lease.ReservationPhase;
import io.orbitkv.kernel.BrokenInvariant;
import java.util.EnumMap;
import java.util.Map;

/**
 * Query bytes of one partition. Two sets of books are kept apart: the totals by which admission
 * decides, and the sums by owner and by phase; {@link #check} compares them. Dispatcher.
 */
public final class Budget {
  private static final int PHASES = ReservationPhase.values().length;

  private final BudgetLimits limits;
  private final long[] byPhase = new long[PHASES];
  private long totalBytes;
  private long speculativeBytes;
  private long peakBytes;
  private long ownedBytes;
  private int owners;

  /** Nothing is reserved. */
  public Budget(BudgetLimits limits) {
    this.limits = limits;
  }

  /**
   * Whether the bytes would be admitted now, in the order of the specification. Changes nothing.
   */
  public Admission judge(Account account, long bytes, ReservationPhase phase) {
    boolean speculative = phase.speculative();
    if (bytes > (speculative ? limits.speculativeInstanceBytes() : limits.instanceBytes())) {
      return Admission.TOO_LARGE;
    }
    if (phase == ReservationPhase.WARMING && totalBytes > speculativeBytes) {
      return Admission.YIELDS;
    }
    if (bytes > limits.instanceBytes() - account.reservedBytes
        || (speculative && bytes > limits.speculativeInstanceBytes() - account.speculativeBytes)) {
      return Admission.INSTANCE_FULL;
    }
    if (bytes > limits.totalBytes() - totalBytes
        || (speculative && bytes > limits.speculativeTotalBytes() - speculativeBytes)) {
      return Admission.TOTAL_FULL;
    }
    return Admission.ADMITTED;
  }

  /** Reserves bytes that {@link #judge} admitted. */
  public Reservation reserve(Account account, long bytes, ReservationPhase phase) {
    Reservation reservation = new Reservation(account, bytes, phase);
    ownedBytes += bytes;
    owners++;
    charge(account, phase, bytes);
    peakBytes = Math.max(peakBytes, totalBytes);
    return reservation;
  }

  /** Gives back what the result does not need. */
  public void shrink(Reservation reservation, long actualBytes) {
    if (actualBytes > reservation.bytes) {
      throw new BrokenInvariant(
          "a result of ["
              + actualBytes
              + "] bytes is larger than its reservation of ["
              + reservation.bytes
              + "]");
    }
    long surplus = reservation.bytes - actualBytes;
    reservation.bytes = actualBytes;
    ownedBytes -= surplus;
    charge(reservation.account, reservation.phase, -surplus);
  }

  /**
   * Cuts a part off, for a result that goes its own way while reads of the rest still run.
   *
   * @param bytes of the part, less than all
   * @return the part, in the same phase
   */
  public Reservation split(Reservation reservation, long bytes) {
    if (bytes <= 0 || bytes >= reservation.bytes || reservation.released) {
      throw new BrokenInvariant(
          "[" + bytes + "] bytes are cut off a reservation of [" + reservation.bytes + "]");
    }
    reservation.bytes -= bytes;
    owners++;
    return new Reservation(reservation.account, bytes, reservation.phase);
  }

  /** Moves a reservation to another phase; repeating it is harmless. */
  public void move(Reservation reservation, ReservationPhase to) {
    ReservationPhase from = reservation.phase;
    if (from == to) {
      return;
    }
    boolean legal =
        switch (from) {
          case WARMING, RESTORING -> false;
          case PRELOADING -> to == ReservationPhase.PREPARED || to == ReservationPhase.PREPARING;
          case PREPARED, PREPARING -> to == ReservationPhase.READY;
          case READY -> to == ReservationPhase.RESTORING;
        };
    if (!legal || reservation.released) {
      throw new BrokenInvariant("a reservation moves from " + from + " to " + to);
    }
    charge(reservation.account, from, -reservation.bytes);
    charge(reservation.account, to, reservation.bytes);
    reservation.phase = to;
  }

  /** The last holder is gone. */
  public void release(Reservation reservation) {
    if (reservation.released) {
      throw new BrokenInvariant(
          "a reservation of [" + reservation.bytes + "] bytes is released twice");
    }
    reservation.released = true;
    ownedBytes -= reservation.bytes;
    owners--;
    charge(reservation.account, reservation.phase, -reservation.bytes);
  }

  private void charge(Account account, ReservationPhase phase, long bytes) {
    totalBytes += bytes;
    account.reservedBytes += bytes;
    byPhase[place(phase)] += bytes;
    if (phase.speculative()) {
      speculativeBytes += bytes;
      account.speculativeBytes += bytes;
    }
    if (account.reservedBytes < 0 || account.reservedBytes > limits.instanceBytes()) {
      throw new BrokenInvariant(
          "an instance has ["
              + account.reservedBytes
              + "] bytes reserved of ["
              + limits.instanceBytes()
              + "]");
    }
  }

  @SuppressWarnings("EnumOrdinal") // An EnumMap would box each sum on the query path.
  private static int place(ReservationPhase phase) {
    return phase.ordinal();
  }

  /** Bytes that an instance may still reserve. */
  public long freeBytes(Account account) {
    return limits.instanceBytes() - account.reservedBytes;
  }

  /** Bytes that all instances together may still reserve. */
  public long freeBytes() {
    return limits.totalBytes() - totalBytes;
  }

  /** All bytes. */
  public long totalBytes() {
    return totalBytes;
  }

  /** Of them speculative. */
  public long speculativeBytes() {
    return speculativeBytes;
  }

  /** The largest total ever. */
  public long peakBytes() {
    return peakBytes;
  }

  /** Reservations alive. */
  public int owners() {
    return owners;
  }

  /** The limits. */
  public BudgetLimits limits() {
    return limits;
  }

  /** Diagnostic. */
  public Map<ReservationPhase, Long> byPhase() {
    Map<ReservationPhase, Long> map = new EnumMap<>(ReservationPhase.class);
    for (ReservationPhase phase : ReservationPhase.values()) {
      map.put(phase, byPhase[place(phase)]);
    }
    return map;
  }

  /** The cheap check of every step. */
  public void check() {
    long sum = 0;
    for (long bytes : byPhase) {
      sum += bytes;
    }
    if (totalBytes != sum || totalBytes != ownedBytes) {
      throw new BrokenInvariant(
          "reserved are ["
              + totalBytes
              + "] bytes, by phase ["
              + sum
              + "], by owner ["
              + ownedBytes
              + "]");
    }
    if (totalBytes < 0
        || totalBytes > limits.totalBytes()
        || speculativeBytes < 0
        || speculativeBytes > limits.speculativeTotalBytes()
        || (owners == 0 && totalBytes != 0)) {
      throw new BrokenInvariant(
          "reserved are ["
              + totalBytes
              + "] bytes of ["
              + limits.totalBytes()
              + "], speculative ["
              + speculativeBytes
              + "], owners ["
              + owners
              + "]");
    }
  }
}
