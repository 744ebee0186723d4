package io.orbitkv.policy.lru;

import io.orbitkv.api.policy.PolicyFactory;
import io.orbitkv.testkit.policy.RetentionPolicyContract;

class LruContractTest extends RetentionPolicyContract {
  @Override
  protected PolicyFactory<?> factory() {
    return new LruPlugin().policies().getFirst();
  }
}
