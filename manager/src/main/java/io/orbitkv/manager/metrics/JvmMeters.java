package io.orbitkv.manager.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.management.ThreadMXBean;
import java.util.function.ToDoubleFunction;

/** The heap, the threads and the collector's pauses. */
final class JvmMeters {
  private static final double MILLIS_A_SECOND = 1e3;

  private final ManagerMeterRegistry registry;

  JvmMeters(ManagerMeterRegistry registry) {
    this.registry = registry;
  }

  void register() {
    MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
    gauge(
        "orbitkv_heap_used_bytes",
        "bytes",
        "Bytes of the Java heap in use, garbage included",
        memory,
        bean -> bean.getHeapMemoryUsage().getUsed());
    gauge(
        "orbitkv_heap_max_bytes",
        "bytes",
        "The largest size of the Java heap",
        memory,
        bean -> bean.getHeapMemoryUsage().getMax());
    gauge(
        "orbitkv_threads",
        "threads",
        "Threads of the process",
        ManagementFactory.getThreadMXBean(),
        ThreadMXBean::getThreadCount);
    for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
      counter(
          "orbitkv_gc_collections_total",
          "collections",
          "Collections of the heap; of ZGC, those named Pauses count its pauses",
          collector,
          bean -> Math.max(0, bean.getCollectionCount()));
      counter(
          "orbitkv_gc_collection_seconds_total",
          "seconds",
          "Time in collections of the heap, in whole milliseconds; of ZGC, those named Pauses are"
              + " what everything waited for",
          collector,
          bean -> Math.max(0, bean.getCollectionTime()) / MILLIS_A_SECOND);
    }
  }

  private <T> void gauge(
      String name, String unit, String help, T source, ToDoubleFunction<T> value) {
    Gauge.builder(name, source, value)
        .strongReference(true)
        .baseUnit(unit)
        .description(help)
        .register(registry);
  }

  private void counter(
      String name,
      String unit,
      String help,
      GarbageCollectorMXBean collector,
      ToDoubleFunction<GarbageCollectorMXBean> value) {
    FunctionCounter.builder(name, collector, value)
        .baseUnit(unit)
        .description(help)
        .tags("collector", collector.getName())
        .register(registry);
  }
}
