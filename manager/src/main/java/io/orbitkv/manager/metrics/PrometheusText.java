package io.orbitkv.manager.metrics;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;

/** Families in the Prometheus text format, version 0.0.4. */
final class PrometheusText {
  /** What HTTP calls the format. */
  static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

  private static final double NANOS_A_SECOND = 1e9;
  private static final double NANOS_A_MILLISECOND = 1e6;
  private static final double EXACT = 1L << 53;

  private PrometheusText() {}

  static String of(List<MetricFamily> families) {
    StringBuilder text = new StringBuilder(64 << 10);
    for (MetricFamily family : families) {
      text.append("# HELP ").append(family.name()).append(' ');
      escape(family.help(), false, text);
      text.append("\n# TYPE ").append(family.name()).append(' ');
      text.append(family.type().key()).append('\n');
      for (MetricFamily.Sample sample : family.samples()) {
        Distribution seen = sample.distribution();
        if (seen == null) {
          line(family.name(), sample.labels(), "", number(sample.value()), text);
        } else {
          histogram(family, sample.labels(), seen, text);
        }
      }
    }
    return text.toString();
  }

  /** How many nanoseconds the unit of a family of durations has. */
  static double nanosAUnit(MetricFamily family) {
    return family.unit().equals("milliseconds") ? NANOS_A_MILLISECOND : NANOS_A_SECOND;
  }

  private static void histogram(
      MetricFamily family, Map<String, String> labels, Distribution seen, StringBuilder text) {
    double unit = nanosAUnit(family);
    String bucket = family.name() + "_bucket";
    for (int shown = 0; shown < DurationEdges.shownEdges(); shown++) {
      double edge = DurationEdges.edgeNanos(DurationEdges.shownBucket(shown)) / unit;
      line(bucket, labels, number(edge), Long.toString(seen.upTo(shown)), text);
    }
    line(bucket, labels, "+Inf", Long.toString(seen.count()), text);
    line(family.name() + "_sum", labels, "", number(seen.totalNanos() / unit), text);
    line(family.name() + "_count", labels, "", Long.toString(seen.count()), text);
  }

  private static void line(
      String name, Map<String, String> labels, String edge, String value, StringBuilder text) {
    text.append(name);
    String separator = "{";
    for (Map.Entry<String, String> label : labels.entrySet()) {
      text.append(separator).append(label.getKey()).append("=\"");
      escape(label.getValue(), true, text);
      text.append('"');
      separator = ",";
    }
    if (!edge.isEmpty()) {
      text.append(separator).append("le=\"").append(edge).append('"');
      separator = ",";
    }
    if (separator.equals(",")) {
      text.append('}');
    }
    text.append(' ').append(value).append('\n');
  }

  /** Without an exponent, so that text tools compare what they see. */
  static String number(double value) {
    if (Double.isNaN(value)) {
      return "NaN";
    }
    if (Double.isInfinite(value)) {
      return value > 0 ? "+Inf" : "-Inf";
    }
    return value == Math.rint(value) && Math.abs(value) < EXACT
        ? Long.toString((long) value)
        : new BigDecimal(Double.toString(value)).stripTrailingZeros().toPlainString();
  }

  private static void escape(String value, boolean quoted, StringBuilder text) {
    for (int i = 0; i < value.length(); i++) {
      char character = value.charAt(i);
      switch (character) {
        case '\\' -> text.append("\\\\");
        case '\n' -> text.append("\\n");
        case '"' -> text.append(quoted ? "\\\"" : "\"");
        default -> text.append(character);
      }
    }
  }
}
