package io.orbitkv.workload.ab.report;

import io.orbitkv.workload.ab.statistics.Estimate;
import io.orbitkv.workload.ab.statistics.Interval;
import io.orbitkv.workload.ab.verdict.Compared;
import io.orbitkv.workload.ab.verdict.Measure;
import io.orbitkv.workload.report.Quantity;
import java.util.Locale;
import java.util.Optional;

/** Values and effects as people read them. */
final class Figures {
  /** Factors above this are told as factors: few pairs give intervals of any width. */
  private static final double MOST_PERCENT = 11;

  private Figures() {}

  /** A value with its unit. */
  static String value(Measure measure, double value) {
    return switch (measure.basis()) {
      case TIME ->
          measure.unit().equals("s")
              ? seconds(value)
              : String.format(Locale.ROOT, "%.4g %s", value, measure.unit());
      case SHARE -> String.format(Locale.ROOT, "%.4f", value);
      case AMOUNT ->
          measure.unit().equals("B")
              ? Quantity.bytes(Math.round(value))
              : String.format(Locale.ROOT, "%,.4g", value);
    };
  }

  /** A change on the scale on which it was found. */
  static String change(Compared compared, double effect) {
    return switch (compared.scale()) {
      case LOG_RATIO ->
          Math.exp(effect) > MOST_PERCENT
              ? String.format(Locale.ROOT, "× %.3g", Math.exp(effect))
              : String.format(Locale.ROOT, "%+.2f %%", 100 * Math.expm1(effect));
      case DIFFERENCE -> {
        String sign = effect < 0 ? "−" : "+";
        yield sign + value(compared.measure(), Math.abs(effect));
      }
    };
  }

  /** The interval of a change. */
  static String interval(Compared compared) {
    Optional<Interval> interval = compared.estimate().interval();
    return interval
        .map(known -> change(compared, known.low()) + " … " + change(compared, known.high()))
        .orElse("none: nothing varied");
  }

  /** The confidence of intervals. */
  static String confidence() {
    return String.format(Locale.ROOT, "%.0f %%", Estimate.CONFIDENCE * 100);
  }

  private static String seconds(double value) {
    return Math.abs(value) < 1
        ? String.format(Locale.ROOT, "%.3f ms", value * 1_000)
        : String.format(Locale.ROOT, "%.3f s", value);
  }
}
