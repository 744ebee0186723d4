package io.orbitkv.workload.ab.statistics;

import io.orbitkv.workload.ab.statistics.Bootstrap.Comparison;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/*
 * A split of conversations gives one arm more prompts than the other, from the first minute to the
 * last. In a queue times rise faster than the load, so that this moves times more than most policies
 * do; and since it is the same in all blocks and in all resamples of them, no resampling sees it: on
 * the conversation trace 80 % of the variance of ttft.mean between splits was that (correlation 0.9),
 * while neighbouring blocks did not hang together at all (-0.05). What arrives is not made by a
 * policy, so that taking it off favours none. How much a time depends on it is read off the blocks.
 */

/** Takes off an effect what one arm's larger load explains: a control variate. */
public final class EqualLoad {
  /** Fewer stretches say too little about a slope. */
  static final int LEAST_STRETCHES = 10;

  private final Optional<Comparison> load;
  private final double expected;
  private final double excess;
  private final double[] slopes;
  private final double[] slopeErrors;

  private EqualLoad(
      Optional<Comparison> load,
      double expected,
      double excess,
      double[] slopes,
      double[] slopeErrors) {
    this.load = load;
    this.expected = expected;
    this.excess = excess;
    this.slopes = slopes;
    this.slopeErrors = slopeErrors;
  }

  /** Nothing is taken off. */
  static EqualLoad none(int comparisons) {
    return new EqualLoad(Optional.empty(), 0, 0, new double[comparisons], new double[comparisons]);
  }

  /**
   * What the load explains of each comparison.
   *
   * @param resampling stretches of time, whose differences show how much
   * @param comparisons in the order of {@code adjusted}
   * @param adjusted whether a comparison depends on the load; the others are left as they are
   * @param load what each arm met, on a scale of log ratios
   * @param expected its effect when each arm meets just its share
   */
  public static EqualLoad of(
      Resampling resampling,
      List<Comparison> comparisons,
      boolean[] adjusted,
      Comparison load,
      double expected) {
    double excess = load.effect() - expected;
    double[] loads = resampling.influences(load);
    double[] slopes = new double[comparisons.size()];
    double[] slopeErrors = new double[comparisons.size()];
    // Where both met the same requests there is nothing to take off and nothing to learn from.
    if (loads.length >= LEAST_STRETCHES && excess != 0 && Double.isFinite(excess)) {
      for (int i = 0; i < slopes.length; i++) {
        if (adjusted[i]) {
          Line line = Line.through(loads, resampling.influences(comparisons.get(i)));
          slopes[i] = line.slope();
          slopeErrors[i] = line.slopeError();
        }
      }
    }
    return new EqualLoad(Optional.of(load), expected, excess, slopes, slopeErrors);
  }

  /** How much more B met than its share, as a log ratio. */
  public double excess() {
    return excess;
  }

  double excess(int[] weightsA, int[] weightsB) {
    return load.map(of -> of.scale().effect(of.a().of(weightsA), of.b().of(weightsB)) - expected)
        .orElse(0.0);
  }

  /** How much of the effect one unit of the excess explains; 0 when none is known. */
  public double slope(int comparison) {
    return slopes[comparison];
  }

  /** What the slope's own error makes of an effect's error: it counts as far as it was used. */
  double standardError(int comparison, double ofEffect) {
    return Math.hypot(ofEffect, slopeErrors[comparison] * excess);
  }

  /** A slope that was found in the same blocks costs one. */
  double degreesOfFreedom(int comparison, double of) {
    return slopes[comparison] == 0 ? of : Math.max(1, of - 1);
  }

  String method(int comparison) {
    return slopes[comparison] == 0
        ? ""
        : String.format(
            Locale.ROOT,
            ", at equal load (B met %+.1f %% against its share)",
            100 * Math.expm1(excess));
  }

  /** The least squares of effects on loads; flat where it is not known. */
  private record Line(double slope, double slopeError) {
    static Line through(double[] loads, double[] effects) {
      double meanLoad = Arrays.stream(loads).average().orElse(0);
      double meanEffect = Arrays.stream(effects).average().orElse(0);
      double product = 0;
      double square = 0;
      for (int i = 0; i < loads.length; i++) {
        product += (loads[i] - meanLoad) * (effects[i] - meanEffect);
        square += (loads[i] - meanLoad) * (loads[i] - meanLoad);
      }
      double slope = product / square;
      if (!Double.isFinite(slope)) {
        return new Line(0, 0);
      }
      double rest = 0;
      for (int i = 0; i < loads.length; i++) {
        double off = effects[i] - meanEffect - slope * (loads[i] - meanLoad);
        rest += off * off;
      }
      return new Line(slope, Math.sqrt(rest / (loads.length - 2) / square));
    }
  }
}
