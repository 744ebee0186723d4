package io.orbitkv.workload.sim.run;

import io.orbitkv.api.query.AnswerState;
import io.orbitkv.kernel.Event;
import io.orbitkv.workload.sim.rule.Invariant;
import java.util.ArrayList;
import java.util.List;

/** Checks that a claimed preparation has the time of a demand, from its claim on. */
final class ClaimChecks {
  private final World world;
  private final List<Op> claimed = new ArrayList<>();

  ClaimChecks(World world) {
    this.world = world;
  }

  /** Before the kernel's step: only a tick ends anything for want of time. */
  void before(Event event) {
    claimed.clear();
    if (event instanceof Event.Tick) {
      for (Op op : world.model.undecided.values()) {
        if (op.claimed && !AnswerChecks.shared(op)) {
          claimed.add(op);
        }
      }
    }
  }

  /** After the kernel's step. */
  void after() {
    long timeout = world.settings.reads().timeout().toNanos();
    long lifetime = world.settings.lifetimes().operation().toNanos();
    long limited = timeout > 0 ? Math.min(timeout, lifetime) : lifetime;
    for (Op op : claimed) {
      long given = Math.min(limited, world.policies.advice().deadlineNanos(op));
      long had = world.nowNanos - op.claimedNanos;
      world.checks.require(
          Invariant.CLAIM_NEVER_SHORTENS,
          op.end != AnswerState.MISS || had >= given,
          () -> "out of time [" + had + "] ns after its claim, [" + given + "] are given: " + op);
    }
  }
}
