package org.example.comeback;

import io.orbitkv.api.policy.PolicyFactory;
import io.orbitkv.testkit.policy.AdmissionPolicyContract;

/**
 * What the Manager relies on: sensible answers to any facts, bounded memory, replayable decisions.
 */
class ComebackContractTest extends AdmissionPolicyContract {
  @Override
  protected PolicyFactory<?> factory() {
    return new ComebackPlugin().policies().getFirst();
  }
}
