package io.orbitkv.api.memory;

import io.orbitkv.api.plugin.PluginContext;
import java.util.List;

/**
 * Makes memory tiers of one kind.
 *
 * @param <S> settings, a record whose components carry {@link io.orbitkv.api.settings.Setting}
 */
public interface MemoryTierFactory<S extends Record> {
  /** The name in the configuration, for example {@code dram}. */
  String name();

  /** The settings record. */
  Class<S> settings();

  /**
   * Boot thread. Maps the arenas; touches nothing yet.
   *
   * @param settings parsed and checked
   * @param request what the Manager wants of the tier
   * @param context the plugin's scope; closed after the tier
   * @throws IllegalStateException saying what the system refused and what to change
   */
  MemoryTier create(S settings, Request request, PluginContext context);

  /**
   * What the Manager wants.
   *
   * @param capacityBytes the pool, over all nodes
   * @param nodes nodes to spread it over, evenly
   * @param topology how to bind
   */
  record Request(long capacityBytes, List<Integer> nodes, NumaTopology topology) {
    /** Copies the nodes. */
    public Request {
      nodes = List.copyOf(nodes);
    }
  }
}
