package io.orbitkv.workload.ab.simulate;

import io.orbitkv.workload.ab.assign.Arm;
import io.orbitkv.workload.ab.assign.Split;
import io.orbitkv.workload.ab.statistics.Bootstrap;
import io.orbitkv.workload.ab.statistics.Bootstrap.Comparison;
import io.orbitkv.workload.ab.statistics.EqualLoad;
import io.orbitkv.workload.ab.statistics.Estimate;
import io.orbitkv.workload.ab.statistics.Power;
import io.orbitkv.workload.ab.statistics.RequestMeasure;
import io.orbitkv.workload.ab.statistics.Resampling;
import io.orbitkv.workload.ab.statistics.Scale;
import io.orbitkv.workload.ab.verdict.Compared;
import io.orbitkv.workload.ab.verdict.Criteria;
import io.orbitkv.workload.ab.verdict.Judgement;
import io.orbitkv.workload.ab.verdict.Measure;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/*
 * A model gives the same each time, so that repeating it adds no evidence. What the interval covers is
 * another hour of this workload: both arms met the same blocks of time and the same conversations, and
 * these are drawn again.
 */

/** Runs both variants on a model and says what the difference is worth. */
public final class SimulatedExperiment {
  private static final double NEAR_ZERO = 0.02;

  /** Of the requests; the others waited longer. */
  private static final double LONG_WAIT_SHARE = 0.95;

  /** A block holds so many of the longest waits that are usual. */
  private static final double WAITS_IN_A_BLOCK = 3;

  private SimulatedExperiment() {}

  /**
   * What came of it.
   *
   * @param a all requests of A
   * @param b all requests of B
   * @param measuredFromSeconds where measuring begins: when every tier had turned over in both
   * @param coldStart whether measuring begins before that
   * @param longWaits why the intervals of times are narrower than the truth; empty when they are
   *     not
   * @param judgement the verdict
   * @param hoursForMargin of this workload that would show an effect as large as the margin; not a
   *     number when not known
   */
  public record Result(
      SimulatedArm a,
      SimulatedArm b,
      double measuredFromSeconds,
      boolean coldStart,
      Optional<String> longWaits,
      Judgement judgement,
      double hoursForMargin) {}

  /**
   * What is drawn again.
   *
   * @param count resamples
   * @param seed same seed, same result
   */
  public record Resamples(int count, long seed) {
    /** As many as a verdict needs. */
    public static Resamples of(long seed) {
      return new Resamples(Bootstrap.RESAMPLES, seed);
    }
  }

  /** Each variant alone with all requests and the whole capacity: what either would do. */
  public static Result alone(SimulatedModel model, Criteria criteria, Resamples resamples) {
    return judge(
        model,
        criteria,
        resamples,
        new SimulatedArm(model.run(Arm.A, 1, _ -> true)),
        new SimulatedArm(model.run(Arm.B, 1, _ -> true)),
        1,
        1);
  }

  /** Each variant with its own conversations and its share of the capacity, as on live traffic. */
  public static Result partition(
      SimulatedModel model, Criteria criteria, Split split, Resamples resamples) {
    double shareOfB = 1 - split.shareOfA();
    return judge(
        model,
        criteria,
        resamples,
        new SimulatedArm(
            model.run(
                Arm.A,
                split.shareOfA(),
                request -> split.arm(model.conversation(request)) == Arm.A)),
        new SimulatedArm(
            model.run(Arm.B, shareOfB, request -> split.arm(model.conversation(request)) == Arm.B)),
        split.shareOfA(),
        shareOfB);
  }

