package io.orbitkv.workload.sim.run;

import io.orbitkv.api.backing.BackingStatus;
import io.orbitkv.api.backing.HostRun;
import io.orbitkv.kernel.Event;
import io.orbitkv.kernel.KernelCounter;
import io.orbitkv.kernel.KernelStatus;
import io.orbitkv.workload.sim.rule.Invariant;
import io.orbitkv.workload.sim.run.LeaseModel.Standing;
import java.util.List;
import java.util.Map;

/** Cheap checks after every step: memory, budgets, time and counters. */
@SuppressWarnings("EnumOrdinal") // Counters in arrays: they are bumped several times a step.
final class StepChecks {
  private final World world;
  private final Model model;
  private final long capacityBytes;

  StepChecks(World world) {
    this.world = world;
    this.model = world.model;
    this.capacityBytes = world.arena.usage().capacityBytes();
  }

  void check(Event event) {
    KernelStatus status = world.status;
    memory(status);
    budget(status, event);
    waiting(status);
    if (event instanceof Event.Tick) {
      inTime();
    }
    if (event instanceof Event.CopyCompleted) {
      copiesAnswered();
    }
    counters(status);
    questions(status);
    if (world.scenario.backing()) {
      store(status);
    }
  }

  private void memory(KernelStatus status) {
    long used = world.arena.usedBytes();
    boolean adds =
        status.leakedBytes() == 0
            && status.memory().allocatedBytes() == used
            && used + status.memory().freeBytes() == status.memory().activeBytes()
            && status.memory().activeBytes() <= capacityBytes;
    world.require(Invariant.ARENA_CONSERVED, adds, "states and arenas differ", status);
  }

  // ---- budgets ---------------------------------------------------------------------------------

  private void budget(KernelStatus status, Event event) {
    long copying = 0;
    long certain = 0;
    int open = 0;
    long possible = 0;
    for (LeaseModel lease : model.holding.values()) {
      long bytes = lease.bytes();
      possible += bytes;
      copying += lease.copies > 0 ? bytes : 0;
      open += lease.copies > 0 || lease.standing == Standing.OPEN ? 1 : 0;
      certain += lease.copies > 0 || lease.standing == Standing.OPEN ? bytes : 0;
    }
    long reserved = status.reservedBytes();
    long inFlight = 0;
    for (ReadModel read : model.reading.values()) {
      for (HostRun run : read.read.runs()) {
        inFlight += run.runBytes();
      }
    }
    long draining = copying + inFlight;
    long atLeast = certain + inFlight;
    long atMost = possible + interested() + status.speculativeBytes();
    world.require(
        Invariant.TOTAL_BUDGET,
        reserved <= world.settings.budget().totalBytes() && reserved >= 0,
        "reserved beyond the limit after " + event.getClass().getSimpleName(),
        reserved);
    world.require(
        Invariant.SPECULATIVE_QUARTER,
        status.speculativeBytes() <= world.settings.budget().speculativeTotalBytes()
            && status.speculativeBytes() >= 0,
        "speculation beyond its quarter",
        status.speculativeBytes());
    world.require(
        Invariant.LEASE_HONOURED,
        status.leases() >= open || reserved < draining,
        "open leases and copies are [" + open + "], the kernel has",
        status.leases());
    world.require(
        Invariant.DRAINING_KEEPS_BYTES,
        reserved >= draining,
        "copies and reads hold [" + draining + "] bytes, reserved are",
        reserved);
    world.suspect(
        Invariant.BUDGET_BY_OWNER,
        reserved >= atLeast && reserved <= atMost,
        "owners hold [" + atLeast + "] to [" + atMost + "] bytes, reserved are [" + reserved + "]",
        model.holding.values());
    for (InstanceModel instance : model.instances.values()) {
      if (!instance.retired) {
        instanceBudget(instance.handle);
      }
    }
  }

  /** What queries without an answer, and those whose reads drain, may be charged. */
  private long interested() {
    long bytes = 0;
    for (Op op : model.undecided.values()) {
      bytes += op.bytes();
    }
    for (Op op : model.lingering) {
      for (int place = 0; place < op.names.length; place++) {
        bytes += model.reading.containsKey(op.page(place)) ? op.shape.pageBytes() : 0;
      }
    }
    return bytes;
  }

