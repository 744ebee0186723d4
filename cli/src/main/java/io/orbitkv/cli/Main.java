package io.orbitkv.cli;

/** Placeholder. */
public final class Main {
  private Main() {}

  /** Returns the name of this module. */
  public static String module() {
    return "io.orbitkv.cli";
  }

  /**
   * Runs the command line.
   *
   * @param arguments a command and its options
   */
  public static void main(String[] arguments) {
    System.out.println("orbitkv 0.1.0 " + String.join(" ", arguments));
  }
}
