package io.orbitkv.workload.ab.statistics;

import java.util.Optional;
import org.apache.commons.statistics.distribution.TDistribution;

/**
 * An effect with what is known about its error: a Student t distribution of {@code
 * degreesOfFreedom} around the effect.
 *
 * @param effect the best guess, on the scale of the measure
 * @param standardError of the effect; 0 when nothing varied, and then there is no interval
 * @param degreesOfFreedom of the error, above 0
 * @param method how it was found, in words
 */
public record Estimate(
    double effect, double standardError, double degreesOfFreedom, String method) {
  /** Confidence of intervals that are shown and decide. */
  public static final double CONFIDENCE = 0.95;

  /**
   * Checks the error.
   *
   * @throws IllegalArgumentException when a figure is no number or out of its range
   */
  public Estimate {
    if (!Double.isFinite(effect) || !(standardError >= 0) || !(degreesOfFreedom > 0)) {
      throw new IllegalArgumentException(
          "effect ["
              + effect
              + "] with error ["
              + standardError
              + "] and ["
              + degreesOfFreedom
              + "] degrees of freedom is no estimate");
    }
  }

  /** Whether repeating shows the same each time, so that nothing can be said about its error. */
  public boolean invariable() {
    return standardError <= Math.ulp(Math.max(1, Math.abs(effect))) * 4;
  }

  /** The two-sided interval; none when nothing varied. */
  public Optional<Interval> interval() {
    if (invariable()) {
      return Optional.empty();
    }
    double half = quantile(0.5 + CONFIDENCE / 2) * standardError;
    return Optional.of(new Interval(effect - half, effect + half));
  }

  /** One-sided: the effect is above this with {@link #CONFIDENCE}. */
  public double lowerBound() {
    return effect - quantile(CONFIDENCE) * standardError;
  }

  /** One-sided: the effect is below this with {@link #CONFIDENCE}. */
  public double upperBound() {
    return effect + quantile(CONFIDENCE) * standardError;
  }

  /** Two-sided p value of no effect; 1 when nothing varied. */
  public double pValue() {
    if (invariable()) {
      return 1;
    }
    double t = Math.abs(effect) / standardError;
    return Math.min(1, 2 * TDistribution.of(degreesOfFreedom).survivalProbability(t));
  }

  private double quantile(double probability) {
    return TDistribution.of(degreesOfFreedom).inverseCumulativeProbability(probability);
  }
}
