package io.orbitkv.manager.metrics;

import java.util.List;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Families as one JSON object: an array of metrics, and which of them add up. Keys are snake case.
 * Durations have percentiles here, in the unit of their metric.
 */
final class MetricsJson {
  private final JsonMapper mapper = JsonMapper.builder().build();

  String of(List<MetricFamily> families) {
    ObjectNode root = mapper.createObjectNode();
    ArrayNode metrics = root.putArray("metrics");
    for (MetricFamily family : families) {
      ObjectNode node = metrics.addObject();
      node.put("name", family.name());
      node.put("type", family.type().key());
      node.put("unit", family.unit());
      node.put("help", family.help());
      ArrayNode samples = node.putArray("samples");
      for (MetricFamily.Sample sample : family.samples()) {
        put(family, sample, samples.addObject());
      }
    }
    ArrayNode sums = root.putArray("sums");
    for (MetricSum sum : MetricSum.ALL) {
      ObjectNode node = sums.addObject();
      node.put("whole", sum.whole());
      ArrayNode parts = node.putArray("parts");
      sum.parts().forEach(parts::add);
      node.put("holds", sum.always() ? "always" : "at rest");
    }
    for (MetricFamily family : families) {
      String whole = CellFamilies.whole(family.name());
      if (whole != null) {
        ObjectNode node = sums.addObject();
        node.put("whole", whole);
        node.putArray("parts").add(family.name());
        node.put("holds", "always");
      }
    }
    return mapper.writeValueAsString(root);
  }

  private static void put(MetricFamily family, MetricFamily.Sample sample, ObjectNode node) {
    ObjectNode labels = node.putObject("labels");
    sample.labels().forEach(labels::put);
    Distribution seen = sample.distribution();
    if (seen == null) {
      putNumber(node, sample.value());
      return;
    }
    double unit = PrometheusText.nanosAUnit(family);
    node.put("count", seen.count());
    node.put("sum", seen.totalNanos() / unit);
    node.put("p50", seen.percentileNanos(0.50) / unit);
    node.put("p95", seen.percentileNanos(0.95) / unit);
    node.put("p99", seen.percentileNanos(0.99) / unit);
    node.put("max", seen.maxNanos() / unit);
  }

  private static void putNumber(ObjectNode node, double value) {
    if (value == Math.rint(value) && Math.abs(value) < 1L << 53) {
      node.put("value", (long) value);
    } else if (Double.isFinite(value)) {
      node.put("value", value);
    } else {
      // JSON has no word for it.
      node.putNull("value");
    }
  }
}
