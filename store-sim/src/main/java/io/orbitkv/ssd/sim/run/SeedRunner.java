package io.orbitkv.ssd.sim.run;

import io.orbitkv.ssd.sim.rule.Scenario;

/** Runs seeds, one after the other, in memory of its own. One thread. */
public final class SeedRunner implements AutoCloseable {
  private static final int FRAMES = 1024;

  private final Memory memory = new Memory(FRAMES);
  private final Scenario scenario;
  private final int acts;

  /**
   * @param acts operations that are asked for in a life, at most
   */
  public SeedRunner(Scenario scenario, int acts) {
    this.scenario = scenario;
    this.acts = acts;
  }

  /** Runs a seed. */
  public SeedResult run(long seed) {
    return new SeedRun(seed, scenario, acts, memory, new Trail(false)).run();
  }

  /** Runs it again and keeps the last events. */
  public SeedResult trace(long seed) {
    return new SeedRun(seed, scenario, acts, memory, new Trail(true)).run();
  }

  @Override
  public void close() {
    memory.close();
  }
}
