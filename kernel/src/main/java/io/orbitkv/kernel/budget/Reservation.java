package io.orbitkv.kernel.budget;

import io.orbitkv.api.lease.ReservationPhase;

/** Bytes of one owner. Released by its last holder, exactly once. */
public final class Reservation {
  final Account account;
  long bytes;
  ReservationPhase phase;
  boolean released;

  Reservation(Account account, long bytes, ReservationPhase phase) {
    this.account = account;
    this.bytes = bytes;
    this.phase = phase;
  }

  /** The bytes. */
  public long bytes() {
    return bytes;
  }

  /** The phase. */
  public ReservationPhase phase() {
    return phase;
  }

  /** Whose. */
  public Account account() {
    return account;
  }
}
