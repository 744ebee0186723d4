package io.orbitkv.kernel;

import io.orbitkv.api.lease.LeaseId;
import io.orbitkv.api.query.AnswerState;
import io.orbitkv.kernel.DriverModel.Client;
import io.orbitkv.kernel.DriverModel.Kind;
import io.orbitkv.kernel.DriverModel.Operation;
import io.orbitkv.kernel.machine.Kernel;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the seeded driver holds the kernel's commands to. */
final class DriverChecks {
  private static final long OFFER_NANOS = 5_000_000_000L;

  private final DriverModel model;
  private final Kernel kernel;
  private final Set<Long> refusable = new HashSet<>();
  private final Set<String> shares = new HashSet<>();
  private long revoked;

  DriverChecks(DriverModel model, Kernel kernel) {
    this.model = model;
    this.kernel = kernel;
  }

  /** The client of a command: it must be connected. */
  Client live(long session) {
    Client client = model.clients.get(session);
    if (client == null || !client.alive) {
      throw new AssertionError("a command for the session [" + session + "], which is gone");
    }
    return client;
  }

  /** The one reply to a control request. */
  void control(Client client, long operation) {
    require(client.controls.remove(operation), "a second reply to the control request", operation);
  }

  /** A rank restores a lease: at most once. */
  void share(@Nullable LeaseId lease, int rank) {
    require(shares.add(lease + " " + rank), "a rank restores a lease twice", lease + " " + rank);
  }

  void mayBeRefused(long operation) {
    refusable.add(operation);
  }

  void refused(Command.Refused refused) {
    Client client = live(refused.session());
    require(!refused.message().isEmpty(), "a refusal without a reason", refused);
    if (client.controls.remove(refused.operation()) || refusable.contains(refused.operation())) {
      return;
    }
    Operation operation = client.operations.get(refused.operation());
    require(operation != null, "a refusal of what was never asked", refused);
    if (operation != null && operation.end == null && operation.kind != Kind.QUERY) {
      // Refused at the door: only then may a copy never have been accepted.
      operation.accepted = operation.accepted && pending(operation);
    } else if (operation != null && operation.end == null && !pending(operation)) {
      operation.accepted = false;
    }
  }

  private boolean pending(Operation operation) {
    return model.running.values().stream().anyMatch(running -> running.operation() == operation)
        || (operation.record != Event.NO_RECORD
            && operation.client.records.get(operation.record) == operation)
        || operation.loading;
  }

  void answer(Command.Answer answer, Event event, long nowNanos) {
    Client client = live(answer.session());
    Operation operation = client.operations.get(answer.operation());
    if (operation == null) {
      throw new AssertionError("an answer to what was never asked: " + answer);
    }
    if (event instanceof Event.Ask ask && ask.operation() == operation.id) {
      require(answer.record() == Event.NO_RECORD, "an asked answer on the board", answer);
      require(
          answer.state() == (operation.end == null ? AnswerState.LOADING : operation.end),
          "another state",
          answer);
      return;
    }
    require(answer.record() == operation.record, "an answer on another record", answer);
    if (operation.kind == Kind.QUERY) {
      require(answer.revision() == operation.revision, "an answer of another revision", answer);
    }
    if (event instanceof Event.Submit submit
        && submit.equals(operation.submit)
        && (operation.end != null || operation.loading)) {
      boolean same =
          operation.end == null
              ? answer.state() == AnswerState.LOADING
              : operation.end == answer.state() || operation.end == AnswerState.BUSY;
      require(same, "a repeated question has another answer", answer);
      if (operation.end != AnswerState.BUSY) {
        return;
      }
      operation.end = null;
    }
    require(operation.end == null, "a second answer", answer);
    takeRecord(operation, answer, nowNanos);
    if (!answer.state().terminal()) {
      operation.loading = true;
      return;
    }
    operation.end = answer.state();
    operation.answeredNanos = nowNanos;
    switch (answer.state()) {
      case READY -> {
        require(!answer.lease().isNone() && answer.hits() > 0, "an offer of nothing", answer);
        require(answer.hits() <= operation.names.length, "more pages than asked", answer);
        operation.lease = answer.lease();
        DriverModel.Lease lease =
            new DriverModel.Lease(
                answer.lease(), operation, Arrays.copyOf(operation.names, answer.hits()));
        require(model.leasesById.put(lease.id(), lease) == null, "a lease id used twice", answer);
        model.leases.add(lease);
      }
      case MISS, BUSY, CANCELLED, RESTORED, PUBLISHED, FAILED ->
          require(answer.lease().isNone(), "a lease with " + answer.state(), answer);
      case LOADING, PREPARED, WARMED, REFUSED, SUBMITTED -> throw new AssertionError(answer);
    }
  }

