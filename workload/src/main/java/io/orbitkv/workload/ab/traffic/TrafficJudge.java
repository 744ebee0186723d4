package io.orbitkv.workload.ab.traffic;

import io.orbitkv.workload.ab.assign.Arm;
import io.orbitkv.workload.ab.statistics.ArmBlocks;
import io.orbitkv.workload.ab.statistics.Bootstrap;
import io.orbitkv.workload.ab.statistics.Estimate;
import io.orbitkv.workload.ab.statistics.RequestMeasure;
import io.orbitkv.workload.ab.statistics.Scale;
import io.orbitkv.workload.ab.verdict.Compared;
import io.orbitkv.workload.ab.verdict.Criteria;
import io.orbitkv.workload.ab.verdict.Judgement;
import io.orbitkv.workload.ab.verdict.Measure;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Says what blocks of live traffic show: the effect of each arm's blocks, less what the same method
 * finds where both run A.
 */
public final class TrafficJudge {
  /** With fewer blocks of each arm effects are shown and no verdict. */
  public static final int LEAST_BLOCKS = 10;

  private static final double NEAR_ZERO = 0.02;
  private static final long SEED = 1;

  private TrafficJudge() {}

  /** What decides: as it was fixed at the start, or by default. */
  public static Criteria criteria(TrafficExperiment experiment) {
    Measure primary =
        experiment.primary().isEmpty()
            ? experiment.shared() ? Measure.WAIT_MEAN : Measure.PREFIX_HIT_RATIO
            : Measure.parse(experiment.primary());
    double margin =
        experiment.margin().isEmpty() ? 0.02 : Criteria.parsePercent(experiment.margin());
    List<Criteria.Guard> guards = new ArrayList<>();
    experiment
        .guards()
        .forEach((measure, limit) ->
            guards.add(new Criteria.Guard(Measure.parse(measure), Criteria.parsePercent(limit))));
    if (guards.isEmpty()) {
      guards.add(
          primary == Measure.WAIT_MEAN
              ? new Criteria.Guard(Measure.PREFIX_HIT_RATIO, -0.01)
              : new Criteria.Guard(Measure.WAIT_MEAN, 0.02));
    }
    return new Criteria(primary, margin, guards);
  }

  /** The judgement. */
  public static Judgement judge(TrafficExperiment experiment, Criteria criteria) {
    Sides variants = Sides.of(experiment, false);
    if (variants.period().fewest() < 2) {
      return Judgement.none(
          without(experiment, variants)
              .orElse(
                  "["
                      + variants.period().fewest()
                      + "] blocks of a variant count: an effect needs two, a verdict ten"));
    }
    List<Compared> compared = compare(experiment, criteria, variants);
    if (compared.stream().noneMatch(one -> one.measure() == criteria.primary())) {
      return Judgement.none(
          "nothing was measured of "
              + criteria.primary().key()
              + ": no query came, or none of one"
              + " variant");
    }
    return Judgement.of(
        criteria.of(compared.stream().map(Compared::measure).toList()),
        compared,
        without(experiment, variants));
  }

  private static Optional<String> without(TrafficExperiment experiment, Sides variants) {
    return switch (experiment.state()) {
      case "running" ->
          Optional.of(
              "the horizon is not reached: a verdict before it would depend on when somebody"
                  + " looks");
      case "voided" -> Optional.of("void blocks ended the experiment: see what voids them");
      case "stopped", "interrupted" ->
          Optional.of("it ended before its horizon: " + experiment.reason());
      default ->
          variants.period().fewest() >= LEAST_BLOCKS
              ? Optional.empty()
              : Optional.of(
                  "["
                      + variants.period().fewest()
                      + "] blocks of a variant count: a verdict needs "
                      + LEAST_BLOCKS);
    };
  }

