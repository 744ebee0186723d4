package io.orbitkv.workload.sim.run;

import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.Event;
import io.orbitkv.kernel.KernelStatus;
import io.orbitkv.kernel.policy.PageColumns;
import io.orbitkv.workload.sim.hardware.Chance;
import io.orbitkv.workload.sim.hardware.Mix;
import io.orbitkv.workload.sim.rule.Fault;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Policies that answer with sense, with nonsense, late or not at all; whatever they say, the
 * invariants hold. Each question is answered once, as the Manager promises.
 */
final class PolicyActor {
  private static final long MILLI = 1_000_000;

  /** The slots that the kernel asks for. */
  private static final List<PolicySlot> SLOTS = List.of(PolicySlot.values());

  private final World world;
  private final long seed;
  private final RetentionChecks checks;
  private final AdviceActor advice;
  private Set<PolicySlot> asked = EnumSet.noneOf(PolicySlot.class);
  private long heard;

  PolicyActor(World world, long seed) {
    this.world = world;
    this.seed = seed;
    this.checks = new RetentionChecks(world);
    this.advice = new AdviceActor(world);
  }

  // ---- decision boundaries ---------------------------------------------------------------------

  /** Policies come, go and are changed. */
  void change(Chance chance) {
    Set<PolicySlot> next = EnumSet.noneOf(PolicySlot.class);
    Set<PolicySlot> fresh = EnumSet.noneOf(PolicySlot.class);
    for (PolicySlot slot : SLOTS) {
      boolean retention = slot == PolicySlot.RETENTION_DRAM || slot == PolicySlot.RETENTION_SSD;
      if (retention ? !chance.oneIn(4) : chance.oneIn(2)) {
        next.add(slot);
        if (!asked.contains(slot) || chance.oneIn(3)) {
          fresh.add(slot);
        }
      }
    }
    world.tally.fault(Fault.POLICIES_CHANGED);
    asked = next;
    checks.changed(next, fresh);
    world.send(new Event.Policies(next, fresh), null);
  }

  // ---- questions -------------------------------------------------------------------------------

  /** What the kernel has to say to policies. */
  void hear(Command.ToPolicies command) {
    Chance chance = new Chance(Mix.of(seed, 1, ++heard));
    switch (command) {
      case Command.ObservePages c -> observe(c, chance);
      case Command.AskScores c -> score(c, chance);
      case Command.AskAdmission c -> advice.admission(c, chance);
      case Command.AskReadPlan c -> advice.plan(c, chance);
      case Command.AskReadOn c -> advice.step(c, chance);
      case Command.AskLookahead c -> advice.lookahead(c, chance);
      case Command.AskWarming c -> advice.warming(c, chance);
    }
  }

  /** Answers to questions other than those about retention. */
  AdviceActor advice() {
    return advice;
  }

  /** After the kernel's step. */
  void after(Event event, KernelStatus former) {
    checks.after(event, former);
  }

  /** When an answer comes: mostly soon. */
  private long delay(Chance chance) {
    return chance.oneIn(8) ? chance.below(1_000) * MILLI : chance.below(2 * MILLI);
  }

  // ---- retention -------------------------------------------------------------------------------

  private void observe(Command.ObservePages told, Chance chance) {
    PageColumns columns = told.events();
    checks.observed(told.slot(), columns);
    if (chance.oneIn(4)) {
      mark(columns, chance);
    }
    if (chance.oneIn(80)) {
      world.tally.fault(Fault.POLICY_STUCK); // It keeps what it was told.
    } else if (chance.oneIn(8)) {
      world.later(delay(chance), columns::recycle);
    } else {
      columns.recycle();
    }
  }

  private void score(Command.AskScores question, Chance chance) {
    PageColumns columns = question.candidates();
    checks.asked(question);
    if (chance.oneIn(10)) {
      world.tally.fault(Fault.POLICY_LATE);
      long late = 1_000 * MILLI;
      world.later(late, () -> answer(question, true));
      return;
    }
    if (chance.oneIn(4)) {
      mark(columns, chance);
    }
    boolean nonsense = chance.oneIn(3);
    if (nonsense) {
      world.tally.fault(Fault.POLICY_NONSENSE);
    }
    for (int i = 0; i < columns.size(); i++) {
      columns.scores()[i] =
          nonsense
              ? nonsense(chance)
              : columns.lastUseNanos(i) + 1_000 * MILLI * columns.uses(i) - columns.depth(i);
    }
    world.later(delay(chance), () -> answer(question, false));
  }

  private static long nonsense(Chance chance) {
    return switch (chance.below(4)) {
      case 0 -> Long.MIN_VALUE;
      case 1 -> Long.MAX_VALUE;
      case 2 -> 0;
      default -> chance.any();
    };
  }

  private void answer(Command.AskScores question, boolean byDefault) {
    checks.answered(question, byDefault);
    world.send(new Event.ScoresAdvice(question.ticket(), question.candidates(), byDefault), null);
  }

  private static void mark(PageColumns columns, Chance chance) {
    for (int i = 0; i < columns.size(); i++) {
      if (chance.oneIn(3)) {
        columns.setMark(i, chance.any());
      }
    }
  }
}
