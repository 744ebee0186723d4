package io.orbitkv.policy.writeall;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.policy.Admission;
import io.orbitkv.api.policy.TierKind;
import io.orbitkv.testkit.policy.PolicyTester;
import io.orbitkv.testkit.policy.TestTier;
import org.junit.jupiter.api.Test;

class WriteAllTest {
  private final PolicyTester policy = PolicyTester.of(new WriteAllPlugin());

  @Test
  void newChain_atEitherBorder_isAdmitted() {
    assertThat(policy.chain(1).admitToMemory()).isEqualTo(Admission.admit(WriteAll.EVERYTHING));
    assertThat(policy.chain(1).admitToStore()).isEqualTo(Admission.admit(WriteAll.EVERYTHING));
  }

  @Test
  void chain_beforeAFullTierWithoutBudget_isAdmittedAllTheSame() {
    policy.store(TestTier.of(TierKind.SSD).freeBytes(0).queuedBytes(1 << 30).writeBudgetLeft(0));

    assertThat(policy.chain(1).pages(4).admitToStore()).isInstanceOf(Admission.Admit.class);
  }
}
