package io.orbitkv.workload.ab.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ResamplingTest {
  @Test
  void timeBlocks_tooShortALoad_isRefused() {
    assertThat(Resampling.longEnough(2_999)).isFalse();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Resampling.timeBlocks(new double[] {1}, new double[] {1}, 2_999))
        .withMessageContaining("10 blocks");
  }

  @Test
  void timeBlocks_draw_countsRequestsOfOneMomentAlikeInBothArms() {
    double[] seconds = {10, 310, 610, 1_810, 3_010};
    Resampling resampling = Resampling.timeBlocks(seconds, seconds, 3_600);
    int[] a = new int[5];
    int[] b = new int[5];

    resampling.draw(new SplittableRandom(7), a, b);

    assertThat(a).isEqualTo(b);
  }

  @Test
  void conversations_draw_keepsEachWhole() {
    long[] roots = {4, 9, 4, 9, 4, 1};
    Resampling resampling = Resampling.conversations(roots, new long[] {1, 4});
    int[] a = new int[6];
    int[] b = new int[2];

    resampling.draw(new SplittableRandom(3), a, b);

    assertThat(a[0]).isEqualTo(a[2]).isEqualTo(a[4]).isEqualTo(b[1]);
    assertThat(a[1]).isEqualTo(a[3]);
    assertThat(a[5]).isEqualTo(b[0]);
    assertThat(a[0] + a[1] + a[5]).isEqualTo(3);
  }

  @Test
  void bootstrap_armsThatAreTheSame_haveNoIntervalRatherThanOneOfWidthZero() {
    double[] seconds = new double[600];
    double[] values = new double[600];
    Arrays.setAll(seconds, index -> index * 6.0);
    Arrays.setAll(values, index -> 1 + index % 7);
    RequestMeasure mean = RequestMeasure.mean(values);

    Estimate estimate =
        Bootstrap.of(
                Resampling.timeBlocks(seconds, seconds, 3_600),
                List.of(new Bootstrap.Comparison(mean, mean, Scale.LOG_RATIO)),
                100,
                1)
            .getFirst();

    assertThat(estimate.effect()).isZero();
    assertThat(estimate.interval()).isEmpty();
  }

  @Test
  void bootstrap_sameSeed_givesTheSame() {
    SyntheticLoad.Arm arm = new SyntheticLoad(5).arm(0, 0);
    SyntheticLoad.Arm other = new SyntheticLoad(6).arm(0, 0);
    List<Bootstrap.Comparison> p95 =
        List.of(
            new Bootstrap.Comparison(
                RequestMeasure.percentile(arm.values(), 0.95),
                RequestMeasure.percentile(other.values(), 0.95),
                Scale.LOG_RATIO));
    Resampling time = Resampling.timeBlocks(arm.seconds(), other.seconds(), 3_600);

    assertThat(Bootstrap.of(time, p95, 50, 11)).isEqualTo(Bootstrap.of(time, p95, 50, 11));
  }
}
