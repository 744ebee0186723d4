package io.orbitkv.policy.writeall;

import io.orbitkv.api.OrbitKvPlugin;
import io.orbitkv.api.policy.Policies;
import io.orbitkv.api.policy.PolicyFactory;
import java.util.List;

/** Entry of the plugin {@code write-all}. */
public final class WriteAllPlugin implements OrbitKvPlugin {
  /** Does no work. */
  public WriteAllPlugin() {}

  @Override
  public List<PolicyFactory<?>> policies() {
    return List.of(Policies.admission("write-all", WriteAll.Settings.class, WriteAll::new));
  }
}
