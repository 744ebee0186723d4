package io.orbitkv.ssd.sim.rule;

/** An invariant does not hold; the message says for what. */
public final class InvariantViolation extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final Invariant invariant;

  /** For this invariant. */
  public InvariantViolation(Invariant invariant, String what) {
    super(what);
    this.invariant = invariant;
  }

  /** Which one. */
  public Invariant invariant() {
    return invariant;
  }
}
