package io.orbitkv.policy.returndensity;

import io.orbitkv.api.OrbitKvPlugin;
import io.orbitkv.api.policy.Policies;
import io.orbitkv.api.policy.PolicyFactory;
import java.util.List;

/** Entry of the plugin {@code return-density}. */
public final class ReturnDensityPlugin implements OrbitKvPlugin {
  /** Does no work. */
  public ReturnDensityPlugin() {}

  @Override
  public List<PolicyFactory<?>> policies() {
    return List.of(
        Policies.retention("return-density", ReturnDensity.Settings.class, ReturnDensity::new));
  }
}