  private static Result judge(
      SimulatedModel model,
      Criteria criteria,
      Resamples resamples,
      SimulatedArm a,
      SimulatedArm b,
      double shareOfA,
      double shareOfB) {
    double turnover =
        Math.max(
            a.turnoverSeconds(
                model.pageBytes(), shareOfA * model.dramBytes(), shareOfA * model.ssdBytes()),
            b.turnoverSeconds(
                model.pageBytes(), shareOfB * model.dramBytes(), shareOfB * model.ssdBytes()));
    double duration = model.durationSeconds();
    boolean warm = Resampling.longEnough(duration - turnover);
    double from = warm ? turnover : 0;
    SimulatedArm measuredA = a.from(from);
    SimulatedArm measuredB = b.from(from);
    if (measuredA.requests().isEmpty() || measuredB.requests().isEmpty()) {
      return new Result(
          a,
          b,
          from,
          !warm,
          Optional.empty(),
          Judgement.none("a variant has no request"),
          Double.NaN);
    }
    List<Measure> measures = new ArrayList<>();
    List<Comparison> comparisons = new ArrayList<>();
    columns(measuredA, measuredB, measures, comparisons);
    boolean longEnough = Resampling.longEnough(duration - from);
    List<Estimate> estimates =
        estimates(
            measuredA,
            measuredB,
            measures,
            comparisons,
            Math.log(shareOfB / shareOfA),
            from,
            duration,
            longEnough,
            resamples);
    double pages =
        Math.max(
            measuredA.sum(SimulatedRequest::promptPages),
            measuredB.sum(SimulatedRequest::promptPages));
    List<Compared> compared = new ArrayList<>();
    for (int i = 0; i < measures.size(); i++) {
      compared.add(compared(measures.get(i), comparisons.get(i), estimates.get(i), pages));
    }
    Optional<String> longWaits = longWaits(measuredA, measuredB, duration - from);
    Judgement judgement =
        Judgement.of(
            criteria.of(measures),
            compared,
            longEnough
                ? longWaits.filter(_ -> criteria.primary().basis() == Measure.Basis.TIME)
                : Optional.of(
                    "a verdict needs "
                        + (int) (Resampling.LEAST_BLOCKS * Resampling.LEAST_BLOCK_SECONDS / 60)
                        + " minutes of load, this is "
                        + (int) ((duration - from) / 60)));
    return new Result(
        a, b, from, !warm, longWaits, judgement, hours(judgement, criteria, duration - from));
  }

  /**
   * A queue is as long as what it makes wait, and takes as long to go: where it outlasts a block,
   * blocks tell one event several times, and drawing them again does not show how another stretch
   * of load would have gone.
   */
  private static Optional<String> longWaits(SimulatedArm a, SimulatedArm b, double seconds) {
    double block = Resampling.blockSeconds(seconds);
    double wait = Math.max(longWait(a), longWait(b));
    if (WAITS_IN_A_BLOCK * wait <= block) {
      return Optional.empty();
    }
    return Optional.of(
        String.format(
            Locale.ROOT,
            "the load is more than the variants keep up with: one request in twenty waited longer"
                + " than %.0f s, and a block of %.0f s says nothing of its own about times then;"
                + " compare prefix_hit_ratio, or times under a lighter load or over %.0f hours of"
                + " it",
            wait,
            block,
            Math.ceil(Resampling.LEAST_BLOCKS * WAITS_IN_A_BLOCK * wait / 3_600)));
  }

  private static double longWait(SimulatedArm arm) {
    double[] times = arm.column(SimulatedRequest::firstTokenSeconds);
    Arrays.sort(times);
    return times[Math.max(0, (int) Math.ceil(LONG_WAIT_SHARE * times.length) - 1)];
  }

  private static List<Estimate> estimates(
      SimulatedArm a,
      SimulatedArm b,
      List<Measure> measures,
      List<Comparison> comparisons,
      double expectedLoad,
      double from,
      double duration,
      boolean longEnough,
      Resamples resamples) {
    Resampling conversations = Resampling.conversations(a.conversations(), b.conversations());
    if (!longEnough) {
      return Bootstrap.of(conversations, comparisons, resamples.count(), resamples.seed());
    }
    Resampling time =
        Resampling.timeBlocks(
            a.column(request -> request.arrivalSeconds() - from),
            b.column(request -> request.arrivalSeconds() - from),
            duration - from);
    EqualLoad equalLoad = equalLoad(time, a, b, measures, comparisons, expectedLoad);
    return Bootstrap.wider(
        Bootstrap.of(time, comparisons, equalLoad, resamples.count(), resamples.seed() + 1),
        Bootstrap.of(conversations, comparisons, equalLoad, resamples.count(), resamples.seed()));
  }

  /** Times depend on how much an arm met; shares and amounts are those of a page as it is. */
  private static EqualLoad equalLoad(
      Resampling time,
      SimulatedArm a,
      SimulatedArm b,
      List<Measure> measures,
      List<Comparison> comparisons,
      double expectedLoad) {
    boolean[] adjusted = new boolean[measures.size()];
    for (int i = 0; i < adjusted.length; i++) {
      adjusted[i] = measures.get(i).basis() == Measure.Basis.TIME;
    }
    Comparison load =
        new Comparison(
            RequestMeasure.total(a.column(SimulatedRequest::promptPages)),
            RequestMeasure.total(b.column(SimulatedRequest::promptPages)),
            Scale.LOG_RATIO);
    return EqualLoad.of(time, comparisons, adjusted, load, expectedLoad);
  }

