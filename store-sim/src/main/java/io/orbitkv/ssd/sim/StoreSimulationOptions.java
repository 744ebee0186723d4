package io.orbitkv.ssd.sim;

import io.orbitkv.ssd.sim.rule.Scenario;

/**
 * What to run.
 *
 * @param firstSeed first of the seeds
 * @param lastSeed last of them, not below the first
 * @param acts most operations in a life of the store, at least 16
 * @param threads that share the seeds, positive
 * @param scenario what runs are made of
 * @param keepGoing whether to run all seeds although one failed
 */
public record StoreSimulationOptions(
    long firstSeed, long lastSeed, int acts, int threads, Scenario scenario, boolean keepGoing) {
  /** Operations in a life unless said otherwise: enough to go over a small device twice. */
  public static final int DEFAULT_ACTS = 240;

  private static final int FEWEST_ACTS = 16;

  /**
   * @throws IllegalArgumentException naming what does not fit
   */
  public StoreSimulationOptions {
    if (lastSeed < firstSeed || firstSeed < 0) {
      throw new IllegalArgumentException(
          "seeds [" + firstSeed + ".." + lastSeed + "]: the last is below the first, or below 0");
    }
    if (acts < FEWEST_ACTS || threads < 1) {
      throw new IllegalArgumentException(
          "steps [" + acts + "] must be at least 16, threads [" + threads + "] at least 1");
    }
  }

  /** These seeds, mixed, on all processors, up to the first failure. */
  public static StoreSimulationOptions of(long firstSeed, long lastSeed) {
    return new StoreSimulationOptions(
        firstSeed,
        lastSeed,
        DEFAULT_ACTS,
        Math.max(1, Runtime.getRuntime().availableProcessors()),
        Scenario.ALL.getFirst(),
        false);
  }

  /** The same with another scenario. */
  public StoreSimulationOptions with(Scenario other) {
    return new StoreSimulationOptions(firstSeed, lastSeed, acts, threads, other, keepGoing);
  }

  /** The same with other threads. */
  public StoreSimulationOptions withThreads(int other) {
    return new StoreSimulationOptions(firstSeed, lastSeed, acts, other, scenario, keepGoing);
  }
}
