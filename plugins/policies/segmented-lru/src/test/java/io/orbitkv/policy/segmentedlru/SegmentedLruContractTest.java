package io.orbitkv.policy.segmentedlru;

import io.orbitkv.api.policy.PolicyFactory;
import io.orbitkv.testkit.policy.RetentionPolicyContract;

class SegmentedLruContractTest extends RetentionPolicyContract {
  @Override
  protected PolicyFactory<?> factory() {
    return new SegmentedLruPlugin().policies().getFirst();
  }
}
