package io.orbitkv.kernel.transfer;

import io.orbitkv.api.copy.CopyOutcome;
import io.orbitkv.api.copy.CopyPlan;
import io.orbitkv.api.lease.LeaseId;
import io.orbitkv.api.page.SlotLayout;
import io.orbitkv.api.query.AnswerState;
import io.orbitkv.api.query.ErrorCode;
import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.Event;
import io.orbitkv.kernel.KernelCounter;
import io.orbitkv.kernel.instance.Registration;
import io.orbitkv.kernel.lease.Lease;
import io.orbitkv.kernel.operation.Queries;
import io.orbitkv.kernel.operation.Replies;
import io.orbitkv.kernel.operation.RestoreOperation;
import io.orbitkv.kernel.operation.Session;
import io.orbitkv.kernel.partition.Partition;
import io.orbitkv.kernel.residency.Residency;
import io.orbitkv.kernel.step.Step;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/** Copies of leased pages into device memory. Dispatcher. */
public final class Restores {
  private final Step step;
  private final Replies replies;
  private final Partition partition;
  private final Queries queries;
  private final Plans plans;
  private final BitSet destinations = new BitSet();
  private int running;

  /** Works on one partition. */
  public Restores(Step step, Replies replies, Partition partition, Queries queries, Plans plans) {
    this.step = step;
    this.replies = replies;
    this.partition = partition;
    this.queries = queries;
    this.plans = plans;
  }

  /**
   * A rank wants its share. Everything is checked before anything is consumed.
   *
   * @param worker the rank of this session in the instance, or null
   */
  public void restore(Session session, Event.Restore restore, @Nullable Registration worker) {
    if (session.operations().get(restore.operation()) != null
        || restore.operation() <= session.lastOperation()) {
      refuse(session, restore, ErrorCode.STALE_OPERATION, "was used already: ids only grow");
      return;
    }
    Lease lease = partition.leases().find(restore.lease());
    String record = session.recordProblem(restore.record(), restore.operation());
    if (record != null && !acknowledgesRecord(session, restore, lease)) {
      refuse(session, restore, ErrorCode.INVALID, record);
      return;
    }
    if (step.draining()) {
      // Draining closed all leases; a restore of one is a miss as it is for any closed lease.
      accept(session, restore);
      answer(session, restore, AnswerState.MISS, 0);
      step.count(KernelCounter.RESTORE_MISSES);
      return;
    }
    if (worker == null) {
      refuse(
          session,
          restore,
          ErrorCode.NOT_OWNER,
          "this connection registered no rank of the instance");
      return;
    }
    if (lease != null && lease.instance() != worker.instance()) {
      refuse(session, restore, ErrorCode.NOT_OWNER, "the lease belongs to another instance");
      return;
    }
    if (session.restores() >= step.settings().sessionCopies()) {
      refuse(
          session, restore, ErrorCode.LIMIT, "[" + session.restores() + "] restores run already");
      return;
    }
    if (restore.devicePages().length == 0
        || restore.devicePages().length > step.settings().maxQueryPages()) {
      refuse(
          session,
          restore,
          ErrorCode.INVALID,
          "["
              + restore.devicePages().length
              + "] destinations: must be 1.."
              + step.settings().maxQueryPages());
      return;
    }
    if (lease == null || worker.instance().retired() || !lease.hasShare(worker.rank())) {
      accept(session, restore);
      step.count(KernelCounter.RESTORE_MISSES);
      answer(session, restore, AnswerState.MISS, 0);
      return;
    }
    String problem = problem(restore, lease, worker.slot(lease.group()));
    if (problem != null) {
      refuse(session, restore, ErrorCode.INVALID, problem);
      return;
    }
    submit(session, restore, worker, lease);
  }

  private void submit(Session session, Event.Restore restore, Registration worker, Lease lease) {
    queries.acknowledge(lease);
    accept(session, restore);
    int[] wanted = restore.devicePages();
    int count = 0;
    for (int devicePage : wanted) {
      count += devicePage == Event.SKIP ? 0 : 1;
    }
    if (count == 0) {
      partition.leases().giveBack(lease, worker.rank());
      step.count(KernelCounter.RESTORES_DONE);
      answer(session, restore, AnswerState.RESTORED, 0);
      return;
    }
    int[] pages = lease.pages();
    int[] devicePages = wanted;
    if (count < wanted.length) {
      pages = new int[count];
      devicePages = new int[count];
      int next = 0;
      for (int i = 0; i < wanted.length; i++) {
        if (wanted[i] != Event.SKIP) {
          pages[next] = lease.pages()[i];
          devicePages[next++] = wanted[i];
        }
      }
    }
    long bytes = worker.slot(lease.group()).payloadBytes() * count;
    RestoreOperation operation =
        new RestoreOperation(session, restore.operation(), restore.record(), lease, pages, bytes);
    session.operations().put(operation.id(), operation);
    session.addRestores(1);
    running++;
    plans.submit(
        worker,
        operation,
        lease.group(),
        CopyPlan.Direction.HOST_TO_DEVICE,
        restore.waitEvent(),
        pages,
        devicePages);
    partition.leases().copyStarted(lease, worker.rank());
  }

