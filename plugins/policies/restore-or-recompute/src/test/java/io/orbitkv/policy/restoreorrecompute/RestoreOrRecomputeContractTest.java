package io.orbitkv.policy.restoreorrecompute;

import io.orbitkv.api.policy.PolicyFactory;
import io.orbitkv.testkit.policy.CutoffPolicyContract;

class RestoreOrRecomputeContractTest extends CutoffPolicyContract {
  @Override
  protected PolicyFactory<?> factory() {
    return new RestoreOrRecomputePlugin().policies().getFirst();
  }
}
