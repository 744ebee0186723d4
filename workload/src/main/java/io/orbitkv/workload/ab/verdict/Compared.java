package io.orbitkv.workload.ab.verdict;

import io.orbitkv.workload.ab.statistics.Estimate;
import io.orbitkv.workload.ab.statistics.Scale;

/**
 * One measure of both variants.
 *
 * @param measure which
 * @param a its value for A, over everything that counted
 * @param b the same for B
 * @param scale on which they were compared
 * @param estimate the effect of B against A
 */
public record Compared(Measure measure, double a, double b, Scale scale, Estimate estimate) {
  /** How much worse B is, at the least, with 95 %; below zero when it may be better. */
  double leastHarm() {
    return measure.better() == Measure.Better.LOWER
        ? estimate.lowerBound()
        : -estimate.upperBound();
  }

  /** How much worse B is, at the most, with 95 %. */
  double mostHarm() {
    return measure.better() == Measure.Better.LOWER
        ? estimate.upperBound()
        : -estimate.lowerBound();
  }

  /** The best guess of the change: relative where a ratio was compared, absolute else. */
  public double change() {
    return scale.change(estimate.effect());
  }
}
