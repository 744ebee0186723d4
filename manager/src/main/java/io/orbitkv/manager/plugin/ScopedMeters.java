package io.orbitkv.manager.plugin;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.orbitkv.api.plugin.Meters;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * The meters of one plugin, or of one instance of a policy of it, in the Manager's registry.
 * Removes them all when closed: a gauge left in a shared registry would keep the plugin's classes.
 */
public final class ScopedMeters implements Meters, AutoCloseable {
  private final String id;
  private final MeterRegistry registry;
  private final Tags tags;

  // Guarded by this.
  private final Map<String, Meter> meters = new LinkedHashMap<>();
  private boolean closed;

  ScopedMeters(String id, MeterRegistry registry) {
    this(id, registry, Tags.empty());
  }

  /**
   * @param more labels beside the plugin's id, the same for every meter
   */
  ScopedMeters(String id, MeterRegistry registry, Tags more) {
    this.id = id;
    this.registry = registry;
    this.tags = more.and("plugin", id);
  }

  @Override
  public Counter counter(String name, String description) {
    io.micrometer.core.instrument.Counter counter =
        register(
            name,
            io.micrometer.core.instrument.Counter.class,
            full ->
                io.micrometer.core.instrument.Counter.builder(full)
                    .tags(tags)
                    .description(description)
                    .register(registry));
    return counter::increment;
  }

  @Override
  public synchronized void gauge(String name, String description, LongSupplier value) {
    if (meters.containsKey(name)) {
      throw new IllegalStateException(
          "plugin [" + id + "] registers the gauge [" + name + "] twice");
    }
    register(
        name,
        Gauge.class,
        full ->
            Gauge.builder(full, value, LongSupplier::getAsLong)
                .strongReference(true)
                .tags(tags)
                .description(description)
                .register(registry));
  }

  @Override
  public Timer timer(String name, String description) {
    io.micrometer.core.instrument.Timer timer =
        register(
            name,
            io.micrometer.core.instrument.Timer.class,
            full ->
                io.micrometer.core.instrument.Timer.builder(full)
                    .tags(tags)
                    .description(description)
                    .register(registry));
    return nanos -> timer.record(nanos, TimeUnit.NANOSECONDS);
  }

  private synchronized <M extends Meter> M register(
      String name, Class<M> type, Function<String, M> make) {
    if (closed) {
      throw new IllegalStateException("the scope of plugin [" + id + "] is closed already");
    }
    if (!name.matches("[a-z][a-z0-9]*(_[a-z0-9]+)*")) {
      throw new IllegalArgumentException(
          "plugin [" + id + "] names a meter [" + name + "]: write it in snake case");
    }
    Meter meter = meters.get(name);
    if (meter == null) {
      meter = make.apply("orbitkv_" + id.replace('-', '_') + "_" + name);
      meters.put(name, meter);
    }
    if (!type.isInstance(meter)) {
      throw new IllegalStateException(
          "plugin [" + id + "] registers the meter [" + name + "] as two kinds");
    }
    return type.cast(meter);
  }

  @Override
  public synchronized void close() {
    closed = true;
    meters.values().forEach(registry::remove);
    meters.clear();
  }
}
