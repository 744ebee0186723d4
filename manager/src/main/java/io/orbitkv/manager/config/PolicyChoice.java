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

  /** The retention that needs no plugin. */
  public static final String LRU = "lru";

  /** The name of the kernel's own default, whatever it is in a slot. */
  public static final String DEFAULT = "default";

  /** Whether it needs no plugin. */
  public boolean builtIn() {
    return name.equals(NONE)
        || name.equals(DEFAULT)
        || (name.equals(LRU)
            && (slot == PolicySlot.RETENTION_DRAM || slot == PolicySlot.RETENTION_SSD));
  }
}
