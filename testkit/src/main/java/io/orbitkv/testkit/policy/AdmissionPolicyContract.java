package io.orbitkv.testkit.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.policy.Admission;
import io.orbitkv.api.policy.AdmissionPolicy;
import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.api.policy.TierKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What every {@link AdmissionPolicy} must do. */
public abstract class AdmissionPolicyContract extends PolicyContract<AdmissionPolicy> {
  private static final int CALLS = 20_000;
  private static final Duration LONGEST_DELAY = Duration.ofHours(1);

  /** For subclasses. */
  protected AdmissionPolicyContract() {
    super(AdmissionPolicy.class);
  }

  @Override
  final String ask(AdmissionPolicy policy, AnyFacts facts, TestPolicyContext scope) {
    TierKind target = targets().get((int) (scope.nanoTime() % targets().size()));
    return policy.admit(facts.chain(), facts.tier(target)).toString();
  }

  @Test
  final void admit_onAnyFacts_answersWithAReasonAndASensibleDelay() {
    AdmissionPolicy policy = create();
    AnyFacts facts = facts();

    for (int call = 0; call < CALLS; call++) {
      for (TierKind target : targets()) {
        Admission answer = policy.admit(facts.chain(), facts.tier(target));

        assertThat(answer.reason()).isNotNull();
        if (answer instanceof Admission.Later later) {
          assertThat(later.delay()).isBetween(Duration.ZERO, LONGEST_DELAY);
        }
      }
    }
  }

  @Test
  final void admit_ofMillionsOfChains_keepsItsMemoryBounded() {
    AdmissionPolicy policy = create();
    AnyFacts facts = facts();
    List<TierKind> targets = targets();

    HeldMemory.assertBounded(
        policy,
        key -> {
          TierKind target = targets.get(Math.floorMod(key, targets.size()));
          policy.admit(facts.chain(key, TierKind.DRAM), facts.tier(target));
        });
  }

  private List<TierKind> targets() {
    List<TierKind> targets = new ArrayList<>();
    if (factory().slots().contains(PolicySlot.ADMISSION_DRAM)
        || factory().slots().contains(PolicySlot.ADMISSION_PROMOTE)) {
      targets.add(TierKind.DRAM);
    }
    if (factory().slots().contains(PolicySlot.ADMISSION_SSD)) {
      targets.add(TierKind.SSD);
    }
    return targets;
  }
}
