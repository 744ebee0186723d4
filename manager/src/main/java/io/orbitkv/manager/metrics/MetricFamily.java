package io.orbitkv.manager.metrics;

import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * All samples of one name at one moment. Immutable.
 *
 * @param name as exported
 * @param type how to read it
 * @param unit bytes, seconds, milliseconds or the thing that is counted; empty when it has none
 * @param help what it means
 * @param samples by labels, in their order
 */
record MetricFamily(String name, Type type, String unit, String help, List<Sample> samples) {
  /** How the samples of a family are to be read. */
  enum Type {
    /** Only grows while the Manager runs. */
    COUNTER,
    /** Goes up and down. */
    GAUGE,
    /** Durations in buckets that only grow. */
    HISTOGRAM;

    /** The name in exports. */
    String key() {
      return name().toLowerCase(java.util.Locale.ROOT);
    }
  }

  /**
   * One series.
   *
   * @param labels by name
   * @param value of a counter or gauge
   * @param distribution of a histogram, otherwise null
   */
  record Sample(Map<String, String> labels, double value, @Nullable Distribution distribution) {
    Sample {
      SortedMap<String, String> sorted = new TreeMap<>(labels);
      labels = java.util.Collections.unmodifiableSortedMap(sorted);
    }
  }

  MetricFamily {
    samples = List.copyOf(samples);
  }

  /** The sum over all series; of a histogram, the number of durations. */
  double total() {
    double total = 0;
    for (Sample sample : samples) {
      Distribution seen = sample.distribution();
      total += seen == null ? sample.value() : seen.count();
    }
    return total;
  }
}
