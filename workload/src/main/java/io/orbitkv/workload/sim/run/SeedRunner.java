package io.orbitkv.workload.sim.run;

import io.orbitkv.workload.sim.hardware.Checks;
import io.orbitkv.workload.sim.rule.InvariantViolation;
import io.orbitkv.workload.sim.rule.RecordedAction;
import io.orbitkv.workload.sim.rule.Scenario;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Runs seeds and recorded lists of actions. Any thread. */
public final class SeedRunner {
  private final Scenario scenario;
  private final @Nullable StepHook hook;

  /** Runs of one scenario. */
  public SeedRunner(Scenario scenario) {
    this(scenario, null);
  }

  /**
   * @param hook sees each step of each run, or null
   */
  public SeedRunner(Scenario scenario, @Nullable StepHook hook) {
    this.scenario = scenario;
    this.hook = hook;
  }

  /** Sees the steps of a run. */
  @FunctionalInterface
  public interface StepHook {
    /**
     * After a step.
     *
     * @param step its number, from 1
     * @param nowNanos on the virtual clock
     * @param text the event and what the kernel wants done, made when asked for
     * @throws InvariantViolation to end the run
     */
    void stepped(long step, long nowNanos, StepText text);
  }

  /** A step for people. */
  public interface StepText {
    /** The event. */
    String event();

    /** The commands. */
    List<String> commands();
  }

  /**
   * That a run can do this.
   *
   * @throws IllegalArgumentException when no action has that name
   */
  public static void requireKnown(RecordedAction action) {
    Action _ = Action.of(action);
  }

  /** The run of a seed of so many steps. */
  public SeedResult run(long seed, long steps) {
    return run(seed, steps, new ActionPlan(seed, scenario));
  }

  /** The run of a seed with these actions alone. */
  public SeedResult run(long seed, long steps, List<RecordedAction> actions) {
    return run(seed, steps, actions.stream().map(Action::of).iterator());
  }

  /** The first actions of a seed, as many as its run of so many steps used. */
  public List<RecordedAction> actions(long seed, long steps) {
    List<RecordedAction> used = new ArrayList<>();
    ActionPlan plan = new ActionPlan(seed, scenario);
    Iterator<Action> recording =
        new Iterator<>() {
          @Override
          public boolean hasNext() {
            return true;
          }

          @Override
          public Action next() {
            Action action = plan.next();
            used.add(action.recorded());
            return action;
          }
        };
    run(seed, steps, recording);
    return used;
  }

  private SeedResult run(long seed, long steps, Iterator<Action> actions) {
    Checks checks = new Checks();
    SeedRun run = new SeedRun(seed, scenario, checks);
    World world = run.world;
    world.hook = hook;
    InvariantViolation violation = null;
    List<String> trail = List.of();
    try {
      run.run(actions, steps);
    } catch (InvariantViolation found) {
      violation = found;
      trail = world.trail.text();
    }
    return new SeedResult(
        seed,
        world.steps,
        world.tally.digest,
        world.tally.faults,
        checks.checked(),
        world.tally.states,
        world.tally.coverage,
        violation,
        trail);
  }
}
