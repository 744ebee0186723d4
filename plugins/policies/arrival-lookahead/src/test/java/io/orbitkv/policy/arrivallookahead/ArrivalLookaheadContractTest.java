package io.orbitkv.policy.arrivallookahead;

import io.orbitkv.api.policy.PolicyFactory;
import io.orbitkv.testkit.policy.LookaheadPolicyContract;

class ArrivalLookaheadContractTest extends LookaheadPolicyContract {
  @Override
  protected PolicyFactory<?> factory() {
    return new ArrivalLookaheadPlugin().policies().getFirst();
  }
}
