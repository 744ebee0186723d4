package io.orbitkv.ssd.sim.run;

import io.orbitkv.ssd.sim.disk.ModelDisk;
import io.orbitkv.ssd.sim.disk.SimulatedCrash;
import io.orbitkv.ssd.sim.rule.Step;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Where the next crash comes. Counts the places that were passed. */
final class CrashPlan {
  private static final long NEVER = -1;

  private final Map<Step, Long> crashes;
  private final @Nullable Step step;
  private long left;
  private long passed;
  private @Nullable Step hit;
  private ModelDisk.@Nullable Tear tear;

  private CrashPlan(Map<Step, Long> crashes, @Nullable Step step, long left) {
    this.crashes = crashes;
    this.step = step;
    this.left = left;
  }

  /** Without a crash. */
  static CrashPlan none() {
    return new CrashPlan(new EnumMap<>(Step.class), null, NEVER);
  }

  /** At this place, counted from 0 over all steps. */
  static CrashPlan at(long place, Map<Step, Long> crashes) {
    return new CrashPlan(crashes, null, place);
  }

  /** At the n-th place of one kind of step, counted from 0. */
  static CrashPlan at(Step step, long place, Map<Step, Long> crashes) {
    return new CrashPlan(crashes, step, place);
  }

  /** A place between two things that the device does; may throw. */
  void pass(Step at) {
    pass(at, null);
  }

  /**
   * The same.
   *
   * @param cut how the write is torn that is interrupted here
   * @throws SimulatedCrash when this is the place
   */
  void pass(Step at, ModelDisk.@Nullable Tear cut) {
    if (hit != null) {
      throw new SimulatedCrash("dead since " + hit);
    }
    passed++;
    if (left == NEVER || (step != null && step != at)) {
      return;
    }
    if (left-- == 0) {
      hit = at;
      tear = cut;
      crashes.merge(at, 1L, Long::sum);
      throw new SimulatedCrash(at.key());
    }
  }

  /** A crash here if none came before. */
  void crashNow(Step at) {
    if (hit == null) {
      hit = at;
      crashes.merge(at, 1L, Long::sum);
    }
  }

  /** How many places were passed. */
  long passed() {
    return passed;
  }

  /** Whether the crash has come. */
  boolean crashed() {
    return hit != null;
  }

  @Nullable Step hit() {
    return hit;
  }

  ModelDisk.@Nullable Tear tear() {
    return tear;
  }
}
