package io.orbitkv.api.policy;

/** Constants shared by the facts that policies see. */
public final class Facts {
  /** A quantity that nobody knows yet. All true quantities are not negative. */
  public static final long UNKNOWN = -1;

  private Facts() {}
}
