package io.orbitkv.manager.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.orbitkv.api.backing.BackingUsage;
import io.orbitkv.api.lease.ReservationPhase;
import io.orbitkv.kernel.KernelCounter;
import io.orbitkv.kernel.KernelStatus;
import io.orbitkv.manager.dispatch.CopierFigures;
import io.orbitkv.manager.session.SessionEnd;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/**
 * The counters and gauges of the Manager itself. They hold no value of their own: each reads the
 * picture that the export at hand was given.
 */
final class ManagerMeters {
  private static final String OTHER_ENGINE = "other";
  private static final List<String> ENGINES = List.of("io-uring", "threads", OTHER_ENGINE);
  static final String PREFIX = "orbitkv_";
  private static final double NANOS_A_SECOND = 1e9;

  private final MeterRegistry registry;
  private final String prefix;
  private final Supplier<Picture> picture;

  private ManagerMeters(MeterRegistry registry, String prefix, Supplier<Picture> picture) {
    this.registry = registry;
    this.prefix = prefix;
    this.picture = picture;
  }

  /**
   * Registers what each cell of a divided Manager has of its own and what adds up: its sum over all
   * cells is the same meter of the Manager.
   *
   * @param registry that holds nothing else
   * @param prefix of the names, in place of {@link #PREFIX}
   */
  static void registerOfCell(
      MeterRegistry registry,
      String prefix,
      Supplier<Picture> picture,
      List<String> copiers,
      boolean backing) {
    ManagerMeters meters = new ManagerMeters(registry, prefix, picture);
    meters.registerCounters();
    meters.registerBudget();
    meters.registerPool();
    meters.registerWork();
    copiers.forEach(meters::registerCopier);
    if (backing) {
      meters.registerStored();
    }
  }

  /**
   * Registers everything.
   *
   * @param picture the current one
   * @param copiers kinds of memory that the copiers copy to
   * @param backing whether there is a backing tier
   */
  static void register(
      ManagerMeterRegistry registry,
      Supplier<Picture> picture,
      List<String> copiers,
      boolean backing) {
    ManagerMeters meters = new ManagerMeters(registry, PREFIX, picture);
    meters.registerCounters();
    meters.registerBudget();
    meters.registerPool();
    meters.registerShape();
    meters.registerWork();
    meters.registerDispatcher();
    copiers.forEach(meters::registerCopier);
    meters.registerSessions();
    meters.registerProcess();
    if (backing) {
      meters.registerBacking();
    }
    new JvmMeters(registry).register();
  }

  private void registerCounters() {
    for (KernelCounter counter : KernelCounter.values()) {
      KernelCounterMetrics.Export export = KernelCounterMetrics.of(counter);
      String key = counter.key();
      counter(
          export.name(),
          export.unit(),
          export.help(),
          now -> now.kernel().counters().getOrDefault(key, 0L),
          export.tags());
    }
  }

  private void registerBudget() {
    kernel(
        "query_reserved_bytes",
        "bytes",
        "Bytes charged to all queries: the value to check against the budget",
        KernelStatus::reservedBytes);
    kernel(
        "query_reserved_peak_bytes",
        "bytes",
        "The largest value of the reserved bytes since the start",
        KernelStatus::reservedPeakBytes);
    kernel(
        "query_speculative_reserved_bytes",
        "bytes",
        "The speculative part of the reserved bytes: to check against a quarter of the budget",
        KernelStatus::speculativeBytes);
    kernel("query_budget_bytes", "bytes", "The budget of all queries", KernelStatus::budgetBytes);
    for (ReservationPhase phase : ReservationPhase.values()) {
      gauge(
          "query_reserved_bytes_by_phase",
          "bytes",
          "Diagnostic only, no sum: reserved bytes by the phase that their owner is in",
          now -> now.kernel().reservedByPhase().getOrDefault(phase, 0L),
          "phase",
          phase.name().toLowerCase(Locale.ROOT));
    }
  }

