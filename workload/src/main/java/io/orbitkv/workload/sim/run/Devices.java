package io.orbitkv.workload.sim.run;

import io.orbitkv.api.copy.CopyOutcome;
import io.orbitkv.api.copy.CopyPlan;
import io.orbitkv.api.copy.DeviceMemory;
import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.Event;
import io.orbitkv.workload.sim.hardware.Chance;
import io.orbitkv.workload.sim.hardware.Mix;
import io.orbitkv.workload.sim.rule.Fault;
import java.util.HashMap;
import java.util.Map;

/**
 * The device thread and the copiers: whatever is handed to them is reported once, in their time.
 */
final class Devices {
  private static final long MILLI = 1_000_000;
  private static final int MAX_UNKNOWN_OUTCOMES = 3;

  private final World world;
  private final long seed;
  private final Map<Long, Command.Registered> workers = new HashMap<>();
  private int unknownOutcomes;
  long opened;
  long closed;
  long stuck;

  Devices(World world, long seed) {
    this.world = world;
    this.seed = seed;
  }

  private Chance chance(int kind, long id) {
    return new Chance(Mix.of(seed, kind, id));
  }

  private long delay(Chance chance) {
    if (chance.oneIn(12)) {
      world.tally.fault(Fault.DEVICE_SLOW);
      return chance.below(3_000) * MILLI;
    }
    return chance.below(20) * MILLI;
  }

  void open(Command.OpenDevice open) {
    Chance chance = chance(1, open.registration());
    boolean fails = chance.oneIn(15);
    world.later(
        delay(chance),
        () -> {
          if (fails) {
            world.tally.fault(Fault.DEVICE_OPEN_FAILED);
            world.send(new Event.DeviceFailed(open.registration(), "no such memory"), null);
          } else {
            opened++;
            SimulatedDevice device = new SimulatedDevice(open.registration(), world.checks);
            world.send(new Event.DeviceOpened(open.registration(), device), null);
          }
        });
  }

  /** A worker is registered with a memory. */
  void registered(long registration, Command.Registered worker) {
    workers.put(registration, worker);
  }

  /** Whether a memory is that of an operation's worker. */
  boolean isOf(DeviceMemory memory, Op op) {
    Command.Registered worker = workers.get(((SimulatedDevice) memory).registration);
    return worker != null && worker.session() == op.client.id && worker.instance() == op.instance;
  }

  void close(Command.CloseDevice close) {
    // The mapping may go at once; the report comes later.
    close.memory().close();
    closed++;
    world.later(
        delay(chance(2, close.registration())),
        () -> world.send(new Event.DeviceClosed(close.registration()), null));
  }

  /** Before its end a staged plan is submitted as a whole, but for some that fail on the way. */
  private void submission(CopyPlan plan, long nanos, CopyOutcome outcome) {
    Chance chance = chance(4, plan.id());
    boolean whole = outcome instanceof CopyOutcome.Done || chance.oneIn(2);
    if (whole) {
      world.later(
          chance.below(1 + nanos / (1 + chance.below(8))), () -> world.submitted(plan.id()));
    }
  }

  /** A copy takes its time and ends as chance will have it. */
  void copy(CopyPlan plan) {
    Chance chance = chance(3, plan.id());
    long nanos = chance.below(40) * MILLI + chance.below(MILLI);
    if (chance.oneIn(15)) {
      world.tally.fault(Fault.COPY_SLOW);
      nanos = chance.below(5_000) * MILLI;
    }
    CopyOutcome outcome = new CopyOutcome.Done();
    int dice = chance.below(200);
    if (dice < 14) {
      outcome = new CopyOutcome.Failed("cable");
      world.tally.fault(Fault.COPY_FAILED);
    } else if (dice < 18 && unknownOutcomes < MAX_UNKNOWN_OUTCOMES) {
      unknownOutcomes++;
      outcome = new CopyOutcome.Unknown("context lost");
      world.tally.fault(Fault.COPY_UNKNOWN);
    }
    CopyOutcome end = outcome;
    if (plan.isStaged()) {
      submission(plan, nanos, outcome);
    }
    world.later(nanos, () -> world.completed(plan.id(), end));
  }
}