  private static void columns(
      SimulatedArm a, SimulatedArm b, List<Measure> measures, List<Comparison> comparisons) {
    ToDoubleFunction<SimulatedRequest> first = SimulatedRequest::firstTokenSeconds;
    if (a.sum(first) > 0 && b.sum(first) > 0) {
      measures.add(Measure.TTFT_MEAN);
      comparisons.add(
          new Comparison(
              RequestMeasure.mean(a.column(first)),
              RequestMeasure.mean(b.column(first)),
              Scale.LOG_RATIO));
      percentile(Measure.TTFT_P50, 0.50, a, b, measures, comparisons);
      percentile(Measure.TTFT_P95, 0.95, a, b, measures, comparisons);
      percentile(Measure.TTFT_P99, 0.99, a, b, measures, comparisons);
    }
    perPage(Measure.PREFIX_HIT_RATIO, SimulatedRequest::hitPages, a, b, measures, comparisons);
    perPage(Measure.SSD_READ_BYTES, SimulatedRequest::ssdReadBytes, a, b, measures, comparisons);
    perPage(
        Measure.SSD_WRITTEN_BYTES, SimulatedRequest::ssdWrittenBytes, a, b, measures, comparisons);
  }

  private static void percentile(
      Measure measure,
      double share,
      SimulatedArm a,
      SimulatedArm b,
      List<Measure> measures,
      List<Comparison> comparisons) {
    measures.add(measure);
    comparisons.add(
        new Comparison(
            RequestMeasure.percentile(a.column(SimulatedRequest::firstTokenSeconds), share),
            RequestMeasure.percentile(b.column(SimulatedRequest::firstTokenSeconds), share),
            Scale.LOG_RATIO));
  }

  /** For each prompt page: so are arms of different size compared. */
  private static void perPage(
      Measure measure,
      ToDoubleFunction<SimulatedRequest> column,
      SimulatedArm a,
      SimulatedArm b,
      List<Measure> measures,
      List<Comparison> comparisons) {
    double pagesA = a.sum(SimulatedRequest::promptPages);
    double pagesB = b.sum(SimulatedRequest::promptPages);
    if (pagesA == 0 || pagesB == 0) {
      return;
    }
    double least = measure.basis() == Measure.Basis.SHARE ? NEAR_ZERO : 0;
    boolean nearZero = a.sum(column) / pagesA <= least || b.sum(column) / pagesB <= least;
    measures.add(measure);
    comparisons.add(
        new Comparison(
            RequestMeasure.ratio(a.column(column), a.column(SimulatedRequest::promptPages)),
            RequestMeasure.ratio(b.column(column), b.column(SimulatedRequest::promptPages)),
            nearZero ? Scale.DIFFERENCE : Scale.LOG_RATIO));
  }

  private static Compared compared(
      Measure measure, Comparison comparison, Estimate estimate, double pages) {
    // Bytes are told for the load of the larger arm, not for a page of it.
    double times = measure.basis() == Measure.Basis.AMOUNT ? pages : 1;
    Estimate told =
        comparison.scale() == Scale.DIFFERENCE
            ? new Estimate(
                estimate.effect() * times,
                estimate.standardError() * times,
                estimate.degreesOfFreedom(),
                estimate.method())
            : estimate;
    return new Compared(
        measure,
        comparison.valueOfA() * times,
        comparison.valueOfB() * times,
        comparison.scale(),
        told);
  }

  /** The error falls with the square root of the time. */
  private static double hours(Judgement judgement, Criteria criteria, double seconds) {
    Optional<Compared> primary = judgement.primary();
    if (primary.isEmpty() || primary.get().estimate().invariable() || criteria.margin() == 0) {
      return Double.NaN;
    }
    Estimate estimate = primary.get().estimate();
    double detectable =
        estimate.standardError() * Power.detectableInErrors(estimate.degreesOfFreedom());
    double wanted =
        Math.abs(primary.get().scale().ofRelativeChange(criteria.margin(), primary.get().a()));
    return wanted == 0 ? Double.NaN : Math.pow(detectable / wanted, 2) * seconds / 3_600;
  }
}
