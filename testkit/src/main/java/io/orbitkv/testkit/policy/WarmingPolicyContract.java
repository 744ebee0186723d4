package io.orbitkv.testkit.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.policy.RequestFacts;
import io.orbitkv.api.policy.WarmingPolicy;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What every {@link WarmingPolicy} must do. */
public abstract class WarmingPolicyContract extends PolicyContract<WarmingPolicy> {
  private static final int CALLS = 2_000;

  /** For subclasses. */
  protected WarmingPolicyContract() {
    super(WarmingPolicy.class);
  }

  @Override
  final String ask(WarmingPolicy policy, AnyFacts facts, TestPolicyContext scope) {
    return policy.warm(facts.queue()).toString();
  }

  @Test
  final void warm_onAnyQueue_choosesEntriesOfTheQueueOnceEach() {
    WarmingPolicy policy = create();
    AnyFacts facts = facts();

    for (int call = 0; call < CALLS; call++) {
      List<RequestFacts> queue = facts.queue();

      List<Integer> choice = policy.warm(queue);

      assertThat(choice).doesNotContainNull().doesNotHaveDuplicates();
      assertThat(choice).allSatisfy(i -> assertThat(i).isNotNegative().isLessThan(queue.size()));
    }
  }

  @Test
  final void warm_onAnEmptyQueue_choosesNothing() {
    assertThat(create().warm(List.of())).isEmpty();
  }

  @Test
  final void warm_ofMillionsOfRequests_keepsItsMemoryBounded() {
    WarmingPolicy policy = create();
    AnyFacts facts = facts();

    HeldMemory.assertBounded(policy, key -> policy.warm(List.of(facts.request())));
  }
}
