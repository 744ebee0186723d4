package io.orbitkv.policy.returndensity;

import io.orbitkv.api.policy.PolicyFactory;
import io.orbitkv.testkit.policy.RetentionPolicyContract;

class ReturnDensityContractTest extends RetentionPolicyContract {
  @Override
  protected PolicyFactory<?> factory() {
    return new ReturnDensityPlugin().policies().getFirst();
  }
}
