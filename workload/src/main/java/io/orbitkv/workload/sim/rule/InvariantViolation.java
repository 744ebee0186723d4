package io.orbitkv.workload.sim.rule;

/** An invariant does not hold: ends the run. */
public final class InvariantViolation extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final Invariant invariant;

  /**
   * @param what does not hold, and for what
   */
  public InvariantViolation(Invariant invariant, String what) {
    super(what);
    this.invariant = invariant;
  }

  /**
   * @param what does not hold, and for what
   * @param cause how the kernel itself noticed
   */
  public InvariantViolation(Invariant invariant, String what, Throwable cause) {
    super(what, cause);
    this.invariant = invariant;
  }

  /** Which one. */
  public Invariant invariant() {
    return invariant;
  }

  @Override
  public String getMessage() {
    return String.valueOf(super.getMessage());
  }
}