  /** The copy of a restore reported. */
  public void completed(RestoreOperation operation, CopyOutcome outcome) {
    running--;
    operation.session().operations().remove(operation.id());
    operation.session().addRestores(-1);
    switch (outcome) {
      case CopyOutcome.Done done -> {
        step.count(KernelCounter.RESTORES_DONE);
        step.count(KernelCounter.RESTORED_PAGES, operation.pages().length);
        step.count(KernelCounter.RESTORED_BYTES, operation.bytes());
        answer(operation, AnswerState.RESTORED, operation.pages().length, 0, "");
      }
      case CopyOutcome.Failed failed -> {
        step.count(KernelCounter.RESTORE_FAILURES);
        answer(operation, AnswerState.FAILED, 0, 0, failed.message());
      }
      case CopyOutcome.Unknown unknown -> {
        step.count(KernelCounter.RESTORE_FAILURES);
        Residency residency = partition.residency();
        // From the tail to the head: a page leaves residency after its children.
        for (int i = operation.pages().length - 1; i >= 0; i--) {
          residency.quarantine(operation.pages()[i]);
        }
        answer(operation, AnswerState.FAILED, 0, Command.OUTCOME_UNKNOWN, unknown.message());
      }
    }
    partition.leases().copyEnded(operation.lease());
  }

  /** Where a running restore stands, over the socket. */
  public void ask(RestoreOperation operation) {
    replies.answer(
        operation.session(),
        operation.id(),
        0,
        Event.NO_RECORD,
        AnswerState.LOADING,
        0,
        0,
        LeaseId.NONE,
        "");
  }

  private static boolean acknowledgesRecord(
      Session session, Event.Restore restore, @Nullable Lease lease) {
    // The restore itself acknowledges the offer, so it may use the record in which the offer lies.
    return lease != null
        && lease.session() == session.id()
        && session.recordProblem(restore.record(), lease.operation()) == null;
  }

  private @Nullable String problem(Event.Restore restore, Lease lease, SlotLayout slot) {
    int[] wanted = restore.devicePages();
    if (wanted.length != lease.pages().length) {
      return "["
          + wanted.length
          + "] destinations for a lease of ["
          + lease.pages().length
          + "] pages";
    }
    String problem = null;
    for (int devicePage : wanted) {
      if (devicePage == Event.SKIP) {
        continue;
      }
      if (devicePage < 0 || devicePage >= slot.devicePages()) {
        problem = "device page [" + devicePage + "] is outside 0.." + (slot.devicePages() - 1);
        break;
      }
      if (destinations.get(devicePage)) {
        problem = "device page [" + devicePage + "] is named twice";
        break;
      }
      destinations.set(devicePage);
    }
    for (int devicePage : wanted) {
      if (devicePage >= 0 && devicePage < slot.devicePages()) {
        destinations.clear(devicePage);
      }
    }
    return problem;
  }

  private void accept(Session session, Event.Restore restore) {
    step.count(KernelCounter.RESTORES);
    session.use(restore.operation());
    session.occupy(restore.record(), restore.operation());
  }

  private void answer(Session session, Event.Restore restore, AnswerState state, int hits) {
    replies.answer(
        session, restore.operation(), 0, restore.record(), state, hits, 0, LeaseId.NONE, "");
  }

  private void answer(
      RestoreOperation operation, AnswerState state, int hits, long detail, String message) {
    replies.answer(
        operation.session(),
        operation.id(),
        0,
        operation.record(),
        state,
        hits,
        detail,
        LeaseId.NONE,
        message);
  }

  private void refuse(Session session, Event.Restore restore, ErrorCode error, String problem) {
    replies.refuse(
        session, restore.operation(), error, "restore [" + restore.operation() + "]: " + problem);
  }

  /** Restores whose copies run. */
  public int running() {
    return running;
  }
}
