package io.orbitkv.workload.ab.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Arms that met different loads for the whole of an hour, where times follow the load. */
class EqualLoadTest {
  private static final int EXPERIMENTS = 200;
  private static final int MINUTES = 60;
  private static final double SLOPE = 1.3;

  @Test
  void equalVariants_whoseTimesFollowTheirLoad_haveAWinnerInAtMostNinePerCent() {
    int plain = 0;
    int adjusted = 0;
    for (int seed = 0; seed < EXPERIMENTS; seed++) {
      Hour hour = new Hour(seed, 0.08, 0);
      plain += excludesZero(hour.estimate(false)) ? 1 : 0;
      adjusted += excludesZero(hour.estimate(true)) ? 1 : 0;
    }

    assertThat(plain).as("without, resampled blocks do not see the load").isGreaterThan(40);
    assertThat(adjusted).isLessThanOrEqualTo(18);
  }

  @Test
  void plantedEffect_ofTwentyPerCent_isFoundWhicheverArmMetMore() {
    int found = 0;
    for (int seed = 0; seed < EXPERIMENTS; seed++) {
      Estimate estimate = new Hour(seed, 0.08, Math.log(1.2)).estimate(true);
      found += excludesZero(estimate) && estimate.effect() > 0 ? 1 : 0;
    }

    assertThat(found).isGreaterThanOrEqualTo(160);
  }

  @Test
  void slope_ofTimesThatFollowTheLoad_isFoundInTheBlocksAndTakenOff() {
    Hour hour = new Hour(3, 0.2, 0);
    EqualLoad load = hour.equalLoad(true);

    assertThat(load.slope(0)).isCloseTo(SLOPE, within(0.5));
    assertThat(hour.estimate(true).effect())
        .isCloseTo(hour.times().effect() - load.slope(0) * load.excess(), within(1e-12));
    assertThat(hour.estimate(true).method()).contains("at equal load (B met ");
    assertThat(hour.estimate(true).degreesOfFreedom())
        .isEqualTo(hour.estimate(false).degreesOfFreedom() - 1);
  }

  @Test
  void armsThatMetTheSameRequests_areLeftAsTheyAre() {
    Hour hour = new Hour(4, 0, 0);
    Resampling time = hour.blocks(hour.a(), hour.a());
    Bootstrap.Comparison same =
        new Bootstrap.Comparison(
            RequestMeasure.total(hour.a().pages()),
            RequestMeasure.total(hour.a().pages()),
            Scale.LOG_RATIO);

    EqualLoad load = EqualLoad.of(time, List.of(hour.times()), new boolean[] {true}, same, 0);

    assertThat(load.slope(0)).isZero();
    assertThat(load.method(0)).isEmpty();
  }

  @Test
  void unevenSplit_whoseArmsMetTheirShares_takesNothingOff() {
    Hour hour = new Hour(5, 0, 0);
    Bootstrap.Comparison load = hour.load();

    EqualLoad even =
        EqualLoad.of(
            hour.blocks(hour.a(), hour.b()),
            List.of(hour.times()),
            new boolean[] {true},
            load,
            load.effect());

    assertThat(even.excess()).isZero();
  }

  private static boolean excludesZero(Estimate estimate) {
    return estimate.interval().orElseThrow().excludesZero();
  }

  private record Arm(double[] seconds, double[] pages, double[] times) {}

  /** Requests of one size; an arm's pages in a minute are its load, which its times follow. */
  private static final class Hour {
    private static final int REQUESTS = 20;

    private final Arm a;
    private final Arm b;
    private final long seed;

    Hour(long seed, double unequal, double effect) {
      Random random = new Random(seed);
      this.seed = seed;
      double lasting = unequal * random.nextGaussian();
      this.a = arm(random, lasting / 2, 0);
      this.b = arm(random, -lasting / 2, effect);
    }

    private static Arm arm(Random random, double level, double effect) {
      double[] seconds = new double[MINUTES * REQUESTS];
      double[] pages = new double[seconds.length];
      double[] times = new double[seconds.length];
      for (int minute = 0; minute < MINUTES; minute++) {
        double load = level + 0.15 * random.nextGaussian();
        for (int i = minute * REQUESTS; i < (minute + 1) * REQUESTS; i++) {
          seconds[i] = 60 * (minute + random.nextDouble());
          pages[i] = 100 * Math.exp(load);
          times[i] = Math.exp(SLOPE * load + effect + 0.3 * random.nextGaussian());
        }
      }
      return new Arm(seconds, pages, times);
    }

    Arm a() {
      return a;
    }

    Arm b() {
      return b;
    }

    Resampling blocks(Arm first, Arm second) {
      return Resampling.timeBlocks(first.seconds(), second.seconds(), 60.0 * MINUTES);
    }

    Bootstrap.Comparison times() {
      return new Bootstrap.Comparison(
          RequestMeasure.mean(a.times()), RequestMeasure.mean(b.times()), Scale.LOG_RATIO);
    }

    Bootstrap.Comparison load() {
      return new Bootstrap.Comparison(
          RequestMeasure.total(a.pages()), RequestMeasure.total(b.pages()), Scale.LOG_RATIO);
    }

    EqualLoad equalLoad(boolean adjusted) {
      return EqualLoad.of(blocks(a, b), List.of(times()), new boolean[] {adjusted}, load(), 0);
    }

    Estimate estimate(boolean adjusted) {
      return Bootstrap.of(blocks(a, b), List.of(times()), equalLoad(adjusted), 200, seed)
          .getFirst();
    }
  }
}
