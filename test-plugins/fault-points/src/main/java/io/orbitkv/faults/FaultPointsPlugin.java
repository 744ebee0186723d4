package io.orbitkv.faults;

import io.orbitkv.api.OrbitKvPlugin;
import io.orbitkv.api.backing.BackingTierFactory;
import io.orbitkv.api.copy.DeviceCopierFactory;
import java.util.List;

/** Entry of the plugin {@code fault-points}. */
public final class FaultPointsPlugin implements OrbitKvPlugin {
  /** Does no work. */
  public FaultPointsPlugin() {}

  @Override
  public List<BackingTierFactory<?>> backingTiers() {
    return List.of(new FaultStoreFactory(), new FaultSsdFactory());
  }

  @Override
  public List<DeviceCopierFactory<?>> deviceCopiers() {
    return List.of(new FaultCopierFactory());
  }
}
