package io.orbitkv.policy.writeall;

import io.orbitkv.api.policy.PolicyFactory;
import io.orbitkv.testkit.policy.AdmissionPolicyContract;

class WriteAllContractTest extends AdmissionPolicyContract {
  @Override
  protected PolicyFactory<?> factory() {
    return new WriteAllPlugin().policies().getFirst();
  }
}
