package io.orbitkv.manager.settings;

import java.util.List;

/**
 * What is known of a setting before anybody sets it.
 *
 * @param key full key, in kebab case
 * @param type in words, such as {@code size} or {@code list of text}
 * @param def the default as written, empty when required
 * @param min smallest legal value as written, empty for none
 * @param max largest legal value as written, empty for none
 * @param doc what it does, with its unit
 * @param required whether it must be set
 * @param choices legal values when they can be listed
 */
public record SettingInfo(
    String key,
    String type,
    String def,
    String min,
    String max,
    String doc,
    boolean required,
    List<String> choices) {
  /** Copies the choices. */
  public SettingInfo {
    choices = List.copyOf(choices);
  }
}
