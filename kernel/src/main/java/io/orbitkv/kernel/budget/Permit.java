package io.orbitkv.kernel.budget;

/**
 * The right of one operation to be there. Given back by its last holder: the operation itself, or
 * the reads that it submitted and that still run. Dispatcher.
 */
public final class Permit {
  final PermitAccount account;
  boolean speculative;
  boolean preparation;
  int holders = 1;

  Permit(PermitAccount account, boolean speculative, boolean preparation) {
    this.account = account;
    this.speculative = speculative;
    this.preparation = preparation;
  }

  /** One more holder. */
  public void hold() {
    holders++;
  }
}
