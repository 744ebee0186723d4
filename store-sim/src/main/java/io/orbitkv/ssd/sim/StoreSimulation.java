package io.orbitkv.ssd.sim;

import io.orbitkv.ssd.sim.rule.Invariant;
import io.orbitkv.ssd.sim.run.SeedResult;
import io.orbitkv.ssd.sim.run.SeedRunner;
import io.orbitkv.ssd.sim.run.Tally;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Runs seeds on several threads and gathers what they did. The same options give the same report,
 * however many threads there are.
 */
public final class StoreSimulation {
  private final StoreSimulationOptions options;
  private final AtomicLong next;
  private final AtomicBoolean stopped = new AtomicBoolean();

  /** Nothing runs yet. */
  public StoreSimulation(StoreSimulationOptions options) {
    this.options = options;
    this.next = new AtomicLong(options.firstSeed());
  }

  /**
   * Runs the seeds; returns when all have ended. Once.
   *
   * @throws InterruptedException when interrupted; the runs are stopped
   */
  public StoreSimulationReport run() throws InterruptedException {
    List<Worker> workers = new ArrayList<>();
    for (int i = 0; i < options.threads(); i++) {
      Worker worker = new Worker();
      worker.thread = Thread.ofPlatform().name("orbitkv-store-sim-" + i).daemon().start(worker);
      workers.add(worker);
    }
    Gathered all = new Gathered();
    try {
      for (Worker worker : workers) {
        worker.thread.join();
        if (worker.failure != null) {
          throw new IllegalStateException(
              "the simulator itself failed: " + worker.failure, worker.failure);
        }
        all.merge(worker.gathered);
      }
    } finally {
      stopped.set(true);
    }
    all.failures.sort(Comparator.comparingLong(SeedResult::seed));
    SeedResult first = all.failures.isEmpty() ? null : traced(all.failures.getFirst().seed());
    return new StoreSimulationReport(options, all, first);
  }

  private SeedResult traced(long seed) {
    try (SeedRunner runner = new SeedRunner(options.scenario(), options.acts())) {
      return runner.trace(seed);
    }
  }

  private final class Worker implements Runnable {
    final Gathered gathered = new Gathered();
    Thread thread = Thread.currentThread();
    @Nullable Throwable failure;

    @Override
    public void run() {
      try (SeedRunner runner = new SeedRunner(options.scenario(), options.acts())) {
        while (!stopped.get()) {
          long seed = next.getAndIncrement();
          if (seed > options.lastSeed()) {
            return;
          }
          SeedResult result = runner.run(seed);
          gathered.add(result);
          if (result.violation() != null && !options.keepGoing()) {
            stopped.set(true);
          }
        }
      } catch (RuntimeException | Error problem) {
        failure = problem;
        stopped.set(true);
      }
    }
  }

  /** The sum of what runs did. */
  static final class Gathered {
    final Tally tally = new Tally();
    final Map<Invariant, Long> checked = new EnumMap<>(Invariant.class);
    final List<SeedResult> failures = new ArrayList<>();
    long seeds;
    long crashes;
    long digest;

    void add(SeedResult result) {
      seeds++;
      crashes += result.crashes();
      // A sum, so that the order of the threads does not count.
      digest += result.digest() ^ (result.seed() * 0x9E3779B97F4A7C15L);
      tally.merge(result.tally());
      result.checked().forEach((invariant, times) -> checked.merge(invariant, times, Long::sum));
      if (result.violation() != null) {
        failures.add(result);
      }
    }

    void merge(Gathered other) {
      seeds += other.seeds;
      crashes += other.crashes;
      digest += other.digest;
      tally.merge(other.tally);
      other.checked.forEach((invariant, times) -> checked.merge(invariant, times, Long::sum));
      failures.addAll(other.failures);
    }
  }
}
