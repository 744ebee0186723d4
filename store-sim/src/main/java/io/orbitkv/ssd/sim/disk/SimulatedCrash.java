package io.orbitkv.ssd.sim.disk;

/** The process or the machine dies here. Passes through the store, which is never used again. */
public final class SimulatedCrash extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** Without a stack trace: it is thrown a thousand times a second. */
  public SimulatedCrash(String where) {
    super(where, null, false, false);
  }
}
