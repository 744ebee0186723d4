package io.orbitkv.workload.sim;

import io.orbitkv.workload.sim.hardware.Mix;
import io.orbitkv.workload.sim.hardware.StateSketch;
import io.orbitkv.workload.sim.rule.Fault;
import io.orbitkv.workload.sim.rule.Invariant;
import io.orbitkv.workload.sim.rule.InvariantViolation;
import io.orbitkv.workload.sim.rule.RecordedAction;
import io.orbitkv.workload.sim.run.Coverage;
import io.orbitkv.workload.sim.run.SeedResult;
import io.orbitkv.workload.sim.run.SeedRunner;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Simulates seeds on several threads and gathers what they did. The same options give the same
 * report, however many threads there are.
 */
public final class Simulation {
  private final SimulationOptions options;
  private final @Nullable InvariantHook hook;
  private final AtomicLong next;
  private final AtomicLong done = new AtomicLong();
  private final AtomicLong steps = new AtomicLong();
  private final AtomicBoolean stopped = new AtomicBoolean();

  /** Nothing runs yet. */
  public Simulation(SimulationOptions options) {
    this(options, null);
  }

  /**
   * @param hook an artificial invariant, for tests of the simulator itself
   */
  Simulation(SimulationOptions options, @Nullable InvariantHook hook) {
    this.options = options;
    this.hook = hook;
    this.next = new AtomicLong(options.firstSeed());
  }

  /** Fails where a test says so. */
  @FunctionalInterface
  interface InvariantHook extends SeedRunner.StepHook {}

  /** Runs that ended. Any thread. */
  public long seedsDone() {
    return done.get();
  }

  /** Steps of the runs that ended. Any thread. */
  public long stepsDone() {
    return steps.get();
  }

  /** Starts no further run; those that run end. Any thread. */
  public void stop() {
    stopped.set(true);
  }

  /**
   * Runs the seeds; returns when all have ended. Once.
   *
   * @throws InterruptedException when interrupted; the runs are stopped
   */
  public SimulationReport run() throws InterruptedException {
    List<Worker> workers = new ArrayList<>();
    for (int i = 0; i < Math.min(options.threads(), options.seeds()); i++) {
      Worker worker = new Worker();
      worker.thread = Thread.ofPlatform().name("orbitkv-sim-" + i).daemon().start(worker);
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
    Violation violation = all.failures.isEmpty() ? null : shrunk(all.failures.getFirst());
    return new SimulationReport(options, all, violation);
  }

  private final class Worker implements Runnable {
    final Gathered gathered = new Gathered();
    private final SeedRunner runner = new SeedRunner(options.scenario(), hook);
    Thread thread = Thread.currentThread();
    @Nullable Throwable failure;

    @Override
    public void run() {
      try {
        while (!stopped.get()) {
          long seed = next.getAndIncrement();
          if (seed > options.lastSeed()) {
            return;
          }
          SeedResult result = runner.run(seed, options.steps());
          gathered.add(result);
          done.incrementAndGet();
          steps.addAndGet(result.steps());
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

  private Violation shrunk(SeedResult result) {
    InvariantViolation found = result.violation();
    if (found == null) {
      throw new IllegalStateException("seed [" + result.seed() + "] did not fail");
    }
    SeedRunner runner = new SeedRunner(options.scenario(), hook);
    long seed = result.seed();
    List<RecordedAction> all = runner.actions(seed, options.steps());
    List<RecordedAction> shortest =
        new Shrinker<RecordedAction>(
                actions -> {
                  InvariantViolation again = runner.run(seed, options.steps(), actions).violation();
                  return again != null && again.invariant() == found.invariant();
                },
                System::nanoTime,
                options.shrinkTime())
            .shrink(all);
    SeedResult last = runner.run(seed, options.steps(), shortest);
    InvariantViolation shown = last.violation() == null ? found : last.violation();
    return new Violation(
        seed, last.steps(), shown.invariant(), shown.getMessage(), last.trail(), shortest);
  }

  /** The sum of what runs did. */
  static final class Gathered {
    final Map<Fault, Long> faults = new EnumMap<>(Fault.class);
    final Map<Invariant, Long> checked = new EnumMap<>(Invariant.class);
    final StateSketch states = new StateSketch();
    final Coverage coverage = new Coverage();
    final List<SeedResult> failures = new ArrayList<>();
    long seeds;
    long steps;
    long digest;

    void add(SeedResult result) {
      add(faults, result.faults());
      add(checked, result.checked());
      states.merge(result.states());
      coverage.merge(result.coverage());
      seeds++;
      steps += result.steps();
      digest += Mix.of(result.seed(), result.digest(), result.steps());
      if (result.violation() != null) {
        failures.add(result);
      }
    }

    void merge(Gathered other) {
      add(faults, other.faults);
      add(checked, other.checked);
      states.merge(other.states);
      coverage.merge(other.coverage);
      failures.addAll(other.failures);
      seeds += other.seeds;
      steps += other.steps;
      digest += other.digest;
    }

    private static <E> void add(Map<E, Long> to, Map<E, Long> from) {
      from.forEach((what, times) -> to.merge(what, times, Long::sum));
    }
  }
}
