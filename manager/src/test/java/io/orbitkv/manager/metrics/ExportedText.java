package io.orbitkv.manager.metrics;

import java.util.LinkedHashMap;
import java.util.Map;

/** Prometheus text as a reader sees it: sums over the series of each sample name. */
record ExportedText(Map<String, Double> totals) {
  static ExportedText of(String text) {
    Map<String, Double> totals = new LinkedHashMap<>();
    for (String line : text.lines().toList()) {
      if (!line.startsWith("#")) {
        int end = line.indexOf('{') < 0 ? line.indexOf(' ') : line.indexOf('{');
        totals.merge(
            line.substring(0, end),
            Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)),
            Double::sum);
      }
    }
    return new ExportedText(totals);
  }

  double total(String name) {
    Double total = totals.get(name);
    if (total == null) {
      throw new AssertionError("[" + name + "] is not exported");
    }
    return total;
  }
}
