package io.orbitkv.kernel;

import io.orbitkv.api.backing.BackingRead;
import io.orbitkv.api.backing.HostRun;
import io.orbitkv.api.backing.StoredKey;
import io.orbitkv.api.copy.CopyPlan;
import io.orbitkv.api.copy.DeviceMemory;
import io.orbitkv.api.copy.DeviceMemoryDescriptor;
import io.orbitkv.api.lease.LeaseId;
import io.orbitkv.api.page.Namespace;
import io.orbitkv.api.page.WorkerLayout;
import io.orbitkv.api.policy.ChainFacts;
import io.orbitkv.api.policy.CutoffPolicy;
import io.orbitkv.api.policy.Facts;
import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.api.policy.RequestFacts;
import io.orbitkv.api.query.AnswerState;
import io.orbitkv.api.query.ErrorCode;
import io.orbitkv.kernel.policy.PageColumns;
import java.util.List;

/**
 * What the kernel wants done. Carried out by the Manager in the order of the outbox; nothing is
 * reported back but events.
 */
public sealed interface Command {
  /** Detail of a failed copy of which nobody knows whether the hardware still works on it. */
  long OUTCOME_UNKNOWN = 1;

  /** Detail of an offer that the kernel claimed from a preparation of its own. */
  long CLAIMED_PREPARATION = 1;

  /**
   * The state of an operation, for its client: on the status board when {@code record} is not
   * {@link Event#NO_RECORD}, as a frame otherwise.
   *
   * @param hits pages found, restored or stored
   * @param detail {@link AnswerState#PUBLISHED}: pages that were resident already in the upper 32
   *     bits, pages dropped in the lower; {@link AnswerState#FAILED}: {@link #OUTCOME_UNKNOWN} when
   *     hardware may still touch the device pages, which must then not be used again; {@link
   *     AnswerState#READY}: {@link #CLAIMED_PREPARATION} when the pages were prepared for it;
   *     otherwise 0
   * @param error with {@link AnswerState#REFUSED}
   * @param message what is wrong and what to do; empty unless refused or failed. Not on the board:
   *     ask for it
   */
  record Answer(
      long session,
      long operation,
      int revision,
      int record,
      AnswerState state,
      int hits,
      long detail,
      LeaseId lease,
      ErrorCode error,
      String message)
      implements Command {}

  /**
   * A worker is registered.
   *
   * @param sealed whether it was the last one
   * @param stageEvents for each slot of staged restores the handles of its events, by layer; empty
   *     when there are none
   */
  record Registered(
      long session,
      long operation,
      int instance,
      long generation,
      boolean sealed,
      List<List<String>> stageEvents)
      implements Command {
    /** Copies the list. */
    public Registered {
      stageEvents = List.copyOf(stageEvents);
    }

    /** A worker without staged restores. */
    public Registered(long session, long operation, int instance, long generation, boolean sealed) {
      this(session, operation, instance, generation, sealed, List.of());
    }
  }

  /**
   * A scheduler is attached.
   *
   * @param pageBytes registered payload of one page over all ranks, by group, padded to whole runs:
   *     what a query reserves for a page
   */
  record Attached(
      long session,
      long operation,
      int instance,
      long generation,
      int worldSize,
      int pageTokens,
      long[] pageBytes)
      implements Command {}

  /**
   * A control request is done. {@code value} depends on it: evicted bytes for Evict, pages
   * discarded for Sync.
   */
  record Done(long session, long operation, long value) implements Command {}

  /** A request is refused; nothing changed. */
  record Refused(long session, long operation, ErrorCode error, String message)
      implements Command {}

  /** A session broke the protocol and is to be closed. */
  record CloseSession(long session, String reason) implements Command {}

  /** Open a worker's device memory; answered by DeviceOpened or DeviceFailed. */
  record OpenDevice(long registration, DeviceMemoryDescriptor device, WorkerLayout layout)
      implements Command {}

  /** Close a worker's device memory, which no plan uses any more; answered by DeviceClosed. */
  record CloseDevice(long registration, DeviceMemory memory) implements Command {}

  /**
   * Where the pages of a discovery are: always over the socket. No lease, no promise.
   *
   * @param groups the groups that were asked for
   * @param pagesOfGroup how many positions each group has in {@code positions}
   * @param positions places in the group's part of the question at which a complete page lies in
   *     host memory or in the backing tier: ascending, one group after another; group 0 ends at its
   *     first gap
   */
  record Candidates(
      long session, long operation, int revision, int[] groups, int[] pagesOfGroup, int[] positions)
      implements Command {}

  /**
   * Submit reads to the backing tier, all of one batch; each is answered by PageRead. The runs
   * belong to the read until then.
   */
  record Read(List<BackingRead> batch) implements Command {}

