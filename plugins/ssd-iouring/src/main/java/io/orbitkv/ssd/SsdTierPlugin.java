package io.orbitkv.ssd;

import io.orbitkv.api.OrbitKvPlugin;
import io.orbitkv.api.backing.BackingTierFactory;
import java.util.List;

/** Entry of the plugin {@code ssd-iouring}. */
public final class SsdTierPlugin implements OrbitKvPlugin {
  /** Does no work. */
  public SsdTierPlugin() {}

  @Override
  public List<BackingTierFactory<?>> backingTiers() {
    return List.of(new SsdTierFactory());
  }
}
