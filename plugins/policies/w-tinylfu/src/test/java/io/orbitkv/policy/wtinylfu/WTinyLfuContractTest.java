package io.orbitkv.policy.wtinylfu;

import io.orbitkv.api.policy.PolicyFactory;
import io.orbitkv.testkit.policy.RetentionPolicyContract;

class WTinyLfuContractTest extends RetentionPolicyContract {
  @Override
  protected PolicyFactory<?> factory() {
    return new WTinyLfuPlugin().policies().getFirst();
  }
}
