package io.orbitkv.workload.ab.report;

import io.orbitkv.workload.ab.statistics.Interval;
import io.orbitkv.workload.ab.statistics.Scale;
import io.orbitkv.workload.ab.verdict.Compared;
import io.orbitkv.workload.ab.verdict.GuardState;
import io.orbitkv.workload.ab.verdict.Judgement;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Relative effects with their intervals on one axis, as a drawing inside the page. */
final class EffectPlot {
  private static final int WIDTH = 920;
  private static final int LABEL = 200;
  private static final int ROW = 30;
  private static final int FOOT = 34;
  private static final double LEAST_REACH = 0.01;

  private EffectPlot() {}

  static String svg(ExperimentReport report) {
    List<Compared> shown = shown(report.judgement());
    if (shown.isEmpty()) {
      return "";
    }
    double reach = Math.max(LEAST_REACH, 1.4 * report.criteria().margin());
    for (Compared one : shown) {
      Interval interval = one.estimate().interval().orElseThrow();
      reach = Math.max(reach, Math.abs(Math.expm1(interval.low())));
      reach = Math.max(reach, Math.abs(Math.expm1(interval.high())));
    }
    // An effect that is not known better than by a factor would hide all others.
    reach = Math.min(1, reach * 1.05);
    int height = shown.size() * ROW + FOOT;
    StringBuilder svg = new StringBuilder();
    svg.append(
        String.format(
            Locale.ROOT,
            "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"Relative change of each measure,"
                + " B against A, with its interval\">\n",
            WIDTH,
            height));
    double margin = report.criteria().margin();
    if (margin > 0) {
      svg.append(
          String.format(
              Locale.ROOT,
              "<rect class=\"margin\" x=\"%.1f\" y=\"0\" width=\"%.1f\" height=\"%d\"/>\n",
              x(-margin, reach),
              x(margin, reach) - x(-margin, reach),
              ROW));
    }
    axis(svg, reach, height);
    for (int row = 0; row < shown.size(); row++) {
      row(svg, shown.get(row), reach, row * ROW + ROW / 2);
    }
    return svg.append("</svg>\n").toString();
  }

  /** What was compared by ratio and has an interval: only that has a place on the axis. */
  private static List<Compared> shown(Judgement judgement) {
    List<Compared> all = new ArrayList<>();
    judgement.primary().ifPresent(all::add);
    judgement.guards().stream().map(GuardState::compared).forEach(all::add);
    all.addAll(judgement.exploratory());
    return all.stream()
        .filter(one -> one.scale() == Scale.LOG_RATIO)
        .filter(one -> one.estimate().interval().isPresent())
        .toList();
  }

  private static void axis(StringBuilder svg, double reach, int height) {
    int base = height - FOOT + 6;
    svg.append(
        String.format(
            Locale.ROOT,
            "<line class=\"axis\" x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\"/>\n",
            LABEL,
            WIDTH,
            base,
            base));
    double step = step(reach);
    for (int tick = (int) Math.ceil(-0.97 * reach / step); tick * step <= 0.97 * reach; tick++) {
      double at = x(tick * step, reach);
      svg.append(
          String.format(
              Locale.ROOT,
              "<line class=\"%s\" x1=\"%.1f\" x2=\"%.1f\" y1=\"0\" y2=\"%d\"/>"
                  + "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n",
              tick == 0 ? "zero" : "axis",
              at,
              at,
              base,
              at,
              height - 8,
              tick == 0 ? "0" : percent(tick * step)));
    }
  }

  private static String percent(double change) {
    String digits =
        BigDecimal.valueOf(100 * change)
            .round(new MathContext(4))
            .stripTrailingZeros()
            .toPlainString();
    return (change > 0 ? "+" : "") + digits + " %";
  }

  private static double step(double reach) {
    double rough = reach / 3.5;
    double power = Math.pow(10, Math.floor(Math.log10(rough)));
    double times = rough / power;
    return power * (times < 1.5 ? 1 : times < 3.5 ? 2 : times < 7.5 ? 5 : 10);
  }

  private static void row(StringBuilder svg, Compared one, double reach, int y) {
    Optional<Interval> interval = one.estimate().interval();
    if (interval.isEmpty()) {
      return;
    }
    double harm = one.measure().harm(one.estimate().effect());
    String kind = !interval.get().excludesZero() ? "open" : harm < 0 ? "better" : "worse";
    double low = x(Math.expm1(interval.get().low()), reach);
    double high = x(Math.expm1(interval.get().high()), reach);
    double middle = x(one.change(), reach);
    svg.append(
        String.format(
            Locale.ROOT,
            "<text x=\"0\" y=\"%d\">%s</text><line class=\"whisker %s\" x1=\"%.1f\" x2=\"%.1f\""
                + " y1=\"%d\" y2=\"%d\"/><circle class=\"%s\" cx=\"%.1f\" cy=\"%d\" r=\"5\"/>\n",
            y + 4,
            ReportPage.escape(one.measure().key()),
            kind,
            low,
            high,
            y,
            y,
            kind,
            middle,
            y));
  }

  private static double x(double change, double reach) {
    double place = Math.clamp(change / reach, -1, 1);
    double half = (WIDTH - LABEL - 40) / 2.0;
    return LABEL + 20 + half + place * half;
  }
}
