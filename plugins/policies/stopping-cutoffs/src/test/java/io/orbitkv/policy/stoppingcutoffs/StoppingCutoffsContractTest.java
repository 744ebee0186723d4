package io.orbitkv.policy.stoppingcutoffs;

import io.orbitkv.api.policy.PolicyFactory;
import io.orbitkv.testkit.policy.CutoffPolicyContract;

class StoppingCutoffsContractTest extends CutoffPolicyContract {
  @Override
  protected PolicyFactory<?> factory() {
    return new StoppingCutoffsPlugin().policies().getFirst();
  }
}
