package io.orbitkv.manager.config;

import java.util.List;

/**
 * What a flag sets a key to.
 *
 * @param values as given; several only for a key that takes a list
 * @param flag as the user wrote it, such as {@code --pool-size}
 */
public record FlagValue(List<String> values, String flag) {
  /** Copies the values. */
  public FlagValue {
    values = List.copyOf(values);
  }
}
