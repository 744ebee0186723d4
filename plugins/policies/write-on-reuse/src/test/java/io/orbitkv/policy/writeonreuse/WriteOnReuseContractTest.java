package io.orbitkv.policy.writeonreuse;

import io.orbitkv.api.policy.PolicyFactory;
import io.orbitkv.testkit.policy.AdmissionPolicyContract;

class WriteOnReuseContractTest extends AdmissionPolicyContract {
  @Override
  protected PolicyFactory<?> factory() {
    return new WriteOnReusePlugin().policies().getFirst();
  }
}
