package io.orbitkv.manager.settings;

/**
 * Where a value was written.
 *
 * @param source a file as the user named it, or a flag such as {@code --pool-size}
 * @param line from 1; 0 for a flag
 * @param column from 1; 0 for a flag
 */
public record Place(String source, int line, int column) {
  /** The place of a value that a flag gave. */
  public static Place flag(String flag) {
    return new Place(flag, 0, 0);
  }

  /** Whether a flag gave the value. */
  public boolean isFlag() {
    return line == 0;
  }

  /** {@code file:line:column}, or the flag. */
  @Override
  public String toString() {
    return isFlag() ? source : source + ":" + line + ":" + column;
  }
}
