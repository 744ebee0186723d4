package io.orbitkv.workload.ab.statistics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Whether intervals are wrong as seldom as they say, on data that are not normal. */
class CoverageTest {
  private static final int EXPERIMENTS = 200;
  private static final int PAIRS = 8;

  @Test
  void pairedRuns_ofOneConfiguration_callAWinnerInAtMostNinePerCent() {
    int winners = 0;
    for (int seed = 0; seed < EXPERIMENTS; seed++) {
      winners += excludesZero(PairedT.of(runs(seed, 0))) ? 1 : 0;
    }

    assertThat(winners).isLessThanOrEqualTo(18);
  }

  @Test
  void pairedRuns_twiceTheDetectableEffect_isFoundInAtLeastEightyPerCent() {
    int found = 0;
    for (int seed = 0; seed < EXPERIMENTS; seed++) {
      double deviation = PairedT.deviation(runs(10_000 + seed, 0));
      double planted = 2 * Power.detectable(deviation, PAIRS);
      Estimate estimate = PairedT.of(runs(seed, planted));
      found += excludesZero(estimate) && estimate.effect() > 0 ? 1 : 0;
    }

    assertThat(found).isGreaterThanOrEqualTo(160);
  }

  @Test
  void simulatedHours_ofOneConfiguration_callAWinnerInAtMostNinePerCent() {
    int winners = 0;
    for (int seed = 0; seed < EXPERIMENTS; seed++) {
      winners += excludesZero(hour(seed, 0)) ? 1 : 0;
    }

    assertThat(winners).isLessThanOrEqualTo(18);
  }

  @Test
  void simulatedHours_twiceTheDetectableEffect_isFoundInAtLeastEightyPerCent() {
    int found = 0;
    for (int seed = 0; seed < EXPERIMENTS; seed++) {
      Estimate pilot = hour(10_000 + seed, 0);
      double planted =
          2 * pilot.standardError() * Power.detectableInErrors(pilot.degreesOfFreedom());
      Estimate estimate = hour(seed, planted);
      found += excludesZero(estimate) && estimate.effect() > 0 ? 1 : 0;
    }

    assertThat(found).isGreaterThanOrEqualTo(160);
  }

  private static boolean excludesZero(Estimate estimate) {
    return estimate.interval().orElseThrow().excludesZero();
  }

  /** Log ratios of pairs: three degrees of freedom make tails that no mean of eight evens out. */
  private static double[] runs(long seed, double effect) {
    Random random = new Random(seed);
    double[] ratios = new double[PAIRS];
    for (int i = 0; i < PAIRS; i++) {
      double squares = 0;
      for (int j = 0; j < 3; j++) {
        double gaussian = random.nextGaussian();
        squares += gaussian * gaussian;
      }
      ratios[i] = effect + 0.02 * random.nextGaussian() / Math.sqrt(squares / 3);
    }
    return ratios;
  }

  private static Estimate hour(long seed, double effect) {
    SyntheticLoad load = new SyntheticLoad(seed);
    SyntheticLoad.Arm a = load.arm(0, 0);
    SyntheticLoad.Arm b = load.arm(effect, 1_000_000);
    List<Bootstrap.Comparison> means =
        List.of(
            new Bootstrap.Comparison(
                RequestMeasure.mean(a.values()), RequestMeasure.mean(b.values()), Scale.LOG_RATIO));
    Resampling time = Resampling.timeBlocks(a.seconds(), b.seconds(), SyntheticLoad.SECONDS);
    Resampling conversations = Resampling.conversations(a.roots(), b.roots());
    return Bootstrap.wider(
            Bootstrap.of(time, means, 200, seed), Bootstrap.of(conversations, means, 200, seed))
        .getFirst();
  }
}
