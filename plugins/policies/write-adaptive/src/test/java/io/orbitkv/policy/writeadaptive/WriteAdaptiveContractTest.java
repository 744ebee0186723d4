package io.orbitkv.policy.writeadaptive;

import io.orbitkv.api.policy.PolicyFactory;
import io.orbitkv.testkit.policy.AdmissionPolicyContract;

class WriteAdaptiveContractTest extends AdmissionPolicyContract {
  @Override
  protected PolicyFactory<?> factory() {
    return new WriteAdaptivePlugin().policies().getFirst();
  }
}