  private void takeRecord(Operation operation, Command.Answer answer, long nowNanos) {
    if (answer.record() == Event.NO_RECORD) {
      return;
    }
    Map<Integer, @Nullable Operation> records = operation.client.records;
    Operation owner = records.get(answer.record());
    if (owner != null && owner != operation && owner.id != operation.id) {
      boolean free =
          owner.acknowledged
              || (owner.end != null && owner.lease == null)
              || nowNanos - owner.answeredNanos >= OFFER_NANOS
              || kernelRevoked()
              || !instanceLives(owner.instance);
      require(free, "a record is written that still holds the offer of " + owner, answer);
    }
    records.put(answer.record(), operation);
  }

  private boolean kernelRevoked() {
    // A revoked offer frees its record without a word; then the model cannot tell which one.
    Long now = kernel.status().counters().get(KernelCounter.LEASES_REVOKED.key());
    if (now != null && now != revoked) {
      revoked = now;
      everRevoked = true;
    }
    return everRevoked;
  }

  private boolean everRevoked;

  /** Whether all ranks of a generation are connected, as far as the clients know. */
  boolean instanceLives(int handle) {
    DriverModel.Instance instance = model.instances.get(handle);
    if (instance == null) {
      return false;
    }
    long workers =
        model.alive.stream().filter(client -> client.ranks.containsKey(instance.handle())).count();
    return workers == instance.worldSize();
  }

  /** Whether a record seems to be in use. */
  boolean busy(Client client, int record) {
    Operation owner = client.records.get(record);
    return owner != null && !owner.acknowledged && (owner.end == null || owner.lease != null);
  }

  void supersede(Operation former, Operation next) {
    former.client.operations.put(next.id, next);
  }

  /** A refused revision leaves the former one as it was. */
  void restoreIfRefused(Operation former, Operation next, List<Command> commands) {
    for (Command command : commands) {
      if (command instanceof Command.Refused refused && refused.operation() == next.id) {
        former.client.operations.put(former.id, former);
        former.accepted = true;
      }
    }
  }

  /** After the drain: each accepted operation of a connected client was answered. */
  void allAnswered() {
    for (Client client : model.alive) {
      for (Operation operation : client.operations.values()) {
        if (operation.accepted) {
          require(operation.end != null, "never answered", operation);
        }
      }
      require(client.controls.isEmpty(), "control requests without a reply", client.controls);
    }
  }

  /**
   * After the drain and a last eviction: nothing is left but quarantine, and the counters add up.
   */
  void atZero(FakeMemoryTier memory) {
    KernelStatus status = kernel.status();
    require(status.reservedBytes() == 0, "bytes reserved at the end", status);
    require(status.speculativeBytes() == 0, "speculative bytes at the end", status);
    require(
        status.reservedByPhase().values().stream().allMatch(b -> b == 0),
        "a phase holds bytes",
        status);
    require(
        status.operations() == 0 && status.leases() == 0 && status.copies() == 0,
        "work at the end",
        status);
    require(
        status.unsealedPages() == 0 && status.orphanBytes() == 0, "unsealed at the end", status);
    require(status.residentPages() == 0, "referenced at the end", status);
    require(status.quarantinedBytes() == memory.usage().allocatedBytes(), "leaked", status);
    require(status.instances() == 0, "instances at the end", status);
    Sums sums = new Sums(status.counters());
    sums.equal(
        List.of(KernelCounter.QUERIES),
        List.of(
            KernelCounter.QUERY_HITS,
            KernelCounter.QUERY_PARTIAL_HITS,
            KernelCounter.QUERY_MISSES,
            KernelCounter.QUERIES_CANCELLED,
            KernelCounter.QUERIES_EXPIRED));
    sums.equal(
        List.of(KernelCounter.QUERY_PAGES),
        List.of(
            KernelCounter.QUERY_HIT_PAGES,
            KernelCounter.QUERY_MISSED_PAGES,
            KernelCounter.QUERY_CANCELLED_PAGES));
    sums.equal(
        List.of(KernelCounter.RESTORES),
        List.of(
            KernelCounter.RESTORES_DONE,
            KernelCounter.RESTORE_MISSES,
            KernelCounter.RESTORE_FAILURES));
    sums.equal(
        List.of(KernelCounter.PUBLISH_OFFERED_PAGES),
        List.of(
            KernelCounter.PUBLISH_STORED_PAGES,
            KernelCounter.PUBLISH_RESIDENT_PAGES,
            KernelCounter.PUBLISH_DROPPED_PAGES,
            KernelCounter.PUBLISH_REFUSED_PAGES,
            KernelCounter.PUBLISH_DISCARDED_PAGES));
  }

  private record Sums(Map<String, Long> counters) {
    void equal(List<KernelCounter> whole, List<KernelCounter> parts) {
      require(sum(whole) == sum(parts), whole + " is not the sum of " + parts, counters);
    }

    private long sum(List<KernelCounter> which) {
      return which.stream().mapToLong(counter -> counters.getOrDefault(counter.key(), 0L)).sum();
    }
  }

  private static void require(boolean holds, String what, Object subject) {
    if (!holds) {
      throw new AssertionError(what + ": " + subject);
    }
  }
}
