package io.orbitkv.testkit.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.orbitkv.api.policy.CutoffPolicy;
import io.orbitkv.api.policy.CutoffPolicy.ReadLimits;
import io.orbitkv.api.policy.EngineFacts;
import io.orbitkv.api.policy.RequestFacts;
import io.orbitkv.api.policy.TierKind;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What every {@link CutoffPolicy} must do. */
public abstract class CutoffPolicyContract extends PolicyContract<CutoffPolicy> {
  private static final int CALLS = 20_000;

  /** For subclasses. */
  protected CutoffPolicyContract() {
    super(CutoffPolicy.class);
  }

  @Override
  final String ask(CutoffPolicy policy, AnyFacts facts, TestPolicyContext scope) {
    ReadLimits limits = plan(policy, facts);
    return limits + " " + policy.proceed(facts.progress());
  }

  @Test
  final void plan_onAnyFacts_answersSensibleLimits() {
    CutoffPolicy policy = create();
    AnyFacts facts = facts();

    for (int call = 0; call < CALLS; call++) {
      ReadLimits limits = plan(policy, facts);

      assertThat(limits.batchBytes()).as("batch bytes").isNotNegative();
      assertThat(limits.maxBatches()).as("batches").isNotNegative();
      assertThat(limits.deadline()).as("deadline").isGreaterThanOrEqualTo(Duration.ZERO);
      assertThat(limits.onDeadline()).as("what the deadline means").isNotNull();
      assertThat(limits.restorePages()).as("pages to restore").isNotNegative();
      assertThat(limits.reason()).as("reason").isNotNull();
    }
  }

  @Test
  final void proceed_atAnyProgress_doesNotThrow() {
    CutoffPolicy policy = create();
    AnyFacts facts = facts();

    for (int call = 0; call < CALLS; call++) {
      assertThatCode(() -> policy.proceed(facts.progress())).doesNotThrowAnyException();
    }
  }

  @Test
  final void plan_ofMillionsOfRequests_keepsItsMemoryBounded() {
    CutoffPolicy policy = create();
    AnyFacts facts = facts();

    HeldMemory.assertBounded(policy, key -> plan(policy, facts, "engine-" + key));
  }

  private static ReadLimits plan(CutoffPolicy policy, AnyFacts facts) {
    RequestFacts request = facts.request();
    return policy.plan(request, facts.tier(TierKind.SSD), facts.engine(request.instance()));
  }

  private static ReadLimits plan(CutoffPolicy policy, AnyFacts facts, String instance) {
    RequestFacts request = facts.request();
    EngineFacts engine = facts.engine(instance);
    return policy.plan(request, facts.tier(TierKind.SSD), engine);
  }
}