  /** A speculative read that was submitted has a foreground waiter now. */
  record RaiseRead(long ticket) implements Command {}

  /**
   * Submit the write of a sealed page to the backing tier; answered by PageWritten. The runs are
   * not changed until then. The checksum over their payload is the Manager's to make, before the
   * tier sees the write.
   *
   * @param scope the engine's own namespace, whatever its geometry
   */
  record Write(long ticket, StoredKey key, Namespace scope, List<HostRun> runs)
      implements Command {}

  /**
   * Make everything durable that the backing tier reported as written; answered by StoreFlushed.
   */
  record FlushStore(long ticket) implements Command {}

  /** Let the backing tier forget every page for good; answered by StoreForgot. */
  record EmptyStore(long ticket) implements Command {}

  /**
   * Let the backing tier forget the pages of an engine's namespace that are of none of these
   * geometries, for good; answered by StoreForgot. It tells each of them as lost.
   */
  record KeepGeometries(long ticket, Namespace scope, List<Namespace> kept) implements Command {
    /** Copies the list. */
    public KeepGeometries {
      kept = List.copyOf(kept);
    }
  }

  /** Hand a plan to the copier of its memory; answered by CopyCompleted. */
  record Copy(CopyPlan plan) implements Command {}

  /** After Drain: no operation, lease, copy or device memory is left. */
  record Drained() implements Command {}

  // ---- questions to policies
  // --------------------------------------------------------------------------------------------

  /** For the policies' threads, never for a client or a device. */
  sealed interface ToPolicies extends Command {}

  /**
   * May a chain's pages enter the tier that the slot guards? Answered by exactly one {@link
   * Event.AdmissionAdvice}, the slot's default when the policy does not answer in time.
   *
   * @param slot {@link PolicySlot#ADMISSION_DRAM}, {@link PolicySlot#ADMISSION_SSD} or {@link
   *     PolicySlot#ADMISSION_PROMOTE}
   */
  record AskAdmission(long ticket, PolicySlot slot, ChainFacts chain) implements ToPolicies {}

  /**
   * How is a read limited? Answered by exactly one {@link Event.ReadPlanAdvice}.
   *
   * @param queuedTokens what the engine still has to compute of other requests that it accepted, or
   *     {@link Facts#UNKNOWN} when it reports no queue
   */
  record AskReadPlan(long ticket, RequestFacts request, long queuedTokens) implements ToPolicies {
    /** Of an engine that reports no queue. */
    public AskReadPlan(long ticket, RequestFacts request) {
      this(ticket, request, Facts.UNKNOWN);
    }
  }

  /**
   * Is another batch to be submitted? Answered by exactly one {@link Event.ReadOnAdvice}.
   *
   * @param plan ticket of the {@link AskReadPlan} about the same read
   */
  record AskReadOn(long ticket, long plan, CutoffPolicy.ReadProgress progress)
      implements ToPolicies {}

  /**
   * Which accepted requests are to be prepared? Answered by {@link Event.Lookahead}, or not at all.
   *
   * @param queue accepted requests in arrival order
   */
  record AskLookahead(int instance, List<RequestFacts> queue) implements ToPolicies {
    /** Copies the list. */
    public AskLookahead {
      queue = List.copyOf(queue);
    }
  }

  /**
   * Which chains are to be warmed? No foreground byte is owned. Answered by {@link Event.Warming},
   * or not at all.
   *
   * @param queue accepted requests in arrival order
   */
  record AskWarming(int instance, List<RequestFacts> queue) implements ToPolicies {
    /** Copies the list. */
    public AskWarming {
      queue = List.copyOf(queue);
    }
  }

  /**
   * What happened to the pages of a tier since the last such command. No answer; {@link
   * PageColumns#recycle} when the policy has seen it, from any thread.
   *
   * @param slot {@link PolicySlot#RETENTION_DRAM} or {@link PolicySlot#RETENTION_SSD}
   */
  record ObservePages(PolicySlot slot, PageColumns events) implements ToPolicies {}

  /**
   * What are these pages worth? Answered by exactly one {@link Event.ScoresAdvice}, with the same
   * columns when the policy answered.
   *
   * @param slot {@link PolicySlot#RETENTION_DRAM} or {@link PolicySlot#RETENTION_SSD}
   * @param adopt whether the pages are handed to a new policy, which need not score them
   */
  record AskScores(long ticket, PolicySlot slot, PageColumns candidates, boolean adopt)
      implements ToPolicies {}

  /**
   * What stored pages are worth: advice for the backing tier.
   *
   * @param scores as many
   */
  record ScoreStored(List<StoredKey> keys, long[] scores) implements Command {
    /** Copies the list. */
    public ScoreStored {
      keys = List.copyOf(keys);
    }
  }
}
