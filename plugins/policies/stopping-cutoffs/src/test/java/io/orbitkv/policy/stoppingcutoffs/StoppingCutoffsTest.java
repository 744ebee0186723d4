package io.orbitkv.policy.stoppingcutoffs;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.policy.CutoffPolicy.OnDeadline;
import io.orbitkv.api.policy.CutoffPolicy.ReadLimits;
import io.orbitkv.testkit.policy.PolicyTester;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class StoppingCutoffsTest {
  private static PolicyTester policy() {
    return PolicyTester.of(new StoppingCutoffsPlugin());
  }

  @Test
  void read_withoutSettings_isNotLimited() {
    PolicyTester policy = policy();

    assertThat(policy.request("r").pages(64).resident(0, 0, 64).plan())
        .isEqualTo(
            new ReadLimits(
                0, 0, Duration.ZERO, OnDeadline.MISS, Integer.MAX_VALUE, StoppingCutoffs.OFF));
  }

  @Test
  void read_withSettings_getsThem() {
    PolicyTester policy =
        policy()
            .set("read-batch", "32mb")
            .set("read-timeout", "100ms")
            .set("read-max-batches", "3")
            .set("on-deadline", "hand-over");

    assertThat(policy.request("r").pages(64).resident(0, 0, 64).plan())
        .isEqualTo(
            new ReadLimits(
                32 << 20,
                3,
                Duration.ofMillis(100),
                OnDeadline.HAND_OVER,
                Integer.MAX_VALUE,
                StoppingCutoffs.LIMITED));
  }

  @Test
  void range_ofAnyLength_isNotShortened() {
    PolicyTester policy = policy().set("read-max-batches", "1");

    assertThat(policy.request("r").pages(64).resident(0, 0, 64).plan().restorePages())
        .isEqualTo(Integer.MAX_VALUE);
  }
}
