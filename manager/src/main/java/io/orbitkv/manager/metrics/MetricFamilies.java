package io.orbitkv.manager.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads a registry into families, ordered by name. A meter whose kind or labels do not fit those of
 * its name is left out: a family with two kinds is not readable for anybody.
 */
final class MetricFamilies {
  /** The label of plugins' meters. */
  static final String PLUGIN = "plugin";

  private static final Comparator<Meter> ORDER =
      Comparator.<Meter, String>comparing(meter -> meter.getId().getName())
          // What the Manager registers itself comes before a plugin's that takes its name.
          .thenComparing(meter -> meter.getId().getTag(PLUGIN) != null)
          .thenComparing(meter -> meter.getId().getTags().toString());

  private MetricFamilies() {}

  static List<MetricFamily> of(MeterRegistry registry) {
    List<Meter> meters = new ArrayList<>(registry.getMeters());
    meters.sort(ORDER);
    Map<String, MetricFamily> families = new TreeMap<>();
    for (Meter meter : meters) {
      MetricFamily read = read(meter);
      if (read != null) {
        families.merge(read.name(), read, MetricFamilies::together);
      }
    }
    return List.copyOf(families.values());
  }

  private static MetricFamily together(MetricFamily family, MetricFamily more) {
    if (family.type() != more.type()
        || !family
            .samples()
            .getFirst()
            .labels()
            .keySet()
            .equals(more.samples().getFirst().labels().keySet())) {
      return family;
    }
    List<MetricFamily.Sample> samples = new ArrayList<>(family.samples());
    samples.addAll(more.samples());
    return new MetricFamily(family.name(), family.type(), family.unit(), family.help(), samples);
  }

  private static @Nullable MetricFamily read(Meter meter) {
    return switch (meter) {
      case BucketTimer timer ->
          family(meter, MetricFamily.Type.HISTOGRAM, "_seconds", 0, timer.distribution());
      case Counter counter ->
          family(meter, MetricFamily.Type.COUNTER, "_total", counter.count(), null);
      case FunctionCounter counter ->
          family(meter, MetricFamily.Type.COUNTER, "_total", counter.count(), null);
      case Gauge gauge -> family(meter, MetricFamily.Type.GAUGE, "", gauge.value(), null);
      default -> null;
    };
  }

  private static MetricFamily family(
      Meter meter,
      MetricFamily.Type type,
      String suffix,
      double value,
      @Nullable Distribution distribution) {
    Meter.Id id = meter.getId();
    Map<String, String> labels = new TreeMap<>();
    for (Tag tag : id.getTags()) {
      labels.put(tag.getKey(), tag.getValue());
    }
    String name = id.getName();
    if (!name.endsWith(suffix) && !name.endsWith("_ms")) {
      name += suffix;
    }
    String unit = id.getBaseUnit();
    String help = id.getDescription();
    return new MetricFamily(
        name,
        type,
        unit == null || type == MetricFamily.Type.HISTOGRAM ? unitOf(name, type) : unit,
        help == null ? "" : help,
        List.of(new MetricFamily.Sample(labels, value, distribution)));
  }

  private static String unitOf(String name, MetricFamily.Type type) {
    String bare = name.endsWith("_total") ? name.substring(0, name.length() - 6) : name;
    for (String unit : List.of("bytes", "seconds", "pages", "plans", "percent")) {
      if (bare.endsWith("_" + unit) || bare.contains("_" + unit + "_")) {
        return unit;
      }
    }
    return bare.endsWith("_ms") && type == MetricFamily.Type.HISTOGRAM ? "milliseconds" : "";
  }
}
