package io.orbitkv.api.lease;

/**
 * The phase of a reservation of query bytes. {@code Draining} is not among them: it is derived
 * (interest is gone, a submitted operation still holds the reservation). Sums over phases are
 * diagnostic; budgets are checked against the independent total and speculative counters.
 */
public enum ReservationPhase {
  /** An unowned warming read. Speculative. */
  WARMING(true),
  /** A preparation whose reads run. Speculative. */
  PRELOADING(true),
  /** A finished, unclaimed preparation. Speculative. */
  PREPARED(true),
  /** A demand that was admitted and whose pages are not all in memory. */
  PREPARING(false),
  /** A leased result that no rank has restored yet. */
  READY(false),
  /** A leased result of which at least one copy was submitted. */
  RESTORING(false);

  private final boolean speculative;

  ReservationPhase(boolean speculative) {
    this.speculative = speculative;
  }

  /** Whether bytes in this phase are charged to the speculative share too. */
  public boolean speculative() {
    return speculative;
  }
}
