package io.orbitkv.ssd.sim.run;

import io.orbitkv.ssd.sim.disk.Chance;
import io.orbitkv.ssd.sim.rule.Fault;
import java.util.EnumMap;
import java.util.Map;

/** How often the device does what wrong: once in so many times. */
final class FaultPlan {
  private final Map<Fault, Integer> oneIn = new EnumMap<>(Fault.class);
  private final Map<Fault, Long> injected;
  private boolean lied;
  private boolean failed;

  private FaultPlan(Map<Fault, Long> injected) {
    this.injected = injected;
  }

  /** A device that fails never and lies never. */
  static FaultPlan none(Map<Fault, Long> injected) {
    return new FaultPlan(injected);
  }

  /** One that fails now and then and says so. */
  static FaultPlan failing(Chance chance, Map<Fault, Long> injected) {
    FaultPlan plan = new FaultPlan(injected);
    plan.perhaps(Fault.READ_ERROR, 30, chance);
    plan.perhaps(Fault.WRITE_ERROR, 40, chance);
    plan.perhaps(Fault.NO_SPACE, 60, chance);
    plan.perhaps(Fault.SYNC_ERROR, 30, chance);
    plan.perhaps(Fault.SHORT_READ, 30, chance);
    plan.perhaps(Fault.UNKNOWN_OUTCOME, 200, chance);
    plan.perhaps(Fault.STALL, 60, chance);
    plan.perhaps(Fault.OPEN_ERROR, 100, chance);
    return plan;
  }

  /** One that says that all is well when it is not, and fails too. */
  static FaultPlan lying(Chance chance, Map<Fault, Long> injected) {
    FaultPlan plan = chance.oneIn(3) ? failing(chance, injected) : new FaultPlan(injected);
    plan.perhaps(Fault.LOST_WRITE, 15, chance);
    plan.perhaps(Fault.MISDIRECTED_WRITE, 40, chance);
    plan.perhaps(Fault.LYING_SYNC, 3, chance);
    plan.perhaps(Fault.BIT_FLIP, 6, chance);
    return plan;
  }

  private void perhaps(Fault fault, int about, Chance chance) {
    if (chance.percent(60)) {
      oneIn.put(fault, about / 2 + chance.below(about) + 1);
    }
  }

  /** Whether it happens this time; counted when it does. */
  boolean strikes(Fault fault, Chance chance) {
    if (!chance.oneIn(oneIn.getOrDefault(fault, 0))) {
      return false;
    }
    count(fault);
    return true;
  }

  void count(Fault fault) {
    injected.merge(fault, 1L, Long::sum);
    switch (fault) {
      case READ_ERROR, WRITE_ERROR, NO_SPACE, SYNC_ERROR, SHORT_READ, UNKNOWN_OUTCOME, OPEN_ERROR ->
          failed = true;
      case LOST_WRITE, MISDIRECTED_WRITE, LYING_SYNC, BIT_FLIP -> lied = true;
      case STALL, TORN_WRITE, UNFLUSHED_LOST, REORDERED -> {}
    }
  }

  /** Whether the device has ever said that all is well when it was not. */
  boolean lied() {
    return lied;
  }

  /** What another device has done was done to this one, of which it is a copy. */
  void inherit(FaultPlan other) {
    lied = other.lied;
  }

  /** Whether it has failed since the store was opened. */
  boolean failed() {
    return failed;
  }

  /** A new store knows nothing of former failures. */
  void opened() {
    failed = false;
  }

  /** Whether it can lie. */
  boolean lies() {
    return oneIn.keySet().stream().anyMatch(Fault::lie);
  }
}
