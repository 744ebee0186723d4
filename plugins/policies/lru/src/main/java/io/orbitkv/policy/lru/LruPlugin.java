package io.orbitkv.policy.lru;

import io.orbitkv.api.OrbitKvPlugin;
import io.orbitkv.api.policy.Policies;
import io.orbitkv.api.policy.PolicyFactory;
import java.util.List;

/** Entry of the plugin {@code lru}. */
public final class LruPlugin implements OrbitKvPlugin {
  /** Does no work. */
  public LruPlugin() {}

  @Override
  public List<PolicyFactory<?>> policies() {
    return List.of(Policies.retention("lru", Lru.Settings.class, Lru::new));
  }
}
