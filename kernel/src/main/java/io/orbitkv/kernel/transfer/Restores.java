package io.orbitkv.kernel.transfer;

import io.orbitkv.api.copy.CopyOutcome;
import io.orbitkv.api.copy.CopyPlan;
import io.orbitkv.api.lease.LeaseId;
import io.orbitkv.api.query.AnswerState;
import io.orbitkv.api.query.ErrorCode;
import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.Event;
import io.orbitkv.kernel.KernelCounter;
import io.orbitkv.kernel.instance.Registration;
import io.orbitkv.kernel.instance.StageSlots;
import io.orbitkv.kernel.lease.Lease;
import io.orbitkv.kernel.operation.Queries;
import io.orbitkv.kernel.operation.QueryOperation;
import io.orbitkv.kernel.operation.Replies;
import io.orbitkv.kernel.operation.RestoreOperation;
import io.orbitkv.kernel.operation.Session;
import io.orbitkv.kernel.partition.Partition;
import io.orbitkv.kernel.residency.Residency;
import io.orbitkv.kernel.step.Step;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
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
    if (session.restores() >= step.settings().limits().sessionCopies()) {
      refuse(
          session, restore, ErrorCode.LIMIT, "[" + session.restores() + "] restores run already");
      return;
    }
    if (restore.devicePages().length == 0
        || restore.devicePages().length > step.settings().limits().maxQueryPages()) {
      refuse(
          session,
          restore,
          ErrorCode.INVALID,
          "["
              + restore.devicePages().length
              + "] destinations: must be 1.."
              + step.settings().limits().maxQueryPages());
      return;
    }
    if (lease == null || worker.instance().retired() || !lease.hasShare(worker.rank())) {
      accept(session, restore);
      step.count(KernelCounter.RESTORE_MISSES);
      answer(session, restore, AnswerState.MISS, 0);
      return;
    }
    String problem = problem(restore, lease, worker);
    if (problem != null) {
      refuse(session, restore, ErrorCode.INVALID, problem);
      return;
    }
    submit(session, restore, worker, lease);
  }

  private void submit(Session session, Event.Restore restore, Registration worker, Lease lease) {
    queries.acknowledge(session, lease);
    accept(session, restore);
    int[] wanted = restore.devicePages();
    List<GroupCopy> copies = new ArrayList<>(1);
    long bytes = 0;
    int count = 0;
    int first = 0;
    for (int i = 0; i < lease.groups().length; i++) {
      int after = first + lease.pagesOfGroup()[i];
      GroupCopy copy = GroupCopy.of(lease.groups()[i], lease.pages(), wanted, first, after);
      first = after;
      if (copy.pages().length > 0) {
        copies.add(copy);
        count += copy.pages().length;
        bytes += worker.slot(copy.group()).payloadBytes() * copy.pages().length;
      }
    }
    if (count == 0) {
      partition.leases().giveBack(lease, worker.rank());
      step.count(KernelCounter.RESTORES_DONE);
      answer(session, restore, AnswerState.RESTORED, 0);
      return;
    }
    int stageSlot = stageSlot(restore, worker, bytes);
    RestoreOperation operation =
        new RestoreOperation(
            session,
            restore.operation(),
            restore.record(),
            lease,
            allPages(copies, count),
            bytes,
            copies.size(),
            worker,
            stageSlot);
    session.operations().put(operation.id(), operation);
    session.addRestores(1);
    running++;
    for (GroupCopy copy : copies) {
      plans.submit(
          worker,
          operation,
          copy.group(),
          CopyPlan.Direction.HOST_TO_DEVICE,
          restore.waitEvent(),
          copy.pages(),
          copy.devicePages(),
          stageSlot);
    }
    partition.leases().copyStarted(lease, worker.rank());
  }

  private int stageSlot(Event.Restore restore, Registration worker, long bytes) {
    if (!restore.staged()) {
      return StageSlots.NONE;
    }
    int slot = worker.takeStageSlot(restore.operation(), bytes);
    if (slot == StageSlots.NONE) {
      step.count(KernelCounter.RESTORES_UNSTAGED);
    }
    return slot;
  }

  private static int[] allPages(List<GroupCopy> copies, int count) {
    if (copies.size() == 1) {
      return copies.getFirst().pages();
    }
    int[] pages = new int[count];
    int next = 0;
    for (GroupCopy copy : copies) {
      System.arraycopy(copy.pages(), 0, pages, next, copy.pages().length);
      next += copy.pages().length;
    }
    return pages;
  }

  /** What a restore copies of one group. */
  @SuppressWarnings("ArrayRecordComponent") // Made, read once and dropped within one step.
  private record GroupCopy(int group, int[] pages, int[] devicePages) {
    static GroupCopy of(int group, int[] pages, int[] wanted, int first, int after) {
      int count = 0;
      for (int i = first; i < after; i++) {
        count += wanted[i] == Event.SKIP ? 0 : 1;
      }
      if (count == pages.length) {
        return new GroupCopy(group, pages, wanted);
      }
      int[] chosen = new int[count];
      int[] devicePages = new int[count];
      int next = 0;
      for (int i = first; i < after; i++) {
        if (wanted[i] != Event.SKIP) {
          chosen[next] = pages[i];
          devicePages[next++] = wanted[i];
        }
      }
      return new GroupCopy(group, chosen, devicePages);
    }
  }

  /** A staged restore is on its way as a whole: its client may wait for the layers. */
  public void submitted(RestoreOperation operation) {
    operation.submitted();
    step.count(KernelCounter.RESTORES_STAGED);
    answer(operation, AnswerState.SUBMITTED, operation.pages().length, operation.stageSlot(), "");
  }

  /** A plan of a restore reported; with the last one the restore is over. */
  public void completed(RestoreOperation operation, CopyOutcome planOutcome) {
    if (!operation.reported(planOutcome)) {
      return;
    }
    CopyOutcome outcome = operation.outcome();
    running--;
    operation.session().operations().remove(operation.id());
    operation.session().addRestores(-1);
    if (!(outcome instanceof CopyOutcome.Unknown)) {
      // Otherwise something may still record its events: the slot is as lost as the pages.
      operation.endStage();
    }
    switch (outcome) {
      case CopyOutcome.Done done -> {
        step.count(KernelCounter.RESTORES_DONE);
        step.count(KernelCounter.RESTORED_PAGES, operation.pages().length);
        step.count(KernelCounter.RESTORED_BYTES, operation.bytes());
        for (int page : operation.pages()) {
          partition.residency().restored(page);
        }
        answer(operation, AnswerState.RESTORED, operation.pages().length, 0, "");
      }
      case CopyOutcome.Failed failed -> {
        step.count(KernelCounter.RESTORE_FAILURES);
        answer(operation, AnswerState.FAILED, 0, 0, failure(operation, failed.message()));
      }
      case CopyOutcome.Unknown unknown -> {
        step.count(KernelCounter.RESTORE_FAILURES);
        Residency residency = partition.residency();
        // From the tail to the head: a page leaves residency after its children.
        for (int i = operation.pages().length - 1; i >= 0; i--) {
          residency.quarantine(operation.pages()[i]);
        }
        answer(
            operation,
            AnswerState.FAILED,
            0,
            Command.OUTCOME_UNKNOWN,
            failure(operation, unknown.message()));
      }
    }
    partition.leases().copyEnded(operation.lease());
  }

  private static String failure(RestoreOperation operation, String message) {
    return operation.isSubmitted()
        ? message
            + "; the restore was staged: what was computed from its blocks is invalid, and so are"
            + " they"
        : message;
  }

  /** Where a running restore stands, over the socket. */
  public void ask(RestoreOperation operation) {
    replies.answer(
        operation.session(),
        operation.id(),
        0,
        Event.NO_RECORD,
        operation.isSubmitted() ? AnswerState.SUBMITTED : AnswerState.LOADING,
        operation.isSubmitted() ? operation.pages().length : 0,
        operation.isSubmitted() ? operation.stageSlot() : 0,
        LeaseId.NONE,
        "");
  }

  private boolean acknowledgesRecord(
      Session session, Event.Restore restore, @Nullable Lease lease) {
    // The restore itself acknowledges the offer, so it may use the record in which the offer lies.
    QueryOperation query = lease == null ? null : queries.queryOf(session, lease);
    return query != null && session.recordProblem(restore.record(), query.id()) == null;
  }

  private @Nullable String problem(Event.Restore restore, Lease lease, Registration worker) {
    int[] wanted = restore.devicePages();
    if (wanted.length != lease.pages().length) {
      return "["
          + wanted.length
          + "] destinations for a lease of ["
          + lease.pages().length
          + "] pages";
    }
    int first = 0;
    for (int i = 0; i < lease.groups().length; i++) {
      int after = first + lease.pagesOfGroup()[i];
      int devicePages = worker.slot(lease.groups()[i]).devicePages();
      String problem = problem(wanted, first, after, devicePages);
      if (problem != null) {
        return "group [" + lease.groups()[i] + "]: " + problem;
      }
      first = after;
    }
    return null;
  }

  private @Nullable String problem(int[] wanted, int first, int after, int devicePages) {
    String problem = null;
    for (int i = first; i < after && problem == null; i++) {
      int devicePage = wanted[i];
      if (devicePage == Event.SKIP) {
        continue;
      }
      if (devicePage < 0 || devicePage >= devicePages) {
        problem = "device page [" + devicePage + "] is outside 0.." + (devicePages - 1);
      } else if (destinations.get(devicePage)) {
        problem = "device page [" + devicePage + "] is named twice";
      } else {
        destinations.set(devicePage);
      }
    }
    for (int i = first; i < after; i++) {
      if (wanted[i] >= 0 && wanted[i] < devicePages) {
        destinations.clear(wanted[i]);
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