  private void registerPool() {
    kernel(
        "pool_capacity_bytes",
        "bytes",
        "Bytes of the pool",
        status -> status.memory().capacityBytes());
    kernel(
        "pool_active_bytes",
        "bytes",
        "Bytes of the pool that can be allocated from",
        status -> status.memory().activeBytes());
    kernel(
        "pool_used_bytes",
        "bytes",
        "Bytes of the pool in allocated runs, rounding included",
        status -> status.memory().allocatedBytes());
    kernel(
        "pool_free_bytes",
        "bytes",
        "Bytes of the pool in free runs",
        status -> status.memory().freeBytes());
    counter(
        "pool_alloc_failures_total",
        "allocations",
        "Allocations that found no free run, before anything was evicted for them",
        now -> now.kernel().memory().allocationFailures());
    kernel(
        "cache_resident_blocks", "pages", "Pages that can be found", KernelStatus::residentPages);
    kernel(
        "cache_resident_bytes",
        "bytes",
        "Bytes of the runs of pages that can be found",
        KernelStatus::residentBytes);
    kernel(
        "inflight_pages",
        "pages",
        "Pages that are being copied or wait for their commit",
        KernelStatus::unsealedPages);
    kernel(
        "inflight_bytes",
        "bytes",
        "Bytes of the runs of pages that are being copied or wait for their commit",
        KernelStatus::unsealedBytes);
    kernel(
        "reading_pages",
        "pages",
        "Pages that reads from the backing tier fill",
        KernelStatus::readingPages);
    kernel(
        "reading_bytes",
        "bytes",
        "Bytes of the runs of pages that reads from the backing tier fill",
        KernelStatus::readingBytes);
    kernel(
        "orphan_bytes",
        "bytes",
        "Bytes of the runs of pages that nobody finds any more and somebody still uses",
        KernelStatus::orphanBytes);
    kernel(
        "quarantined_bytes",
        "bytes",
        "Bytes of runs that hardware may still touch after an unknown outcome",
        KernelStatus::quarantinedBytes);
    kernel(
        "leaked_bytes",
        "bytes",
        "Allocated bytes that belong to nothing: always 0 unless the Manager is broken",
        KernelStatus::leakedBytes);
  }

  private void registerWork() {
    kernel("instances", "instances", "Instances that are registered", KernelStatus::instances);
    kernel(
        "operations",
        "operations",
        "Queries, restores and publishes that are not over",
        KernelStatus::operations);
    kernel("leases", "leases", "Leases and offers that are alive", KernelStatus::leases);
    kernel("copies", "plans", "Copies submitted and not reported", KernelStatus::copies);
    kernel(
        "warmup_pending_bytes",
        "bytes",
        "Bytes read by speculation that neither reached a device nor lost their last owner",
        KernelStatus::speculatedBytes);
    kernel(
        "ssd_prefetch_inflight",
        "pages",
        "Pages in flight from the backing tier",
        KernelStatus::reads);
    kernel(
        "ssd_write_inflight", "pages", "Pages in flight to the backing tier", KernelStatus::writes);
    kernel(
        "ssd_write_queue_pending",
        "pages",
        "Pages that wait to be written to the backing tier",
        KernelStatus::queuedWrites);
    kernel(
        "ssd_write_queue_pending_bytes",
        "bytes",
        "Bytes of the runs of pages that wait to be written to the backing tier",
        KernelStatus::queuedWriteBytes);
    kernel(
        "ssd_stored_pages",
        "pages",
        "Pages that the Manager knows to be in the backing tier",
        KernelStatus::storedPages);
  }

  private void registerDispatcher() {
    gauge(
        "dispatcher_backlog",
        "messages",
        "Messages that wait for the dispatcher",
        now -> now.around().backlog());
    counter(
        "untimed_operations_total",
        "operations",
        "Operations that the duration metrics left out because too many were under way",
        Picture::untimedOperations);
  }

  /** What is no sum of what cells have. */
  private void registerShape() {
    kernel(
        "pool_largest_free_bytes",
        "bytes",
        "Bytes of the largest free run; far below the free bytes, the pool is fragmented",
        status -> status.memory().largestFreeBytes());
    kernel(
        "pool_huge_page_bytes",
        "bytes",
        "Bytes of the pool that the system gave as huge pages; -1 when unknown",
        status -> status.memory().hugePageBytes());
    gauge(
        "pool_ready_percent",
        "percent",
        "How much of the pool was touched and registered",
        now -> now.around().readyPercent());
    gauge(
        "pool_failed_chunks",
        "chunks",
        "Parts of the pool that could not be touched or registered",
        now -> now.around().failedChunks());
  }

  private void registerCopier(String kind) {
    gauge(
        "copier_inflight_plans",
        "plans",
        "Plans of a copier that are not reported",
        now -> copier(now, kind).plans(),
        "copier",
        kind);
    gauge(
        "copier_inflight_bytes",
        "bytes",
        "Bytes of the plans of a copier that are not reported",
        now -> copier(now, kind).bytes(),
        "copier",
        kind);
    gauge(
        "copier_waiting_plans",
        "plans",
        "Plans that a copier did not take yet, because it is full",
        now -> copier(now, kind).waitingPlans(),
        "copier",
        kind);
  }

  private static CopierFigures copier(Picture now, String kind) {
    for (CopierFigures figures : now.copiers()) {
      if (figures.memoryKind().equals(kind)) {
        return figures;
      }
    }
    return new CopierFigures(kind, 0, 0, 0);
  }