  private void instanceBudget(int handle) {
    long bytes = 0;
    for (LeaseModel lease : model.holding.values()) {
      boolean holds = lease.copies > 0 || lease.standing == Standing.OPEN;
      bytes += holds && lease.instance == handle ? lease.bytes() : 0;
    }
    world.require(
        Invariant.INSTANCE_BUDGET,
        bytes <= world.settings.budget().instanceBytes(),
        "leases of instance [" + handle + "] have",
        bytes);
  }

  // ---- time ------------------------------------------------------------------------------------

  private void waiting(KernelStatus status) {
    boolean held =
        status.leases() > 0
            || !model.running.isEmpty()
            || !model.reading.isEmpty()
            || status.speculativeBytes() > 0
            || world.policies.advice().readQuestions() > 0;
    world.checks.require(
        Invariant.NO_WAIT_CYCLE,
        held || noneWaits(),
        () -> "nothing is held, and there wait: " + model.undecided.keySet());
  }

  private boolean noneWaits() {
    for (Op op : model.undecided.values()) {
      if (!op.prepared && !AnswerChecks.shared(op)) {
        return false;
      }
    }
    return true;
  }

  private void inTime() {
    for (Op op : model.undecided.values()) {
      world.require(
          Invariant.ENDS_IN_TIME,
          world.deadlineNanos(op) - world.nowNanos > 0,
          "not answered within its lifetime",
          op);
    }
  }

  private void copiesAnswered() {
    Op op = world.lastCompleted;
    if (op != null && op.client.alive && op.running == 0) {
      world.require(
          Invariant.ENDS_IN_TIME, op.end != null, "not answered although its copy ended", op);
    }
  }

  // ---- counters --------------------------------------------------------------------------------

  private void counters(KernelStatus status) {
    long open =
        sum(status, List.of(KernelCounter.QUERIES))
            - sum(
                status,
                List.of(
                    KernelCounter.QUERY_HITS,
                    KernelCounter.QUERY_PARTIAL_HITS,
                    KernelCounter.QUERY_MISSES,
                    KernelCounter.QUERIES_CANCELLED,
                    KernelCounter.QUERIES_EXPIRED));
    boolean each = !world.scenario.speculation();
    world.require(
        Invariant.COUNTERS_ADD_UP,
        each ? open == model.undecided.size() : open >= 0 && open <= mostOpen(),
        "queries without an end are [" + model.undecided.size() + "], counted are",
        open);
    long preparing =
        sum(status, List.of(KernelCounter.PREPARATIONS))
            - sum(
                status,
                List.of(
                    KernelCounter.PREPARATIONS_CLAIMED,
                    KernelCounter.PREPARATIONS_EXPIRED,
                    KernelCounter.PREPARATIONS_GIVEN_UP));
    world.require(
        Invariant.COUNTERS_ADD_UP, preparing >= 0, "preparations ended more than once", preparing);
    long restores =
        sum(status, List.of(KernelCounter.RESTORES))
            - sum(
                status,
                List.of(
                    KernelCounter.RESTORES_DONE,
                    KernelCounter.RESTORE_MISSES,
                    KernelCounter.RESTORE_FAILURES));
    world.require(
        Invariant.COUNTERS_ADD_UP, restores >= 0, "restores ended more than once", restores);
    world.require(
        Invariant.FAILURES_COUNTED,
        Effects.counter(status, KernelCounter.RESTORE_FAILURES) == world.failedRestores,
        "restores failed [" + world.failedRestores + "] times, counted are",
        Effects.counter(status, KernelCounter.RESTORE_FAILURES));
  }

  /** Each question is answered once, and whoever waits for an answer waits for one that comes. */
  private void questions(KernelStatus status) {
    AdviceActor advice = world.policies.advice();
    long open =
        sum(status, List.of(KernelCounter.ADMISSION_QUESTIONS))
            - sum(
                status,
                List.of(
                    KernelCounter.ADMISSIONS,
                    KernelCounter.ADMISSIONS_PUT_OFF,
                    KernelCounter.ADMISSIONS_DROPPED));
    world.require(
        Invariant.COUNTERS_ADD_UP,
        open == advice.admissionQuestions(),
        "questions about admission are [" + advice.admissionQuestions() + "], counted are",
        open);
    world.require(
        Invariant.ENDS_IN_TIME,
        model.inQuestion.isEmpty() || advice.publishQuestions() > 0,
        "publishes wait though nobody is asked",
        model.inQuestion);
  }

