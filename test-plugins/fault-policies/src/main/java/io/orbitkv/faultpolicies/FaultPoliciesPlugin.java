package io.orbitkv.faultpolicies;

import io.orbitkv.api.OrbitKvPlugin;
import io.orbitkv.api.policy.Policies;
import io.orbitkv.api.policy.PolicyFactory;
import io.orbitkv.api.policy.PolicySlot;
import java.util.List;
import java.util.Set;

/** Entry of the plugin {@code fault-policies}. */
public final class FaultPoliciesPlugin implements OrbitKvPlugin {
  /** Does no work. */
  public FaultPoliciesPlugin() {}

  @Override
  public List<PolicyFactory<?>> policies() {
    return List.of(
        new PolicyFactory<>(
            "fault-policy",
            Set.of(PolicySlot.values()),
            FaultPolicySettings.class,
            true,
            FaultPolicy::new),
        Policies.cutoff("fault-cutoff", FaultPolicySettings.class, FaultPolicy::new));
  }
}
