package io.orbitkv.workload;

/** Placeholder. */
public final class Placeholder {
  private Placeholder() {}

  /** Returns the name of this module. */
  public static String module() {
    return "io.orbitkv.workload";
  }
}
