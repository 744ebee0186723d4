package io.orbitkv.workload.ab.statistics;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;

/*
 * On live traffic each arm has blocks of its own, so each is drawn from its own. Before and after
 * the swap an arm meets another group, or another place in the order of turns: blocks are drawn from
 * each half apart, or the spread between the halves, which the swap balances, would count as error.
 */

/** The bootstrap of blocks of time of two arms, each arm's drawn from its own. */
public final class ArmBlocks {
  private ArmBlocks() {}

  /**
   * A period of an experiment.
   *
   * @param halfOfA which half each block of A belongs to, 0 or 1
   * @param halfOfB the same of B
   */
  @SuppressWarnings("ArrayRecordComponent") // Compared by nobody.
  public record Period(int[] halfOfA, int[] halfOfB) {
    /** Copies the arrays. */
    public Period {
      halfOfA = halfOfA.clone();
      halfOfB = halfOfB.clone();
    }

    /** Blocks of the arm that has fewer. */
    public int fewest() {
      return Math.min(halfOfA.length, halfOfB.length);
    }
  }

  /**
   * Estimates of measures of blocks, in the order of {@code comparisons}.
   *
   * @param seed same seed, same result
   * @throws IllegalArgumentException when an arm has fewer than two blocks
   */
  public static List<Estimate> of(
      Period period, List<Bootstrap.Comparison> comparisons, int resamples, long seed) {
    if (period.fewest() < 2) {
      throw new IllegalArgumentException(
          "[" + period.fewest() + "] blocks of an arm: an error needs two");
    }
    SplittableRandom random = new SplittableRandom(seed);
    Strata a = new Strata(period.halfOfA());
    Strata b = new Strata(period.halfOfB());
    double[][] effects = new double[comparisons.size()][resamples];
    for (int sample = 0; sample < resamples; sample++) {
      int[] weightsA = a.draw(random);
      int[] weightsB = b.draw(random);
      for (int i = 0; i < effects.length; i++) {
        Bootstrap.Comparison comparison = comparisons.get(i);
        effects[i][sample] =
            comparison.scale().effect(comparison.a().of(weightsA), comparison.b().of(weightsB));
      }
    }
    double degrees = Math.min(a.degreesOfFreedom(), b.degreesOfFreedom());
    double correction = Math.max(a.correction(), b.correction());
    String method =
        "bootstrap of "
            + period.halfOfA().length
            + " blocks of A and "
            + period.halfOfB().length
            + " of B";
    List<Estimate> estimates = new ArrayList<>();
    for (int i = 0; i < effects.length; i++) {
      double[] finite = Arrays.stream(effects[i]).filter(Double::isFinite).toArray();
      double spread = finite.length < 2 ? 0 : PairedT.deviation(finite);
      estimates.add(
          new Estimate(comparisons.get(i).effect(), spread * correction, degrees, method));
    }
    return List.copyOf(estimates);
  }

  /**
   * An effect less what the same method finds where there is none; the errors add up, and their
   * degrees of freedom are those of Welch and Satterthwaite.
   */
  public static Estimate corrected(Estimate effect, Estimate without) {
    double first = effect.standardError() * effect.standardError();
    double second = without.standardError() * without.standardError();
    double error = Math.sqrt(first + second);
    double degrees =
        error == 0
            ? effect.degreesOfFreedom()
            : (first + second)
                * (first + second)
                / (first * first / effect.degreesOfFreedom()
                    + second * second / without.degreesOfFreedom());
    return new Estimate(
        effect.effect() - without.effect(),
        error,
        degrees,
        effect.method() + ", less the A/A difference (" + without.method() + ")");
  }

  /** The blocks of one arm, by half where each half has two. */
  private static final class Strata {
    private final List<int[]> strata = new ArrayList<>();
    private final int blocks;

    Strata(int[] halves) {
      blocks = halves.length;
      TreeMap<Integer, List<Integer>> byHalf = new TreeMap<>();
      for (int i = 0; i < halves.length; i++) {
        byHalf.computeIfAbsent(halves[i], _ -> new ArrayList<>()).add(i);
      }
      if (byHalf.values().stream().allMatch(half -> half.size() > 1)) {
        byHalf
            .values()
            .forEach(half -> strata.add(half.stream().mapToInt(Integer::intValue).toArray()));
      } else {
        int[] all = new int[blocks];
        Arrays.setAll(all, index -> index);
        strata.add(all);
      }
    }

    int[] draw(SplittableRandom random) {
      int[] weights = new int[blocks];
      for (int[] stratum : strata) {
        for (int i = 0; i < stratum.length; i++) {
          weights[stratum[random.nextInt(stratum.length)]]++;
        }
      }
      return weights;
    }

    double degreesOfFreedom() {
      return blocks - (double) strata.size();
    }

    /** What the spread between resamples falls short of, being around the halves' own means. */
    double correction() {
      return Math.sqrt(blocks / degreesOfFreedom());
    }
  }
}
