package io.orbitkv.workload.ab.verdict;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What decides, fixed before the first run.
 *
 * @param primary the one measure that decides
 * @param margin a smaller relative change than this means nothing to anybody
 * @param guards what must not get worse
 */
public record Criteria(Measure primary, double margin, List<Guard> guards) {
  /** Largest margin. */
  private static final double MOST = 1;

  /**
   * A measure and how much worse it may get.
   *
   * @param measure which
   * @param limit relative change at most: positive where less is better, negative where more is
   */
  public record Guard(Measure measure, double limit) {
    /**
     * Checks the sign.
     *
     * @throws IllegalArgumentException when the limit would ask for an improvement
     */
    public Guard {
      if (!(Math.abs(limit) < MOST)) {
        throw new IllegalArgumentException(
            "guard " + measure.key() + " [" + percent(limit) + "] must be within 100%");
      }
      if (measure.harm(limit) < 0) {
        throw new IllegalArgumentException(
            "guard "
                + measure.key()
                + " ["
                + percent(limit)
                + "] has the wrong sign: "
                + (measure.better() == Measure.Better.LOWER
                    ? "less of it is better, so write how much it may rise, such as +2%"
                    : "more of it is better, so write how much it may fall, such as -1%"));
      }
    }

    /** The limit as it is written. */
    public String limitText() {
      return percent(limit);
    }
  }

  /**
   * Copies the list.
   *
   * @throws IllegalArgumentException when the margin is no margin, or a guard is there twice
   */
  public Criteria {
    guards = List.copyOf(guards);
    if (!(margin >= 0 && margin < MOST)) {
      throw new IllegalArgumentException(
          "margin [" + percent(margin) + "] must be 0% to 100%: smaller effects than it are none");
    }
    List<Measure> seen = new ArrayList<>();
    for (Guard guard : guards) {
      if (seen.contains(guard.measure())) {
        throw new IllegalArgumentException(
            "guard " + guard.measure().key() + " is there twice: keep one");
      }
      seen.add(guard.measure());
    }
  }

  /** What decides unless somebody says otherwise. */
  public static Criteria byDefault() {
    return new Criteria(
        Measure.TTFT_MEAN,
        0.02,
        List.of(new Guard(Measure.TTFT_P95, 0.02), new Guard(Measure.THROUGHPUT, -0.01)));
  }

  /** Those guards whose measures there are; a simulation has no drains. */
  public Criteria of(List<Measure> measures) {
    return new Criteria(
        primary,
        margin,
        guards.stream().filter(guard -> measures.contains(guard.measure())).toList());
  }

  /** The margin as people read it, such as {@code 2 %}. */
  public String marginText() {
    return digits(margin) + " %";
  }

  /** The guard on a measure. */
  public Optional<Guard> guard(Measure measure) {
    return guards.stream().filter(guard -> guard.measure() == measure).findFirst();
  }

  /**
   * Reads a relative change such as {@code +2%}, {@code -1 %} or {@code 0.5%}.
   *
   * @throws IllegalArgumentException when it is none
   */
  public static double parsePercent(String text) {
    String form = text.strip();
    if (form.endsWith("%")) {
      try {
        double value = Double.parseDouble(form.substring(0, form.length() - 1).strip()) / 100;
        if (Double.isFinite(value)) {
          return value;
        }
      } catch (NumberFormatException noNumber) {
        // Told below.
      }
    }
    throw new IllegalArgumentException(
        "[" + text + "] is not a relative change: write per cent, such as 2% or -1%");
  }

  static String percent(double change) {
    return (change >= 0 ? "+" : "") + digits(change) + "%";
  }

  private static String digits(double change) {
    return BigDecimal.valueOf(change * 100)
        .setScale(4, RoundingMode.HALF_UP)
        .stripTrailingZeros()
        .toPlainString();
  }
}
