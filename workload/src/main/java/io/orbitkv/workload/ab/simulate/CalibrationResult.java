package io.orbitkv.workload.ab.simulate;

import io.orbitkv.workload.ab.verdict.Measure;
import io.orbitkv.workload.report.JsonReport;
import io.orbitkv.workload.report.TextTable;
import java.util.Locale;

/**
 * How often verdicts were right.
 *
 * @param trace the last one
 * @param measure that decided
 * @param experiments with equal variants
 * @param winnersA of them that named A
 * @param winnersB of them that named B
 * @param planted experiments in which B was worse by twice what the one before could detect
 * @param found of them that named A
 * @param wrong of them that named B
 * @param meanDetectable what could be detected, as a change of the measure
 * @param meanSeconds of load that was measured in an experiment
 * @param seed salt of the first
 */
public record CalibrationResult(
    String trace,
    Measure measure,
    int experiments,
    int winnersA,
    int winnersB,
    int planted,
    int found,
    int wrong,
    double meanDetectable,
    double meanSeconds,
    long seed) {
  /** Of experiments with equal variants, at most so many have a winner. */
  public static final double MOST_WINNERS = 0.09;

  /** Of planted effects, at least so many are found. */
  public static final double LEAST_FOUND = 0.8;

  /** Fewer say too little: one in twenty has a winner by right. */
  public static final int ENOUGH = 100;

  /** Experiments with equal variants that had a winner. */
  public int winners() {
    return winnersA + winnersB;
  }

  /** Whether it is as often as it is to be. */
  public boolean sound() {
    return winners() <= MOST_WINNERS * experiments && found >= LEAST_FOUND * planted;
  }

  /** Whether there are enough experiments to say so. */
  public boolean enough() {
    return experiments >= ENOUGH;
  }

  /** One JSON object. */
  public String json() {
    return JsonReport.object(json ->
        json.field("trace", trace)
            .field("measure", measure.key())
            .field("seed", seed)
            .field("mean_seconds_measured", meanSeconds, 1)
            .field("equal_experiments", experiments)
            .field("equal_winners_a", winnersA)
            .field("equal_winners_b", winnersB)
            .field("equal_winners_share", (double) winners() / experiments, 4)
            .field("equal_winners_most", MOST_WINNERS, 2)
            .field("planted_experiments", planted)
            .field("planted_found", found)
            .field("planted_wrong_way", wrong)
            .field("planted_found_share", (double) found / planted, 4)
            .field("planted_found_least", LEAST_FOUND, 2)
            .field("mean_detectable", meanDetectable, 6)
            .field("enough_experiments", enough())
            .field("sound", sound()));
  }

  /** A table for people. */
  public String table() {
    return new TextTable()
            .row("trace", trace)
            .row("measure", measure.key())
            .row(
                "equal variants",
                String.format(
                    Locale.ROOT,
                    "a winner in %d of %d (%.1f %%; A %d, B %d), at most %.0f %% are to have one",
                    winners(),
                    experiments,
                    100.0 * winners() / experiments,
                    winnersA,
                    winnersB,
                    100 * MOST_WINNERS))
            .row(
                "twice the detectable",
                String.format(
                    Locale.ROOT,
                    "found in %d of %d (%.1f %%; the wrong way in %d), at least %.0f %% are to be",
                    found,
                    planted,
                    100.0 * found / planted,
                    wrong,
                    100 * LEAST_FOUND))
            .row(
                "detectable",
                String.format(
                    Locale.ROOT,
                    measure.basis() == Measure.Basis.SHARE ? "%.4f on the average" : "%.4g",
                    meanDetectable))
            .row("measured", String.format(Locale.ROOT, "%.0f s of load", meanSeconds))
            .text()
        + (enough()
            ? sound() ? "\nAs it is to be.\n" : "\nNot as it is to be.\n"
            : "\nToo few experiments to say whether it is as it is to be: "
                + ENOUGH
                + " or more do.\n");
  }
}
