package org.example.comeback;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.policy.Admission;
import io.orbitkv.api.policy.TierKind;
import io.orbitkv.testkit.policy.PolicyTester;
import io.orbitkv.testkit.policy.TestTier;
import io.orbitkv.testkit.policy.TestTraces;
import io.orbitkv.testkit.policy.TraceResult;
import org.junit.jupiter.api.Test;

class ComebackTest {
  private final PolicyTester policy = PolicyTester.of(new ComebackPlugin());

  @Test
  void newChain_isWrittenInTheShareOnTrialAlone() {
    assertThat(policy.chain(1).unitHash(0.24).admitToStore())
        .isEqualTo(Admission.admit(Comeback.TRIAL));
    assertThat(policy.chain(2).unitHash(0.25).admitToStore())
        .isEqualTo(Admission.drop(Comeback.UNPROVEN));
  }

  @Test
  void chain_thatReturned_isWritten() {
    policy.chain(1).unitHash(0.9).admitToStore();

    assertThat(policy.chain(1).unitHash(0.9).admitToStore())
        .isEqualTo(Admission.admit(Comeback.RETURNED));
    assertThat(policy.chain(2).unitHash(0.9).used(1).admitToStore())
        .isEqualTo(Admission.admit(Comeback.RETURNED));
  }

  @Test
  void chain_thatTheAllowanceDoesNotCover_isDropped() {
    policy.store(TestTier.of(TierKind.SSD).writeBudgetLeft(1));

    assertThat(policy.chain(1).used(5).admitToStore()).isEqualTo(Admission.drop(Comeback.BUDGET));
  }

  @Test
  void conversations_writeLessAndKeepMost() {
    TraceResult result = policy.onTrace(TestTraces.conversations(2_000, 1)).run();

    assertThat(result.writtenShare()).isLessThan(0.95);
    assertThat(result.againstLru()).isGreaterThan(0.7);
  }
}
