package io.orbitkv.policy.stoppingcutoffs;

import io.orbitkv.api.OrbitKvPlugin;
import io.orbitkv.api.policy.Policies;
import io.orbitkv.api.policy.PolicyFactory;
import java.util.List;

/** Entry of the plugin {@code stopping-cutoffs}. */
public final class StoppingCutoffsPlugin implements OrbitKvPlugin {
  /** Does no work. */
  public StoppingCutoffsPlugin() {}

  @Override
  public List<PolicyFactory<?>> policies() {
    return List.of(
        Policies.cutoff("stopping-cutoffs", StoppingCutoffs.Settings.class, StoppingCutoffs::new));
  }
}