  private void registerSessions() {
    gauge("sessions_open", "sessions", "Connections", now -> now.around().sessions().open());
    counter(
        "sessions_opened_total",
        "sessions",
        "Connections let in",
        now -> now.around().sessions().opened());
    for (SessionEnd end : SessionEnd.values()) {
      counter(
          "sessions_closed_total",
          "sessions",
          "Connections that ended, by cause",
          now -> now.around().sessions().closed().getOrDefault(end, 0L),
          "cause",
          end.key());
    }
    counter(
        "connections_refused_total",
        "connections",
        "Connections refused at the door: a foreign user, or too many sessions",
        now -> now.around().sessions().refused());
    gauge(
        "session_waiting_replies",
        "messages",
        "Messages that wait for their clients to read them",
        now -> now.around().sessions().waitingReplies());
    gauge(
        "session_longest_queue",
        "messages",
        "Messages that wait for the slowest client",
        now -> now.around().sessions().longestQueue());
  }

  private void registerProcess() {
    gauge(
        "uptime_seconds",
        "seconds",
        "Time since the start",
        now -> now.around().uptimeNanos() / NANOS_A_SECOND);
    gauge(
        "draining",
        "",
        "1 when the Manager takes nothing new, otherwise 0",
        now -> now.around().draining() ? 1 : 0);
    counter(
        "log_dropped_lines_total",
        "lines",
        "Lines of the log that were dropped because nobody read stderr",
        now -> now.around().droppedLogLines());
  }

  private void registerStored() {
    backing("ssd_capacity_bytes", "bytes", "Bytes of the store", BackingUsage::capacityBytes);
    backing(
        "ssd_used_bytes",
        "bytes",
        "Bytes of the store in pages that can be found",
        BackingUsage::usedBytes);
    backing("ssd_pages", "pages", "Pages of the store that can be found", BackingUsage::pages);
    backing(
        "ssd_queued_read_bytes",
        "bytes",
        "Bytes of reads submitted and not reported",
        BackingUsage::queuedReadBytes);
    backing(
        "ssd_queued_write_bytes",
        "bytes",
        "Bytes of writes submitted and not reported",
        BackingUsage::queuedWriteBytes);
  }

  private void registerBacking() {
    registerStored();
    backing(
        "ssd_write_amplification",
        "",
        "Bytes written to the device for a byte of payload, since the start",
        BackingUsage::writeAmplification);
    backing(
        "ssd_write_budget_left_bytes",
        "bytes",
        "Bytes that may be written now; no value without a limit on writes",
        usage ->
            usage.writeBudgetLeftBytes() == BackingUsage.UNLIMITED
                ? Double.NaN
                : usage.writeBudgetLeftBytes());
    for (String engine : ENGINES) {
      gauge(
          "ssd_engine",
          "",
          "1 for the engine that reaches the device, otherwise 0",
          now -> {
            BackingUsage usage = now.around().backing();
            return usage == null ? Double.NaN : engine.equals(engineOf(usage)) ? 1 : 0;
          },
          "engine",
          engine);
    }
    counter(
        "ssd_payload_written_bytes_total",
        "bytes",
        "Payload of the writes that the store has done",
        now -> written(now, BackingUsage::payloadWrittenBytes));
    counter(
        "ssd_device_written_bytes_total",
        "bytes",
        "Bytes that went to the device: headers, padding and the store's own copies are in it",
        now -> written(now, BackingUsage::writtenBytes));
    backing(
        "ssd_degraded",
        "",
        "1 when the store is out of the read path or does not write, otherwise 0",
        usage -> usage.degraded().isEmpty() ? 0 : 1);
  }

  private static String engineOf(BackingUsage usage) {
    return ENGINES.contains(usage.engine()) ? usage.engine() : OTHER_ENGINE;
  }

  private static double written(Picture now, ToDoubleFunction<BackingUsage> value) {
    BackingUsage usage = now.around().backing();
    return usage == null ? 0 : value.applyAsDouble(usage);
  }

  private void backing(
      String name, String unit, String help, ToDoubleFunction<BackingUsage> value) {
    gauge(
        name,
        unit,
        help,
        now -> {
          BackingUsage usage = now.around().backing();
          return usage == null ? Double.NaN : value.applyAsDouble(usage);
        });
  }

  private void kernel(String name, String unit, String help, ToDoubleFunction<KernelStatus> value) {
    gauge(name, unit, help, now -> value.applyAsDouble(now.kernel()));
  }

  private void gauge(
      String name, String unit, String help, ToDoubleFunction<Picture> value, String... tags) {
    Gauge.builder(prefix + name, registry, _ -> value.applyAsDouble(picture.get()))
        .baseUnit(unit)
        .description(help)
        .tags(tags)
        .register(registry);
  }

  private void counter(
      String name, String unit, String help, ToDoubleFunction<Picture> value, String... tags) {
    // Micrometer holds what it reads from weakly: the registry outlives its meters.
    FunctionCounter.builder(prefix + name, registry, _ -> value.applyAsDouble(picture.get()))
        .baseUnit(unit)
        .description(help)
        .tags(tags)
        .register(registry);
  }
}
