package io.orbitkv.workload.sim;

import io.orbitkv.workload.sim.rule.Scenario;
import java.time.Duration;

/**
 * What to simulate.
 *
 * @param firstSeed first of the seeds
 * @param lastSeed last of them, not below the first
 * @param steps of the kernel in each run, positive
 * @param threads that share the seeds, positive
 * @param scenario what runs are made of
 * @param keepGoing whether to run all seeds although one failed
 * @param full whether a fault that is too rare or a pair that was not visited makes the run fail
 * @param shrinkTime to spend on making the failing run shorter; zero to leave it as it is
 */
public record SimulationOptions(
    long firstSeed,
    long lastSeed,
    long steps,
    int threads,
    Scenario scenario,
    boolean keepGoing,
    boolean full,
    Duration shrinkTime) {
  /** Steps from which on a run counts as one of full size. */
  public static final long FULL_STEPS = 4_000_000;

  /** How often each kind of fault must occur in a run of full size. */
  public static final long FULL_FAULTS = 1_000;

  /** More threads than this only wait for processors, and each has a simulated world in memory. */
  public static final int MOST_THREADS = 256;

  /** The actions of a run are kept until it ends, for making a failing one shorter. */
  public static final long MOST_STEPS = 10_000_000;

  /**
   * @throws IllegalArgumentException naming what does not fit
   */
  public SimulationOptions {
    if (lastSeed < firstSeed) {
      throw new IllegalArgumentException(
          "seeds [" + firstSeed + ".." + lastSeed + "]: the last is below the first");
    }
    if (steps < 1 || threads < 1) {
      throw new IllegalArgumentException(
          "steps [" + steps + "] and threads [" + threads + "] must be positive");
    }
    if (steps > MOST_STEPS) {
      throw new IllegalArgumentException(
          "steps [" + steps + "] are more than " + MOST_STEPS + ": run more seeds instead");
    }
    if (threads > MOST_THREADS) {
      throw new IllegalArgumentException(
          "threads [" + threads + "] are more than " + MOST_THREADS + ": one a processor is best");
    }
  }

  /** These seeds, checked for coverage when they are many enough. */
  public static SimulationOptions of(long firstSeed, long lastSeed, long steps) {
    boolean full = lastSeed - firstSeed + 1 >= Math.ceilDiv(FULL_STEPS, Math.max(1, steps));
    return new SimulationOptions(
        firstSeed,
        lastSeed,
        steps,
        Math.max(1, Runtime.getRuntime().availableProcessors()),
        Scenario.ALL.getFirst(),
        false,
        full,
        Duration.ofSeconds(10));
  }

  /** The same with other threads. */
  public SimulationOptions withThreads(int newThreads) {
    return new SimulationOptions(
        firstSeed, lastSeed, steps, newThreads, scenario, keepGoing, full, shrinkTime);
  }

  /** The same with another scenario. */
  public SimulationOptions with(Scenario newScenario) {
    return new SimulationOptions(
        firstSeed, lastSeed, steps, threads, newScenario, keepGoing, full, shrinkTime);
  }

  /** The same, going on after a failure or not. */
  public SimulationOptions withKeepGoing(boolean newKeepGoing) {
    return new SimulationOptions(
        firstSeed, lastSeed, steps, threads, scenario, newKeepGoing, full, shrinkTime);
  }

  /** The same with another time for making the failing run shorter. */
  public SimulationOptions withShrinkTime(Duration newShrinkTime) {
    return new SimulationOptions(
        firstSeed, lastSeed, steps, threads, scenario, keepGoing, full, newShrinkTime);
  }

  /** How many seeds there are. */
  public long seeds() {
    return lastSeed - firstSeed + 1;
  }
}
