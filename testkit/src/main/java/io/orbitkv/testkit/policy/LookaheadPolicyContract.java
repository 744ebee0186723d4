package io.orbitkv.testkit.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.policy.LookaheadPolicy;
import io.orbitkv.api.policy.RequestFacts;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What every {@link LookaheadPolicy} must do. */
public abstract class LookaheadPolicyContract extends PolicyContract<LookaheadPolicy> {
  private static final int CALLS = 2_000;

  /** For subclasses. */
  protected LookaheadPolicyContract() {
    super(LookaheadPolicy.class);
  }

  @Override
  final String ask(LookaheadPolicy policy, AnyFacts facts, TestPolicyContext scope) {
    return policy.prepare(facts.queue()).toString();
  }

  @Test
  final void prepare_onAnyQueue_choosesEntriesOfTheQueueOnceEach() {
    LookaheadPolicy policy = create();
    AnyFacts facts = facts();

    for (int call = 0; call < CALLS; call++) {
      List<RequestFacts> queue = facts.queue();

      List<Integer> choice = policy.prepare(queue);

      assertThat(choice).doesNotContainNull().doesNotHaveDuplicates();
      assertThat(choice).allSatisfy(i -> assertThat(i).isNotNegative().isLessThan(queue.size()));
    }
  }

  @Test
  final void prepare_onAnEmptyQueue_choosesNothing() {
    assertThat(create().prepare(List.of())).isEmpty();
  }

  @Test
  final void prepare_ofMillionsOfRequests_keepsItsMemoryBounded() {
    LookaheadPolicy policy = create();
    AnyFacts facts = facts();

    HeldMemory.assertBounded(policy, key -> policy.prepare(List.of(facts.request())));
  }
}
