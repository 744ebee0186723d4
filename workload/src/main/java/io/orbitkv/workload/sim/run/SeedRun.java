package io.orbitkv.workload.sim.run;

import io.orbitkv.kernel.Event;
import io.orbitkv.workload.sim.hardware.Chance;
import io.orbitkv.workload.sim.hardware.Checks;
import io.orbitkv.workload.sim.rule.Fault;
import io.orbitkv.workload.sim.rule.Scenario;
import java.util.Iterator;

/** One run from its first session to its drained end. */
final class SeedRun {
  final World world;
  private final SessionActor sessions;
  private final QueryActor queries;
  private final CopyActor copies;
  private final SpeculationActor speculation;
  private final Ending ending;

  SeedRun(long seed, Scenario scenario, Checks checks) {
    world = new World(seed, scenario, checks);
    Hands hands = new Hands(world);
    sessions = new SessionActor(world, hands);
    queries = new QueryActor(world, hands);
    copies = new CopyActor(world, hands);
    speculation = new SpeculationActor(world, hands, queries);
    ending = new Ending(world, hands);
  }

  /** Runs until the kernel took so many steps or the actions are at their end; then drains it. */
  void run(Iterator<Action> actions, long steps) {
    while (world.steps < steps && actions.hasNext()) {
      Action action = actions.next();
      deliverUntil(action.atNanos(), steps);
      if (world.steps < steps) {
        world.nowNanos = Math.max(world.nowNanos, action.atNanos());
        perform(action);
      }
    }
    ending.drain();
  }

  private void deliverUntil(long nanos, long steps) {
    while (world.steps < steps && world.deliverNext(nanos)) {
      // Each delivery is a step or schedules one.
    }
  }

  private void perform(Action action) {
    Chance chance = new Chance(action.seed());
    switch (action.kind()) {
      case START_ENGINE -> sessions.start(chance);
      case OPEN_SESSION -> sessions.openOne();
      case CRASH -> sessions.crash(chance);
      case UNREGISTER -> sessions.unregister(chance);
      case ODD_REGISTER -> sessions.oddRegister(chance);
      case CONTROL -> sessions.control(chance);
      case QUERY -> queries.query(chance);
      case RESUBMIT -> queries.resubmit(chance);
      case TAKE -> queries.take(chance);
      case ASK -> queries.ask(chance);
      case CANCEL -> queries.cancel(chance);
      case RELEASE -> copies.release(chance);
      case RESTORE -> copies.restore(chance);
      case RESTORE_ALL -> copies.restoreAll(chance);
      case PUBLISH -> copies.publish(chance);
      case PUBLISH_ALL -> copies.publishAll(chance);
      case COMMIT -> copies.commit(chance);
      case EVICT -> sessions.evict(chance);
      case PAUSE -> {
        world.tally.fault(Fault.PROCESS_PAUSED);
        world.nowNanos += ActionPlan.pauseNanos(action);
        world.send(new Event.Tick(), null);
      }
      case STRANGER -> sessions.stranger(chance);
      case DUPLICATE -> copies.duplicate(chance);
      case OLD_TICKET -> queries.oldTicket(chance);
      case LOSE_PAGE -> world.store.lose(chance);
      case REPEAT_NOTICE -> world.store.repeatNotice(chance);
      case LIMIT_WRITES -> world.store.limitWrites(chance);
      case PREPARE -> speculation.prepare(chance);
      case CLAIM -> speculation.claim(chance);
      case WARM -> speculation.warm(chance);
      case DISCOVER -> speculation.discover(chance);
      case RANKS_ASK -> speculation.ranksAsk(chance);
      case REPORT_QUEUE -> speculation.report(chance);
      case MATCH_QUEUE -> speculation.match(chance);
      case ADVISE -> speculation.advise(chance);
      case CHANGE_POLICIES -> world.policies.change(chance);
    }
  }
}
