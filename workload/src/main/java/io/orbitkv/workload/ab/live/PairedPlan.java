package io.orbitkv.workload.ab.live;

import io.orbitkv.workload.ab.statistics.PairedT;
import io.orbitkv.workload.ab.statistics.Power;
import io.orbitkv.workload.ab.statistics.Scale;
import io.orbitkv.workload.ab.verdict.Measure;
import io.orbitkv.workload.report.JsonReport;
import io.orbitkv.workload.report.TextTable;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;

/**
 * How many pairs it takes to see an effect.
 *
 * @param measure that decides
 * @param effect relative change that is to be seen
 * @param pilots pairs of one configuration against itself
 * @param deviation of one pair, as the pilots show it, on the measure's scale
 * @param prudentDeviation that it is below with 80 %
 * @param pairs that see the effect; empty when no reasonable number does
 * @param detectableWithEight relative change that eight pairs see
 * @param secondsPerPair of both runs
 */
public record PairedPlan(
    Measure measure,
    double effect,
    int pilots,
    double deviation,
    double prudentDeviation,
    OptionalInt pairs,
    double detectableWithEight,
    double secondsPerPair) {
  private static final int EIGHT = 8;

  /**
   * Checks what is asked.
   *
   * @throws IllegalArgumentException naming what does not fit
   */
  public static void requireValid(double effect, int pilots) {
    if (effect == 0 || Math.abs(effect) >= 1) {
      throw new IllegalArgumentException(
          "effect [" + 100 * effect + "%] must be above 0% and below 100%");
    }
    if (pilots < 3 || pilots > 100) {
      throw new IllegalArgumentException("[" + pilots + "] pilot pairs: 3 to 100 tell a spread");
    }
  }

  /** Plans from pairs of one configuration against itself. */
  public static PairedPlan of(Measure measure, double effect, List<PairOutcome> pilots) {
    double[] a = values(measure, pilots, true);
    double[] b = values(measure, pilots, false);
    Scale scale = PairedJudge.scale(measure, a, b);
    double deviation = PairedT.deviation(PairedJudge.effects(scale, a, b));
    double base = PairedT.mean(a);
    double prudent =
        pilots.size() < 2 ? deviation : Power.prudentDeviation(deviation, pilots.size());
    double seconds =
        pilots.stream()
            .mapToDouble(pair -> pair.a().seconds() + pair.b().seconds())
            .average()
            .orElse(0);
    double eight = Power.detectable(prudent, EIGHT);
    return new PairedPlan(
        measure,
        effect,
        pilots.size(),
        deviation,
        prudent,
        Power.pairs(scale.ofRelativeChange(effect, base), prudent, PairedJudge.LEAST_PAIRS),
        switch (scale) {
          case LOG_RATIO -> Math.expm1(eight);
          case DIFFERENCE -> base == 0 ? Double.NaN : eight / base;
        },
        seconds);
  }

  private static double[] values(Measure measure, List<PairOutcome> pilots, boolean ofA) {
    return pilots.stream()
        .map(pair -> ofA ? pair.a() : pair.b())
        .mapToDouble(run -> run.values().getOrDefault(measure, 0.0))
        .toArray();
  }

  /** Time of the pairs and of the one that is thrown away; 0 when no number of pairs would do. */
  public double seconds() {
    return pairs.isEmpty() ? 0 : (pairs.getAsInt() + 1) * secondsPerPair;
  }

  /** One JSON object. */
  public String json() {
    return JsonReport.object(json -> {
      json.field("measure", measure.key())
          .field("effect", effect, 6)
          .field("pilots", pilots)
          .field("deviation", deviation, 9)
          .field("prudent_deviation", prudentDeviation, 9)
          .field("pairs", pairs.orElse(0))
          .field("enough", pairs.isPresent());
      if (Double.isFinite(detectableWithEight)) {
        json.field("detectable_with_8_pairs", detectableWithEight, 6);
      }
      json.field("seconds_per_pair", secondsPerPair, 3).field("seconds", seconds(), 1);
    });
  }

  /** A table for people. */
  public String table() {
    TextTable table = new TextTable();
    table.row("measure", measure.key());
    table.row("effect", String.format(Locale.ROOT, "%.3g %%", 100 * effect));
    table.row(
        "spread of a pair",
        String.format(
            Locale.ROOT,
            "%.4g in %d pilots, planned with %.4g",
            deviation,
            pilots,
            prudentDeviation));
    table.row(
        "pairs",
        pairs.isPresent()
            ? String.format(Locale.ROOT, "%d, about %.0f s", pairs.getAsInt(), seconds())
            : "more than " + Power.MOST_PAIRS + ": choose a steadier measure or longer runs");
    if (Double.isFinite(detectableWithEight)) {
      table.row(
          "eight pairs see", String.format(Locale.ROOT, "%.3g %%", 100 * detectableWithEight));
    }
    return table.text();
  }
}
