package org.example.comeback;

import io.orbitkv.api.OrbitKvPlugin;
import io.orbitkv.api.policy.Policies;
import io.orbitkv.api.policy.PolicyFactory;
import java.util.List;

/** Entry of the plugin {@code comeback}. */
public final class ComebackPlugin implements OrbitKvPlugin {
  /** The Manager makes it. Does no work. */
  public ComebackPlugin() {}

  @Override
  public List<PolicyFactory<?>> policies() {
    return List.of(Policies.admission("comeback", Comeback.Settings.class, Comeback::new));
  }
}
