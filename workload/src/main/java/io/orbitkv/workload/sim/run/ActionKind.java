package io.orbitkv.workload.sim.run;

import io.orbitkv.workload.sim.rule.Fault;
import io.orbitkv.workload.sim.rule.Scenario;

/** What clients, operators and chance do, and how often. */
enum ActionKind {
  START_ENGINE(40),
  OPEN_SESSION(6),
  CRASH(4),
  UNREGISTER(1),
  ODD_REGISTER(4),
  CONTROL(10),
  QUERY(150),
  RESUBMIT(50),
  TAKE(80),
  ASK(40),
  CANCEL(35),
  RELEASE(35),
  RESTORE(90),
  RESTORE_ALL(45),
  PUBLISH(50),
  PUBLISH_ALL(90),
  COMMIT(70),
  EVICT(8),
  PAUSE(4),
  STRANGER(12),
  DUPLICATE(20),
  OLD_TICKET(15),
  LOSE_PAGE(8, Fault.Part.BACKING),
  REPEAT_NOTICE(8, Fault.Part.BACKING),
  LIMIT_WRITES(8, Fault.Part.BACKING),
  PREPARE(70, Fault.Part.SPECULATION),
  CLAIM(90, Fault.Part.SPECULATION),
  WARM(15, Fault.Part.SPECULATION),
  DISCOVER(15, Fault.Part.SPECULATION),
  RANKS_ASK(45, Fault.Part.SPECULATION),
  REPORT_QUEUE(25, Fault.Part.SPECULATION),
  MATCH_QUEUE(35, Fault.Part.SPECULATION),
  ADVISE(60, Fault.Part.SPECULATION),
  CHANGE_POLICIES(6, Fault.Part.SPECULATION);

  private final int weight;
  private final Fault.Part part;

  ActionKind(int weight) {
    this(weight, Fault.Part.DENSE);
  }

  ActionKind(int weight, Fault.Part part) {
    this.weight = weight;
    this.part = part;
  }

  int weight(Scenario scenario) {
    return scenario.has(part) ? weight : 0;
  }
}
