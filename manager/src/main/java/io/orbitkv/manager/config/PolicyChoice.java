package io.orbitkv.manager.config;

import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.manager.settings.ConfigNode;
import io.orbitkv.manager.settings.Place;

/**
 * A policy that the configuration names for a slot.
 *
 * @param slot where it serves
 * @param name which
 * @param settings what is set of it
 * @param place where it is named
 */
public record PolicyChoice(PolicySlot slot, String name, ConfigNode.Mapping settings, Place place) {
  /** The name that turns a slot off. */
  public static final String NONE = "none";

  /** The name of what measurement favours in a slot; see {@link DefaultPolicies}. */
  public static final String DEFAULT = "default";

  /** Whether it needs no plugin. */
  public boolean builtIn() {
    return name.equals(NONE) || isDefault();
  }

  /** Whether it is the default of its slot, named as such. */
  public boolean isDefault() {
    return name.equals(DEFAULT);
  }
}
