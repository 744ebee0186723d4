package io.orbitkv.manager.config;

import io.orbitkv.api.policy.PolicyFactory;
import io.orbitkv.manager.plugin.Provided;
import java.util.List;

/**
 * A policy of a plugin that is named for a slot, with its checked settings. Whoever keeps one keeps
 * the plugin's classes.
 *
 * @param choice where it is named
 * @param provided the plugin's factory
 * @param settings an instance of the factory's settings record
 * @param values of the settings, by their full keys
 */
public record BoundPolicy(
    PolicyChoice choice,
    Provided<PolicyFactory<?>> provided,
    Record settings,
    List<ShownValue> values) {
  /** Copies the list. */
  public BoundPolicy {
    values = List.copyOf(values);
  }

  /** The settings in one line; empty when there is nothing to set. */
  public String settingsText() {
    StringBuilder text = new StringBuilder();
    for (ShownValue value : values) {
      text.append(text.isEmpty() ? "" : ", ");
      text.append(value.key().substring(value.key().lastIndexOf('.') + 1));
      text.append(": ").append(value.value());
    }
    return text.toString();
  }
}
