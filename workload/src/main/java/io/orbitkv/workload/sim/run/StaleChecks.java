package io.orbitkv.workload.sim.run;

import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.Event;
import io.orbitkv.kernel.KernelCounter;
import io.orbitkv.kernel.KernelStatus;
import io.orbitkv.workload.sim.hardware.Mix;
import io.orbitkv.workload.sim.rule.Invariant;
import io.orbitkv.workload.sim.run.LeaseModel.Standing;
import java.util.List;

/** Checks that messages of former sessions, ids, revisions and leases change nothing. */
final class StaleChecks {
  private final World world;
  private Verdict verdict = Verdict.FRESH;

  private enum Verdict {
    /** Anything may follow. */
    FRESH,
    /** Nothing at all follows. */
    IGNORED,
    /** At most a refusal follows. */
    REFUSED,
    /** A refusal or a miss follows. */
    MISSED,
    /** A reply follows, and nothing is changed. */
    ASKED
  }

  StaleChecks(World world) {
    this.world = world;
  }

  /** Before the kernel's step. */
  void before(Event event) {
    verdict = judge(event);
  }

  private Verdict judge(Event event) {
    long session = EventNames.session(event);
    if (session == EventNames.NOBODY || event instanceof Event.SessionOpened) {
      return Verdict.FRESH;
    }
    Client client = world.model.clients.get(session);
    if (client == null || !client.alive) {
      return Verdict.IGNORED;
    }
    return switch (event) {
      case Event.Submit e -> {
        Op op = client.operations.get(e.operation());
        boolean open = op != null && op.kind == Op.Kind.QUERY && !ended(op);
        yield open && op != null && e.revision() >= op.revision
            ? Verdict.FRESH
            : used(client, e.operation()) ? Verdict.REFUSED : Verdict.FRESH;
      }
      case Event.Publish e -> used(client, e.operation()) ? Verdict.REFUSED : Verdict.FRESH;
      case Event.Restore e -> {
        LeaseModel lease = world.model.leasesById.get(e.lease());
        yield used(client, e.operation())
            ? Verdict.REFUSED
            : lease == null || lease.standing == Standing.CLOSED ? Verdict.MISSED : Verdict.FRESH;
      }
      case Event.Release e -> {
        LeaseModel lease = world.model.leasesById.get(e.lease());
        yield lease == null || lease.standing == Standing.CLOSED ? Verdict.REFUSED : Verdict.FRESH;
      }
      case Event.Taken e -> ticket(client, e.operation(), e.revision());
      case Event.Cancel e -> ticket(client, e.operation(), e.revision());
      case Event.Commit e ->
          client.operations.get(e.operation()) == null ? Verdict.REFUSED : Verdict.FRESH;
      case Event.StageWaited e -> {
        Op op = client.operations.get(e.operation());
        yield op == null || !op.told || op.waited ? Verdict.IGNORED : Verdict.FRESH;
      }
      case Event.Ask e -> Verdict.ASKED;
      default -> Verdict.FRESH;
    };
  }

  private static boolean used(Client client, long operation) {
    return operation <= client.lastAccepted || client.operations.get(operation) != null;
  }

  private static boolean ended(Op op) {
    return Effects.phase(op) == Phase.QUERY_ENDED;
  }

  private static Verdict ticket(Client client, long operation, int revision) {
    Op op = client.operations.get(operation);
    if (op == null) {
      return Verdict.REFUSED;
    }
    boolean stale = op.kind == Op.Kind.QUERY && (op.revision != revision || ended(op));
    return stale ? Verdict.REFUSED : Verdict.FRESH;
  }

  /** After the kernel's step. */
  void after(Event event, KernelStatus former, List<Command> commands) {
    Invariant invariant =
        verdict == Verdict.ASKED ? Invariant.ASK_CREATES_NOTHING : Invariant.STALE_WITHOUT_EFFECT;
    if (verdict == Verdict.FRESH) {
      return;
    }
    for (Command command : commands) {
      if (command instanceof Command.ToPolicies) {
        continue; // What was due in this step anyway.
      }
      boolean fits =
          switch (verdict) {
            case FRESH -> true;
            case IGNORED -> false;
            case REFUSED -> command instanceof Command.Refused;
            case MISSED, ASKED ->
                command instanceof Command.Refused || command instanceof Command.Answer;
          };
      world.require(invariant, fits, command.getClass().getSimpleName() + " after", event);
    }
    boolean unchanged = fingerprint(former) == fingerprint(world.status);
    world.require(invariant, unchanged, "something changed by", event);
  }

  private long fingerprint(KernelStatus status) {
    long hash = Mix.of(status.reservedBytes(), status.speculativeBytes(), status.residentPages());
    hash = Mix.add(Mix.add(hash, status.unsealedPages()), status.orphanBytes());
    hash = Mix.add(Mix.add(hash, status.quarantinedBytes()), status.memory().allocatedBytes());
    hash = Mix.add(Mix.add(hash, status.sessions()), status.instances());
    hash = Mix.add(Mix.add(hash, status.operations()), status.leases());
    hash = Mix.add(hash, status.copies());
    for (KernelCounter counter : KernelCounter.values()) {
      if (!excused(counter)) {
        hash = Mix.add(hash, Effects.counter(status, counter));
      }
    }
    return hash;
  }

  private boolean excused(KernelCounter counter) {
    return counter == KernelCounter.REFUSALS
        || counter == KernelCounter.RETENTION_QUESTIONS
        || counter == KernelCounter.ADOPTED_PAGES
        || (verdict == Verdict.MISSED
            && (counter == KernelCounter.RESTORES || counter == KernelCounter.RESTORE_MISSES));
  }
}
