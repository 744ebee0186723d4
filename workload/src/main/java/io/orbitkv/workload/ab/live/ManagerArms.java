package io.orbitkv.workload.ab.live;

import io.orbitkv.workload.ab.assign.Arm;
import io.orbitkv.workload.ab.live.RunOutcome.VoidReason;
import io.orbitkv.workload.ab.verdict.Measure;
import io.orbitkv.workload.process.ManagerProcess;
import io.orbitkv.workload.process.ManagerStartException;
import io.orbitkv.workload.replay.Replay;
import io.orbitkv.workload.replay.ReplayResult;
import io.orbitkv.workload.report.WriteLoss;
import io.orbitkv.workload.trace.TraceSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs a variant on a Manager of its own: a child process that is started for the run and stopped
 * after it, so that nothing of one run is in the next but what the machine itself remembers.
 */
public final class ManagerArms implements ArmRunner {
  private static final double NANOS_PER_SECOND = 1e9;

  private final Map<Arm, List<String>> serveOptions;
  private final List<Path> storeFiles;
  private final LiveSettings settings;
  private final Supplier<TraceSource> trace;
  private final long seed;
  private final Object lock = new Object();
  // Guarded by lock.
  private @Nullable Replay running;
  private boolean cancelled;

  /**
   * Nothing runs yet.
   *
   * @param serveOptions what {@code serve} is started with, by variant
   * @param storeFiles files of the SSD store, which belong to the experiment: removed before and
   *     after each run
   * @param trace opens the trace at its beginning; each is closed here
   * @param seed of a generated trace, 0 for a file
   */
  public ManagerArms(
      Map<Arm, List<String>> serveOptions,
      List<Path> storeFiles,
      LiveSettings settings,
      Supplier<TraceSource> trace,
      long seed) {
    this.serveOptions = new EnumMap<>(serveOptions);
    this.storeFiles = List.copyOf(storeFiles);
    this.settings = settings;
    this.trace = trace;
    this.seed = seed;
  }

  @Override
  public RunOutcome run(Arm arm) throws IOException, InterruptedException, ManagerStartException {
    removeStore();
    List<String> options = serveOptions.getOrDefault(arm, List.of());
    try (TraceSource source = trace.get();
        ManagerProcess manager = ManagerProcess.start(options)) {
      List<VoidReason> voids = new ArrayList<>();
      if (settings.warmRequests() > 0) {
        replay(new Replay(settings.warming(), manager.socket(), source, seed));
      }
      StatusFigures before = StatusFigures.of(manager.socket());
      RequestTimes times =
          new RequestTimes(settings.replay().pageTokens(), settings.prefillTokensPerSecond());
      long begun = System.nanoTime();
      ReplayResult result =
          replay(
              new Replay(settings.timed(), manager.socket(), new RestOfTrace(source), seed, times));
      double whole = (System.nanoTime() - begun) / NANOS_PER_SECOND;
      StatusFigures after = StatusFigures.of(manager.socket());
      examine(result, after, voids);
      Map<Measure, Double> values = values(result, before, after, times, whole);
      int status = manager.stop();
      if (status != 0) {
        voids.add(new VoidReason(VoidCause.UNDRAINED, "the Manager ended with status " + status));
      }
      return new RunOutcome(
          arm, values, result.requests(), voids, before.turnedOver(), result.partial(), whole);
    } finally {
      removeStore();
    }
  }

  @Override
  public void cancel() {
    synchronized (lock) {
      cancelled = true;
      if (running != null) {
        running.cancel();
      }
    }
  }

  private ReplayResult replay(Replay replay) throws IOException, InterruptedException {
    synchronized (lock) {
      running = replay;
      if (cancelled) {
        replay.cancel();
      }
    }
    try {
      return replay.run();
    } finally {
      synchronized (lock) {
        running = null;
      }
    }
  }

  private void removeStore() throws IOException {
    for (Path file : storeFiles) {
      Files.deleteIfExists(file);
    }
  }

  private static void examine(ReplayResult result, StatusFigures after, List<VoidReason> voids) {
    if (result.wrongBytes() > 0 || result.verifiedPages() != result.restoredPages()) {
      voids.add(
          new VoidReason(
              VoidCause.WRONG_BYTE,
              result.wrongBytes()
                  + " wrong bytes, "
                  + (result.restoredPages() - result.verifiedPages())
                  + " pages not compared"));
    }
    if (result.reservedPeakBytes() > after.budgetBytes()) {
      voids.add(
          new VoidReason(
              VoidCause.BUDGET_BREACH,
              result.reservedPeakBytes() + " B reserved of " + after.budgetBytes() + " B"));
    }
    if (result.reservedEndBytes() != 0 || result.leakedBytes() != 0) {
      voids.add(
          new VoidReason(
              VoidCause.UNDRAINED,
              result.reservedEndBytes()
                  + " B still reserved, "
                  + result.leakedBytes()
                  + " B leaked"));
    }
    for (String fallback : after.fallbacks()) {
      voids.add(new VoidReason(VoidCause.POLICY_FALLBACK, fallback));
    }
  }

  private static Map<Measure, Double> values(
      ReplayResult result,
      StatusFigures before,
      StatusFigures after,
      RequestTimes times,
      double wholeSeconds) {
    Map<Measure, Double> values = new EnumMap<>(Measure.class);
    times.put(values);
    double seconds = result.durationNanos() / NANOS_PER_SECOND;
    values.put(Measure.THROUGHPUT, seconds == 0 ? 0 : result.requests() / seconds);
    values.put(Measure.PREFIX_HIT_RATIO, result.prefixHitRatio());
    values.put(Measure.RESTORED_BYTES, (double) result.restoredBytes());
    values.put(Measure.BUDGET_PEAK_BYTES, (double) result.reservedPeakBytes());
    values.put(Measure.ALLOCATION_FAILURES, (double) result.allocationFailures());
    values.put(Measure.DROPPED_PAGES, (double) result.droppedPages());
    values.put(Measure.DRAIN_SECONDS, Math.max(0, wholeSeconds - seconds));
    values.put(Measure.SSD_READ_BYTES, (double) result.store().readBytes());
    values.put(Measure.SSD_WRITTEN_BYTES, (double) result.store().writtenBytes());
    values.put(Measure.UNWRITTEN_PAGES, (double) sum(before, after, lossCounters()));
    values.put(
        Measure.READ_FAILURES,
        (double) sum(before, after, List.of("read_failed_pages", "read_corrupt_pages")));
    long useful = sum(before, after, List.of("speculated_restored_bytes"));
    long unused = sum(before, after, List.of("speculated_unused_bytes"));
    long read = sum(before, after, List.of("speculated_bytes"));
    values.put(Measure.SPECULATIVE_USEFUL_BYTES, (double) useful);
    values.put(Measure.SPECULATIVE_UNUSED_BYTES, (double) unused);
    values.put(Measure.SPECULATIVE_PENDING_BYTES, (double) Math.max(0, read - useful - unused));
    return values;
  }

  /** Pages that are stored already are no loss. */
  private static List<String> lossCounters() {
    List<String> counters = new ArrayList<>();
    for (WriteLoss loss : WriteLoss.values()) {
      if (loss != WriteLoss.DUPLICATE) {
        counters.add(loss.counter());
      }
    }
    return counters;
  }

  private static long sum(StatusFigures before, StatusFigures after, List<String> counters) {
    return counters.stream().mapToLong(name -> after.counter(name) - before.counter(name)).sum();
  }
}
