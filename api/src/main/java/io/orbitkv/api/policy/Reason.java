package io.orbitkv.api.policy;

/**
 * Why a policy decided as it did. Every decision is counted once, under its reason.
 *
 * @param name lower case with dashes, at most 40 characters
 */
public record Reason(String name) {
  /**
   * @throws IllegalArgumentException when the name has another form
   */
  public Reason {
    if (name.length() > 40 || !name.matches("[a-z0-9]+(-[a-z0-9]+)*")) {
      throw new IllegalArgumentException(
          "reason [" + name + "] must be lower case letters, digits and dashes, at most 40");
    }
  }

  /** A reason; keep it in a constant. */
  public static Reason of(String name) {
    return new Reason(name);
  }
}
