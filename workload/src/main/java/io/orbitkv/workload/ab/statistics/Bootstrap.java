package io.orbitkv.workload.ab.statistics;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/*
 * The bootstrap gives the standard error, Student t the interval: with ten to twenty blocks the
 * percentiles of the resamples cover too little (a bootstrap of 3, 4, 6 units covers 73, 80, 86 %),
 * since the spread of few units is itself uncertain.
 */

/** The error of effects between two arms, by resampling both together. */
public final class Bootstrap {
  /** Resamples: the error's own error is then about two per cent. */
  public static final int RESAMPLES = 1_000;

  private Bootstrap() {}

  /**
   * One measure of both arms.
   *
   * @param a of arm A
   * @param b of arm B
   * @param scale on which they are compared
   */
  public record Comparison(RequestMeasure a, RequestMeasure b, Scale scale) {
    /** The effect when each request counts once. */
    public double effect() {
      return scale.effect(valueOfA(), valueOfB());
    }

    /** Of A, each request counted once. */
    public double valueOfA() {
      return a.of(ones(a.requests()));
    }

    /** Of B, each request counted once. */
    public double valueOfB() {
      return b.of(ones(b.requests()));
    }
  }

  /**
   * Estimates of all comparisons from the same resamples.
   *
   * @param seed same seed, same result
   */
  public static List<Estimate> of(
      Resampling resampling, List<Comparison> comparisons, int resamples, long seed) {
    return of(resampling, comparisons, EqualLoad.none(comparisons.size()), resamples, seed);
  }

  /**
   * Estimates of all comparisons from the same resamples, as they would be had both arms met the
   * load that is their share.
   *
   * @param equalLoad of these comparisons
   * @param seed same seed, same result
   */
  public static List<Estimate> of(
      Resampling resampling,
      List<Comparison> comparisons,
      EqualLoad equalLoad,
      int resamples,
      long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    double[][] effects = new double[comparisons.size()][resamples];
    int requestsA = comparisons.isEmpty() ? 0 : comparisons.getFirst().a().requests();
    int requestsB = comparisons.isEmpty() ? 0 : comparisons.getFirst().b().requests();
    int[] weightsA = new int[requestsA];
    int[] weightsB = new int[requestsB];
    for (int sample = 0; sample < resamples; sample++) {
      resampling.draw(random, weightsA, weightsB);
      double excess = equalLoad.excess(weightsA, weightsB);
      for (int i = 0; i < effects.length; i++) {
        Comparison comparison = comparisons.get(i);
        effects[i][sample] =
            comparison.scale().effect(comparison.a().of(weightsA), comparison.b().of(weightsB))
                - equalLoad.slope(i) * excess;
      }
    }
    List<Estimate> estimates = new ArrayList<>();
    for (int i = 0; i < effects.length; i++) {
      estimates.add(
          new Estimate(
              comparisons.get(i).effect() - equalLoad.slope(i) * equalLoad.excess(),
              equalLoad.standardError(i, spread(effects[i]) * resampling.correction()),
              equalLoad.degreesOfFreedom(i, resampling.degreesOfFreedom()),
              resampling.method() + equalLoad.method(i)));
    }
    return List.copyOf(estimates);
  }

  /** Of each pair the one with the wider interval: what both agree on. */
  public static List<Estimate> wider(List<Estimate> some, List<Estimate> others) {
    List<Estimate> wider = new ArrayList<>();
    for (int i = 0; i < some.size(); i++) {
      wider.add(halfWidth(some.get(i)) >= halfWidth(others.get(i)) ? some.get(i) : others.get(i));
    }
    return List.copyOf(wider);
  }

  private static double halfWidth(Estimate estimate) {
    return estimate.upperBound() - estimate.effect();
  }

  /** A resample in which a measure does not exist (nothing to divide by) tells nothing. */
  private static double spread(double[] effects) {
    double[] finite = Arrays.stream(effects).filter(Double::isFinite).toArray();
    return finite.length < 2 ? 0 : PairedT.deviation(finite);
  }

  private static int[] ones(int count) {
    int[] ones = new int[count];
    Arrays.fill(ones, 1);
    return ones;
  }
}
