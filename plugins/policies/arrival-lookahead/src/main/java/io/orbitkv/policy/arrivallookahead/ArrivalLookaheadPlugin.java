package io.orbitkv.policy.arrivallookahead;

import io.orbitkv.api.OrbitKvPlugin;
import io.orbitkv.api.policy.Policies;
import io.orbitkv.api.policy.PolicyFactory;
import java.util.List;

/** Entry of the plugin {@code arrival-lookahead}. */
public final class ArrivalLookaheadPlugin implements OrbitKvPlugin {
  /** Does no work. */
  public ArrivalLookaheadPlugin() {}

  @Override
  public List<PolicyFactory<?>> policies() {
    return List.of(
        Policies.lookahead(
            "arrival-lookahead", ArrivalLookahead.Settings.class, ArrivalLookahead::new));
  }
}
