package io.orbitkv.kernel.budget;

/** The permits of one session, or of the queue of one instance. Dispatcher. */
public final class PermitAccount {
  int all;
  int speculative;
  int preparations;

  /** Permits that are held. */
  public int all() {
    return all;
  }

  /** Speculative ones among them. */
  public int speculative() {
    return speculative;
  }

  /** Those of unclaimed preparations. */
  public int preparations() {
    return preparations;
  }
}
