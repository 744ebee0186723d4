package io.orbitkv.policy.unownedwarming;

import io.orbitkv.api.policy.PolicyFactory;
import io.orbitkv.testkit.policy.WarmingPolicyContract;

class UnownedWarmingContractTest extends WarmingPolicyContract {
  @Override
  protected PolicyFactory<?> factory() {
    return new UnownedWarmingPlugin().policies().getFirst();
  }
}
