package io.orbitkv.workload.sim.run;

import io.orbitkv.workload.sim.Scenario;

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
  EVICT(3),
  PAUSE(4),
  STRANGER(12),
  DUPLICATE(20),
  OLD_TICKET(15);

  private final int weight;

  ActionKind(int weight) {
    this.weight = weight;
  }

  int weight(Scenario scenario) {
    return weight;
  }
}
