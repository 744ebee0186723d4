package io.orbitkv.policy.unownedwarming;

import io.orbitkv.api.OrbitKvPlugin;
import io.orbitkv.api.policy.Policies;
import io.orbitkv.api.policy.PolicyFactory;
import java.util.List;

/** Entry of the plugin {@code unowned-warming}. */
public final class UnownedWarmingPlugin implements OrbitKvPlugin {
  /** Does no work. */
  public UnownedWarmingPlugin() {}

  @Override
  public List<PolicyFactory<?>> policies() {
    return List.of(
        Policies.warming("unowned-warming", UnownedWarming.Settings.class, UnownedWarming::new));
  }
}