  private int mostOpen() {
    return model.undecided.size();
  }

  private void store(KernelStatus status) {
    Store store = world.store;
    counted(status, KernelCounter.READ_DONE_PAGES, store.readReports, BackingStatus.DONE);
    counted(status, KernelCounter.READ_ABSENT_PAGES, store.readReports, BackingStatus.ABSENT);
    counted(status, KernelCounter.READ_CORRUPT_PAGES, store.readReports, BackingStatus.CORRUPT);
    counted(
        status,
        KernelCounter.READ_FAILED_PAGES,
        store.readReports,
        BackingStatus.SHORT,
        BackingStatus.DEVICE_ERROR,
        BackingStatus.UNKNOWN);
    counted(status, KernelCounter.WRITTEN_PAGES, store.writeReports, BackingStatus.DONE);
    counted(status, KernelCounter.WRITE_STORE_FULL_PAGES, store.writeReports, BackingStatus.FULL);
    counted(
        status,
        KernelCounter.WRITE_FAILED_PAGES,
        store.writeReports,
        BackingStatus.DEVICE_ERROR,
        BackingStatus.UNKNOWN);
    long reading =
        sum(status, List.of(KernelCounter.READ_PAGES))
            - sum(
                status,
                List.of(
                    KernelCounter.READ_DONE_PAGES,
                    KernelCounter.READ_ABSENT_PAGES,
                    KernelCounter.READ_CORRUPT_PAGES,
                    KernelCounter.READ_FAILED_PAGES));
    world.require(
        Invariant.COUNTERS_ADD_UP,
        reading == store.reading() && status.reads() == reading,
        "reads in flight are [" + store.reading() + "], counted are",
        reading);
    long offered = sum(status, List.of(KernelCounter.WRITE_OFFERED_PAGES));
    long settled =
        sum(
            status,
            List.of(
                KernelCounter.WRITTEN_PAGES,
                KernelCounter.WRITE_DUPLICATE_PAGES,
                KernelCounter.WRITE_REFUSED_PAGES,
                KernelCounter.WRITE_PUT_OFF_PAGES,
                KernelCounter.WRITE_BEHIND_GAP_PAGES,
                KernelCounter.WRITE_QUEUE_FULL_PAGES,
                KernelCounter.WRITE_BUDGET_PAGES,
                KernelCounter.WRITE_EVICTED_PAGES,
                KernelCounter.WRITE_STORE_FULL_PAGES,
                KernelCounter.WRITE_FAILED_PAGES));
    world.require(
        Invariant.WRITES_ACCOUNTED,
        offered == settled + status.queuedWrites() + status.writes(),
        "offered, settled, queued and in flight: "
            + List.of(offered, settled, status.queuedWrites(), status.writes()),
        "pages");
    long ahead = sum(status, List.of(KernelCounter.SPECULATED_BYTES));
    long used =
        sum(
            status,
            List.of(
                KernelCounter.SPECULATED_RESTORED_BYTES, KernelCounter.SPECULATED_UNUSED_BYTES));
    world.require(
        Invariant.USEFULNESS_ACCOUNTED,
        ahead == used + status.speculatedBytes() && status.speculatedBytes() >= 0,
        "read ahead [" + ahead + "] bytes; restored, unused and pending are",
        used + status.speculatedBytes());
  }

  private void counted(
      KernelStatus status,
      KernelCounter counter,
      Map<BackingStatus, Long> reports,
      BackingStatus... kinds) {
    long reported = 0;
    for (BackingStatus kind : kinds) {
      reported += reports.getOrDefault(kind, 0L);
    }
    long counted = Effects.counter(status, counter);
    long wanted = reported;
    world.checks.require(
        Invariant.FAILURES_COUNTED,
        counted == wanted,
        () -> counter + " counts [" + counted + "], reported were [" + wanted + "]");
  }

  static long sum(KernelStatus status, List<KernelCounter> which) {
    long sum = 0;
    for (KernelCounter counter : which) {
      sum += Effects.counter(status, counter);
    }
    return sum;
  }
}
