package io.orbitkv.api.plugin;

/**
 * What a look at the machine has found.
 *
 * @param check what was looked at, in a few words
 * @param verdict how it stands
 * @param found what is there
 * @param remedy what to do; empty when there is nothing to do
 */
public record Finding(String check, Verdict verdict, String found, String remedy) {
  /** How something stands. */
  public enum Verdict {
    /** As it should be. */
    GOOD,
    /** It works, but less well than it could. */
    NOTE,
    /** It does not work. */
    BAD
  }

  /**
   * @throws IllegalArgumentException when something is not good and nothing says what to do
   */
  public Finding {
    if (verdict != Verdict.GOOD && remedy.isBlank()) {
      throw new IllegalArgumentException(
          "check [" + check + "] found [" + found + "] and does not say what to do");
    }
  }

  /** As it should be. */
  public static Finding good(String check, String found) {
    return new Finding(check, Verdict.GOOD, found, "");
  }

  /** It works, but less well than it could. */
  public static Finding note(String check, String found, String remedy) {
    return new Finding(check, Verdict.NOTE, found, remedy);
  }

  /** It does not work. */
  public static Finding bad(String check, String found, String remedy) {
    return new Finding(check, Verdict.BAD, found, remedy);
  }
}
