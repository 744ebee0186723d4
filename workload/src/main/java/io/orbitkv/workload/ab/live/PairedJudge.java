package io.orbitkv.workload.ab.live;

import io.orbitkv.workload.ab.statistics.Estimate;
import io.orbitkv.workload.ab.statistics.PairedT;
import io.orbitkv.workload.ab.statistics.Power;
import io.orbitkv.workload.ab.statistics.Scale;
import io.orbitkv.workload.ab.verdict.Compared;
import io.orbitkv.workload.ab.verdict.Criteria;
import io.orbitkv.workload.ab.verdict.Judgement;
import io.orbitkv.workload.ab.verdict.Measure;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** Says what pairs of runs show. */
public final class PairedJudge {
  /** With fewer pairs effects are shown and no verdict. */
  public static final int LEAST_PAIRS = 6;

  /** Below this a share is compared by difference: 0.001 against 0.002 is no doubling. */
  private static final double NEAR_ZERO = 0.02;

  private PairedJudge() {}

  /** The judgement on an experiment. */
  public static Judgement judge(Criteria criteria, PairedExperiment.Pairs pairs) {
    List<PairOutcome> counting = pairs.counting();
    if (counting.size() < 2) {
      return Judgement.none(
          pairs.endedByVoids()
              ? "void pairs ended the experiment: see what voids them"
              : "[" + counting.size() + "] pairs count: an effect needs two, a verdict six");
    }
    List<Compared> compared = compare(counting, criteria);
    return Judgement.of(
        criteria.of(compared.stream().map(Compared::measure).toList()),
        compared,
        withoutVerdict(pairs, counting.size()));
  }

  private static Optional<String> withoutVerdict(PairedExperiment.Pairs pairs, int counting) {
    if (pairs.endedByVoids()) {
      return Optional.of("void pairs ended the experiment: see what voids them");
    }
    return counting >= LEAST_PAIRS
        ? Optional.empty()
        : Optional.of(
            "["
                + counting
                + "] pairs count: a verdict needs "
                + LEAST_PAIRS
                + ", since intervals of fewer are wrong too often");
  }

  /** All measures that any run has anything of. */
  static List<Compared> compare(List<PairOutcome> pairs, Criteria criteria) {
    List<Compared> compared = new ArrayList<>();
    for (Measure measure : Measure.values()) {
      double[] a = pairs.stream().mapToDouble(pair -> value(pair.a(), measure)).toArray();
      double[] b = pairs.stream().mapToDouble(pair -> value(pair.b(), measure)).toArray();
      boolean known =
          Arrays.stream(a).noneMatch(Double::isNaN) && Arrays.stream(b).noneMatch(Double::isNaN);
      boolean nothing =
          Arrays.stream(a).allMatch(value -> value == 0)
              && Arrays.stream(b).allMatch(value -> value == 0);
      boolean decides = criteria.primary() == measure || criteria.guard(measure).isPresent();
      if (known && (!nothing || decides)) {
        compared.add(compare(measure, a, b));
      }
    }
    return List.copyOf(compared);
  }

  private static Compared compare(Measure measure, double[] a, double[] b) {
    Scale scale = scale(measure, a, b);
    double[] effects = effects(scale, a, b);
    Estimate estimate = PairedT.of(effects);
    return new Compared(measure, middle(scale, a), middle(scale, b), scale, estimate);
  }

  /** The scale on which two lists of values are compared. */
  static Scale scale(Measure measure, double[] a, double[] b) {
    double least = measure.basis() == Measure.Basis.SHARE ? NEAR_ZERO : 0;
    boolean nearZero =
        Arrays.stream(a).anyMatch(value -> value <= least)
            || Arrays.stream(b).anyMatch(value -> value <= least);
    return nearZero ? Scale.DIFFERENCE : Scale.LOG_RATIO;
  }

  /** The effect of each pair. */
  static double[] effects(Scale scale, double[] a, double[] b) {
    double[] effects = new double[a.length];
    Arrays.setAll(effects, index -> scale.effect(a[index], b[index]));
    return effects;
  }

  /** The mean that belongs to the scale. */
  private static double middle(Scale scale, double[] values) {
    return switch (scale) {
      case LOG_RATIO -> Math.exp(PairedT.mean(Arrays.stream(values).map(Math::log).toArray()));
      case DIFFERENCE -> PairedT.mean(values);
    };
  }

  private static double value(RunOutcome run, Measure measure) {
    return run.values().getOrDefault(measure, Double.NaN);
  }

  /** Pairs that would see an effect as large as the margin; empty when no number would. */
  public static OptionalInt pairsForMargin(Judgement judgement, double margin, int pairs) {
    Optional<Compared> primary = judgement.primary();
    if (primary.isEmpty()) {
      return OptionalInt.empty();
    }
    double deviation = primary.get().estimate().standardError() * Math.sqrt(pairs);
    double effect = primary.get().scale().ofRelativeChange(margin, primary.get().a());
    return Power.pairs(effect, deviation, LEAST_PAIRS);
  }

  /**
   * How much larger the effect is when A goes first than when B does, halved: what the order alone
   * makes. Empty without pairs of both orders.
   */
  public static Optional<Double> orderEffect(Compared compared, List<PairOutcome> pairs) {
    double[] abFirst = effects(compared, pairs, true);
    double[] baFirst = effects(compared, pairs, false);
    return abFirst.length == 0 || baFirst.length == 0
        ? Optional.empty()
        : Optional.of((PairedT.mean(abFirst) - PairedT.mean(baFirst)) / 2);
  }

  private static double[] effects(Compared compared, List<PairOutcome> pairs, boolean firstIsA) {
    return pairs.stream()
        .filter(pair -> pair.firstIsA() == firstIsA)
        .mapToDouble(pair ->
            compared
                .scale()
                .effect(value(pair.a(), compared.measure()), value(pair.b(), compared.measure())))
        .toArray();
  }
}
