package io.orbitkv.policy.writeonreuse;

import io.orbitkv.api.OrbitKvPlugin;
import io.orbitkv.api.policy.Policies;
import io.orbitkv.api.policy.PolicyFactory;
import java.util.List;

/** Entry of the plugin {@code write-on-reuse}. */
public final class WriteOnReusePlugin implements OrbitKvPlugin {
  /** Does no work. */
  public WriteOnReusePlugin() {}

  @Override
  public List<PolicyFactory<?>> policies() {
    return List.of(
        Policies.admission("write-on-reuse", WriteOnReuse.Settings.class, WriteOnReuse::new));
  }
}
