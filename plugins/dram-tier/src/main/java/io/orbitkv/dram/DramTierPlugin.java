package io.orbitkv.dram;

import io.orbitkv.api.OrbitKvPlugin;
import io.orbitkv.api.memory.MemoryTierFactory;
import java.util.List;

/** Entry of the plugin {@code dram-tier}. */
public final class DramTierPlugin implements OrbitKvPlugin {
  /** Does no work. */
  public DramTierPlugin() {}

  @Override
  public List<MemoryTierFactory<?>> memoryTiers() {
    return List.of(new DramTierFactory());
  }
}
