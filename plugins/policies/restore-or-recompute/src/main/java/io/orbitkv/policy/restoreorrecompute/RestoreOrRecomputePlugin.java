package io.orbitkv.policy.restoreorrecompute;

import io.orbitkv.api.OrbitKvPlugin;
import io.orbitkv.api.policy.Policies;
import io.orbitkv.api.policy.PolicyFactory;
import java.util.List;

/** Entry of the plugin {@code restore-or-recompute}. */
public final class RestoreOrRecomputePlugin implements OrbitKvPlugin {
  /** Does no work. */
  public RestoreOrRecomputePlugin() {}

  @Override
  public List<PolicyFactory<?>> policies() {
    return List.of(
        Policies.cutoff(
            "restore-or-recompute", RestoreOrRecompute.Settings.class, RestoreOrRecompute::new));
  }
}
