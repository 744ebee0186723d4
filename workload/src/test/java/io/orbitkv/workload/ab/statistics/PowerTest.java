package io.orbitkv.workload.ab.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class PowerTest {
  @Test
  void detectable_moreAndMorePairs_falls() {
    double before = Double.POSITIVE_INFINITY;
    for (int pairs = 2; pairs < 100; pairs++) {
      double now = Power.detectable(0.05, pairs);
      assertThat(now).isLessThan(before);
      before = now;
    }
  }

  @Test
  void pairs_ofAnEffectAsLargeAsTheDeviation_areTheTextbooksTen() {
    // Exactly, with the noncentral distribution: a power of 0.8 takes 10 pairs at d = 1.
    assertThat(Power.pairs(1, 1, 2)).hasValue(10);
    // And 34 at d = 0.5.
    assertThat(Power.pairs(0.5, 1, 2)).hasValue(34);
    assertThat(Power.pairs(-0.5, 1, 2)).hasValue(34);
  }

  @Test
  void pairs_largeEffect_areNeverFewerThanAVerdictNeeds() {
    assertThat(Power.pairs(10, 1, 6)).hasValue(6);
  }

  @Test
  void pairs_effectThatNobodyCanSee_areNone() {
    assertThat(Power.pairs(1e-6, 1, 6)).isEmpty();
    assertThat(Power.pairs(0, 1, 6)).isEmpty();
  }

  @Test
  void prudentDeviation_ofFewPilots_isRaisedMoreThanThatOfMany() {
    double four = Power.prudentDeviation(1, 4);
    double hundred = Power.prudentDeviation(1, 100);

    assertThat(four).isCloseTo(Math.sqrt(3 / 1.00517), within(1e-4));
    assertThat(hundred).isBetween(1.0, 1.1).isLessThan(four);
  }
}
