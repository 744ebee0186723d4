package io.orbitkv.testkit.policy;

import io.orbitkv.api.policy.LookaheadPolicy;
import io.orbitkv.api.policy.RequestFacts;
import io.orbitkv.api.policy.WarmingPolicy;
import java.util.List;

/** A queue of accepted requests that is put to a policy. Test thread. */
public final class QueueTrial {
  private final PolicyTester tester;
  private final List<RequestFacts> queue;

  QueueTrial(PolicyTester tester, List<RequestFacts> queue) {
    this.tester = tester;
    this.queue = queue;
  }

  /** Ids of the requests that the policy prepares, in its order of preference. */
  public List<String> prepared() {
    return ids(tester.policy(LookaheadPolicy.class).prepare(queue));
  }

  /** Ids of the requests that the policy warms, in its order of preference. */
  public List<String> warmed() {
    return ids(tester.policy(WarmingPolicy.class).warm(queue));
  }

  private List<String> ids(List<Integer> choice) {
    return choice.stream().map(i -> queue.get(i).requestId()).toList();
  }
}
