package io.orbitkv.workload.ab.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class PairedTTest {
  /** Student's sleep data (1908), the extra hours of ten patients: t = -4.0621, p = 0.002833. */
  private static final double[] SLEEP = {1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4};

  @Test
  void of_studentsSleepData_givesThePublishedFigures() {
    Estimate estimate = PairedT.of(SLEEP);

    assertThat(estimate.effect()).isCloseTo(1.58, within(1e-12));
    assertThat(estimate.degreesOfFreedom()).isEqualTo(9);
    assertThat(estimate.effect() / estimate.standardError()).isCloseTo(4.0621, within(1e-4));
    assertThat(estimate.pValue()).isCloseTo(0.002833, within(1e-6));
    Interval interval = estimate.interval().orElseThrow();
    assertThat(interval.low()).isCloseTo(0.7001142, within(1e-6));
    assertThat(interval.high()).isCloseTo(2.4598858, within(1e-6));
    assertThat(interval.excludesZero()).isTrue();
  }

  @Test
  void oneSidedBounds_ofEightPairs_useTheOneSidedQuantile() {
    Estimate estimate = new Estimate(1, 2, 7, "test");

    assertThat(estimate.upperBound()).isCloseTo(1 + 2 * 1.894579, within(1e-5));
    assertThat(estimate.lowerBound()).isCloseTo(1 - 2 * 1.894579, within(1e-5));
  }

  @Test
  void interval_whenNothingVaried_isAbsentRatherThanOfWidthZero() {
    Estimate estimate = PairedT.of(new double[] {0.25, 0.25, 0.25, 0.25, 0.25, 0.25});

    assertThat(estimate.interval()).isEmpty();
    assertThat(estimate.pValue()).isEqualTo(1);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Interval(0.25, 0.25))
        .withMessageContaining("no width");
  }

  @Test
  void of_onePair_isRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> PairedT.of(new double[] {1}))
        .withMessageContaining("[1] pairs");
  }
}
