package io.orbitkv.workload.ab.simulate;

import io.orbitkv.workload.ab.assign.Split;
import io.orbitkv.workload.ab.simulate.SimulatedExperiment.Resamples;
import io.orbitkv.workload.ab.simulate.SimulatedExperiment.Result;
import io.orbitkv.workload.ab.statistics.Estimate;
import io.orbitkv.workload.ab.statistics.Power;
import io.orbitkv.workload.ab.statistics.Scale;
import io.orbitkv.workload.ab.verdict.Compared;
import io.orbitkv.workload.ab.verdict.Criteria;
import io.orbitkv.workload.ab.verdict.Measure;
import io.orbitkv.workload.ab.verdict.Verdict;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/*
 * An experiment of equal variants names a winner by chance alone, and one of variants that differ by
 * twice what it can detect misses it seldom. Both are counted over many experiments, each with
 * another split of the conversations, and through the same code as any other experiment: trace,
 * policies, model, bootstrap, verdict. What can be detected is predicted by the experiment before,
 * as pilots predict it for a plan: by its own error an experiment would find what it says it finds.
 */

/** Whether simulated experiments are right as often as they say. One thread. */
public final class Calibration {
  /** Most experiments that anybody needs. */
  public static final int MOST = 10_000;

  private static final double TIMES_DETECTABLE = 2;

  private final IntFunction<SimulatedModel> models;
  private final Criteria criteria;
  private final double shareOfA;
  private final long seed;
  private final int experiments;
  private volatile int done;

  /**
   * A calibration.
   *
   * @param models one for each experiment, counted from 0, with the same policies for A and B
   * @param criteria of which the deciding measure and its margin count
   * @param shareOfA of conversations and capacity
   * @param seed salt of the first experiment; each further one takes the next
   * @throws IllegalArgumentException when the number is none of 2 to {@link #MOST}
   */
  public Calibration(
      IntFunction<SimulatedModel> models,
      Criteria criteria,
      double shareOfA,
      long seed,
      int experiments) {
    if (experiments < 2 || experiments > MOST) {
      throw new IllegalArgumentException(
          "[" + experiments + "] experiments: 2 to " + MOST + " tell how often verdicts are wrong");
    }
    this.models = models;
    this.criteria = new Criteria(criteria.primary(), criteria.margin(), List.of());
    this.shareOfA = shareOfA;
    this.seed = seed;
    this.experiments = experiments;
  }

  /** Experiments that are done. Any thread. */
  public int done() {
    return done;
  }

  /**
   * Runs all of them.
   *
   * @throws IllegalArgumentException naming the experiment that has no verdict or in which nothing
   *     varies, and why
   */
  public CalibrationResult run() {
    int winnersA = 0;
    int winnersB = 0;
    int found = 0;
    int wrong = 0;
    int planted = 0;
    double detectable = 0;
    String trace = "";
    double seconds = 0;
    @Nullable Compared before = null;
    for (int i = 0; i <= experiments; i++) {
      SimulatedModel model = new RecordedModel(models.apply(i));
      @Nullable Compared same = null;
      // Each is the pilot of the next one, so that there is one more of these.
      if (i < experiments) {
        Result result = judged(i, model);
        winnersA += result.judgement().verdict() == Verdict.A ? 1 : 0;
        winnersB += result.judgement().verdict() == Verdict.B ? 1 : 0;
        same = primary(i, result);
        trace = model.trace();
        seconds += model.durationSeconds() - result.measuredFromSeconds();
      }
      if (before != null) {
        double effect = TIMES_DETECTABLE * detectable(before.estimate());
        Verdict verdict = judged(i, planted(model, before, effect)).judgement().verdict();
        found += verdict == Verdict.A ? 1 : 0;
        wrong += verdict == Verdict.B ? 1 : 0;
        detectable += Math.abs(before.scale().change(effect / TIMES_DETECTABLE));
        planted++;
      }
      before = same;
      done = i;
    }
    return new CalibrationResult(
        trace,
        criteria.primary(),
        experiments,
        winnersA,
        winnersB,
        planted,
        found,
        wrong,
        detectable / planted,
        seconds / experiments,
        seed);
  }

  private Result judged(int number, SimulatedModel model) {
    Result result =
        SimulatedExperiment.partition(
            model, criteria, new Split(shareOfA, seed + number), Resamples.of(seed + number));
    if (result.judgement().verdict() == Verdict.NONE) {
      throw new IllegalArgumentException(
          "experiment [" + (number + 1) + "] has no verdict: " + result.judgement().reason());
    }
    return result;
  }

  private Compared primary(int number, Result result) {
    Compared primary = result.judgement().primary().orElseThrow();
    if (primary.estimate().invariable()) {
      throw new IllegalArgumentException(
          "experiment ["
              + (number + 1)
              + "] says nothing: in it nothing varies in "
              + criteria.primary().key()
              + ", so choose another --primary");
    }
    return primary;
  }

  private static double detectable(Estimate estimate) {
    return estimate.standardError() * Power.detectableInErrors(estimate.degreesOfFreedom());
  }

  /** B is worse by so much, on the scale on which the pilot was compared. */
  private PlantedModel planted(SimulatedModel model, Compared pilot, double effect) {
    Measure measure = criteria.primary();
    double harm = measure.better() == Measure.Better.LOWER ? effect : -effect;
    double factor =
        pilot.scale() == Scale.LOG_RATIO
            ? Math.exp(harm)
            : 1 + harm / Math.max(Double.MIN_NORMAL, pilot.b());
    return new PlantedModel(model, measure, factor);
  }
}
