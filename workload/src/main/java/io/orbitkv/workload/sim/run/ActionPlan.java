package io.orbitkv.workload.sim.run;

import io.orbitkv.workload.sim.hardware.Chance;
import io.orbitkv.workload.sim.hardware.Mix;
import io.orbitkv.workload.sim.rule.Scenario;
import java.util.Iterator;

/** The actions of a seed, without end. */
final class ActionPlan implements Iterator<Action> {
  private static final long MILLI = 1_000_000;
  private static final int FIRST_STARTS = 4;

  private final Scenario scenario;
  private final Chance chance;
  private final long seed;
  private final int weights;
  private long atNanos;
  private int index;

  ActionPlan(long seed, Scenario scenario) {
    this.scenario = scenario;
    this.seed = seed;
    this.chance = new Chance(Mix.of(seed, 10, 0));
    int sum = 0;
    for (ActionKind kind : ActionKind.values()) {
      sum += kind.weight(scenario);
    }
    weights = sum;
  }

  @Override
  public boolean hasNext() {
    return true;
  }

  @Override
  public Action next() {
    int dice = chance.below(100);
    long wait = dice < 70 ? chance.below(4 * MILLI) : chance.below((dice < 96 ? 90 : 900) * MILLI);
    atNanos += wait;
    ActionKind kind = index < FIRST_STARTS ? ActionKind.START_ENGINE : kind();
    Action action = new Action(index, atNanos, kind, Mix.of(seed, 11, index));
    index++;
    if (kind == ActionKind.PAUSE) {
      atNanos += pauseNanos(action);
    }
    return action;
  }

  /** How long the process stands still. */
  static long pauseNanos(Action action) {
    Chance chance = new Chance(action.seed());
    return chance.below((chance.oneIn(3) ? 100_000L : 4_000L) * MILLI);
  }

  private ActionKind kind() {
    int dice = chance.below(weights);
    for (ActionKind kind : ActionKind.values()) {
      dice -= kind.weight(scenario);
      if (dice < 0) {
        return kind;
      }
    }
    throw new IllegalStateException("weights do not add up");
  }
}
