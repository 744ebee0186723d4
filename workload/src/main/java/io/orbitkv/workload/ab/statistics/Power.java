package io.orbitkv.workload.ab.statistics;

import java.util.OptionalInt;
import org.apache.commons.statistics.distribution.ChiSquaredDistribution;
import org.apache.commons.statistics.distribution.TDistribution;

/**
 * How many pairs it takes to see an effect, and what effect a number of pairs can show. Two-sided
 * at 95 %, seen in 80 % of experiments. The quantiles of the t distribution stand for those of the
 * noncentral one: from six pairs on the difference is below one pair.
 */
public final class Power {
  /** In how many of many experiments an effect is to be seen. */
  public static final double POWER = 0.8;

  /** More pairs than this nobody runs: the effect is too small for this measure. */
  public static final int MOST_PAIRS = 10_000;

  /** A pilot's deviation is raised to the bound that the true one is below at this confidence. */
  private static final double PILOT_CONFIDENCE = 0.8;

  private Power() {}

  /** The smallest effect that {@code pairs} pairs see, {@code deviation} being of one pair. */
  public static double detectable(double deviation, int pairs) {
    return detectableInErrors(pairs - 1.0) * deviation / Math.sqrt(pairs);
  }

  /** The smallest effect that is seen, as a multiple of its standard error. */
  public static double detectableInErrors(double degreesOfFreedom) {
    TDistribution t = TDistribution.of(degreesOfFreedom);
    return t.inverseCumulativeProbability(0.5 + Estimate.CONFIDENCE / 2)
        + t.inverseCumulativeProbability(POWER);
  }

  /**
   * Pairs that see an effect, at least {@code least}.
   *
   * @param effect on the scale of {@code deviation}; its sign has no meaning
   * @return empty when more than {@link #MOST_PAIRS} would be needed, or the effect is zero
   */
  public static OptionalInt pairs(double effect, double deviation, int least) {
    if (effect == 0) {
      return OptionalInt.empty();
    }
    int low = Math.max(2, least);
    if (detectable(deviation, low) <= Math.abs(effect)) {
      return OptionalInt.of(low);
    }
    int high = MOST_PAIRS;
    if (detectable(deviation, high) > Math.abs(effect)) {
      return OptionalInt.empty();
    }
    // The detectable effect falls with each pair more.
    while (high - low > 1) {
      int middle = (low + high) >>> 1;
      if (detectable(deviation, middle) <= Math.abs(effect)) {
        high = middle;
      } else {
        low = middle;
      }
    }
    return OptionalInt.of(high);
  }

  /**
   * A deviation to plan with, from few pilots: few pilots are as likely to show too small a spread
   * as too large a one, and a plan for too small a one fails.
   */
  public static double prudentDeviation(double deviation, int pilots) {
    double degrees = pilots - 1.0;
    double low =
        ChiSquaredDistribution.of(degrees).inverseCumulativeProbability(1 - PILOT_CONFIDENCE);
    return deviation * Math.sqrt(degrees / low);
  }
}
