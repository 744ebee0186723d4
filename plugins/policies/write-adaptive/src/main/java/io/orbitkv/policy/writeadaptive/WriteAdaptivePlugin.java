package io.orbitkv.policy.writeadaptive;

import io.orbitkv.api.OrbitKvPlugin;
import io.orbitkv.api.policy.Policies;
import io.orbitkv.api.policy.PolicyFactory;
import java.util.List;

/** Entry of the plugin {@code write-adaptive}. */
public final class WriteAdaptivePlugin implements OrbitKvPlugin {
  /** Does no work. */
  public WriteAdaptivePlugin() {}

  @Override
  public List<PolicyFactory<?>> policies() {
    return List.of(
        Policies.admission("write-adaptive", WriteAdaptive.Settings.class, WriteAdaptive::new));
  }
}