  private static List<Compared> compare(
      TrafficExperiment experiment, Criteria criteria, Sides variants) {
    List<Measure> measures = new ArrayList<>();
    List<Bootstrap.Comparison> comparisons = new ArrayList<>();
    for (Measure measure : Measure.values()) {
      boolean decides = criteria.primary() == measure || criteria.guard(measure).isPresent();
      variants
          .comparison(measure)
          .filter(one -> Double.isFinite(one.effect()))
          .filter(one -> decides || one.valueOfA() != 0 || one.valueOfB() != 0)
          .ifPresent(one -> {
            measures.add(measure);
            comparisons.add(one);
          });
    }
    List<Estimate> estimates =
        ArmBlocks.of(variants.period(), comparisons, Bootstrap.RESAMPLES, SEED);
    Sides same = Sides.of(experiment, true);
    List<Compared> compared = new ArrayList<>();
    for (int i = 0; i < measures.size(); i++) {
      Bootstrap.Comparison one = comparisons.get(i);
      Estimate estimate = corrected(measures.get(i), one.scale(), estimates.get(i), same);
      compared.add(
          new Compared(measures.get(i), one.valueOfA(), one.valueOfB(), one.scale(), estimate));
    }
    return compared;
  }

  private static Estimate corrected(Measure measure, Scale scale, Estimate estimate, Sides same) {
    if (same.period().fewest() < 2) {
      return estimate;
    }
    return same.comparison(measure)
        .map(one -> new Bootstrap.Comparison(one.a(), one.b(), scale))
        .filter(one -> Double.isFinite(one.effect()))
        .map(one -> ArmBlocks.of(same.period(), List.of(one), Bootstrap.RESAMPLES, SEED).getFirst())
        .map(without -> ArmBlocks.corrected(estimate, without))
        .orElse(estimate);
  }

  /** What the method finds of the primary measure where both run A; empty when it is not known. */
  static Optional<Compared> same(TrafficExperiment experiment, Measure measure) {
    Sides same = Sides.of(experiment, true);
    if (same.period().fewest() < 2) {
      return Optional.empty();
    }
    return same.comparison(measure)
        .filter(one -> Double.isFinite(one.effect()))
        .map(one ->
            new Compared(
                measure,
                one.valueOfA(),
                one.valueOfB(),
                one.scale(),
                ArmBlocks.of(same.period(), List.of(one), Bootstrap.RESAMPLES, SEED).getFirst()));
  }

  /** The counting blocks of each arm in one of the two periods. */
  record Sides(List<TrafficExperiment.Block> a, List<TrafficExperiment.Block> b) {
    static Sides of(TrafficExperiment experiment, boolean same) {
      return new Sides(of(experiment, same, Arm.A), of(experiment, same, Arm.B));
    }

    private static List<TrafficExperiment.Block> of(
        TrafficExperiment experiment, boolean same, Arm arm) {
      return experiment.blocks().stream()
          .filter(block -> block.same() == same && block.counts())
          .filter(block -> block.arms().containsKey(arm))
          .toList();
    }

    ArmBlocks.Period period() {
      return new ArmBlocks.Period(
          a.stream().mapToInt(TrafficExperiment.Block::half).toArray(),
          b.stream().mapToInt(TrafficExperiment.Block::half).toArray());
    }

    Optional<Bootstrap.Comparison> comparison(Measure measure) {
      Optional<RequestMeasure> ofA = TrafficMeasures.of(measure, a, Arm.A);
      Optional<RequestMeasure> ofB = TrafficMeasures.of(measure, b, Arm.B);
      if (ofA.isEmpty() || ofB.isEmpty()) {
        return Optional.empty();
      }
      Bootstrap.Comparison plain = new Bootstrap.Comparison(ofA.get(), ofB.get(), Scale.DIFFERENCE);
      double least = measure.basis() == Measure.Basis.SHARE ? NEAR_ZERO : 0;
      boolean nearZero = plain.valueOfA() <= least || plain.valueOfB() <= least;
      return Optional.of(
          nearZero ? plain : new Bootstrap.Comparison(ofA.get(), ofB.get(), Scale.LOG_RATIO));
    }
  }
}
