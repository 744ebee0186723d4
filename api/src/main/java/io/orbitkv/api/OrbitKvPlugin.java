package io.orbitkv.api;

import io.orbitkv.api.backing.BackingTierFactory;
import io.orbitkv.api.copy.DeviceCopierFactory;
import io.orbitkv.api.memory.MemoryTierFactory;
import io.orbitkv.api.policy.PolicyFactory;
import java.util.List;

/**
 * The one entry type of a plugin, found by {@link java.util.ServiceLoader} in the plugin's own
 * module layer ({@code provides io.orbitkv.api.OrbitKvPlugin with …}). Each capability is a default
 * method that returns nothing, so that a new capability breaks no plugin. The class needs a public
 * constructor without parameters that does no work.
 *
 * <p>All methods are called on the Manager's boot thread, or on the thread that swaps a plugin.
 */
public interface OrbitKvPlugin {
  /** Host memory that this plugin offers. */
  default List<MemoryTierFactory<?>> memoryTiers() {
    return List.of();
  }

  /** Storage behind host memory that this plugin offers. */
  default List<BackingTierFactory<?>> backingTiers() {
    return List.of();
  }

  /** Device copiers that this plugin offers. */
  default List<DeviceCopierFactory<?>> deviceCopiers() {
    return List.of();
  }

  /** Policies that this plugin offers. */
  default List<PolicyFactory<?>> policies() {
    return List.of();
  }
}
