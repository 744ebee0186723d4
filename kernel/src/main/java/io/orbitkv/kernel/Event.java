package io.orbitkv.kernel;

import io.orbitkv.api.backing.BackingStatus;
import io.orbitkv.api.backing.StoredKey;
import io.orbitkv.api.copy.CopyOutcome;
import io.orbitkv.api.copy.DeviceMemory;
import io.orbitkv.api.copy.DeviceMemoryDescriptor;
import io.orbitkv.api.lease.LeaseId;
import io.orbitkv.api.memory.HostChunk;
import io.orbitkv.api.page.Namespace;
import io.orbitkv.api.page.PageKey;
import io.orbitkv.api.page.WorkerLayout;
import io.orbitkv.api.policy.CutoffPolicy;
import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.api.query.QueryKind;
import io.orbitkv.api.recovery.RecoveryDemand;
import io.orbitkv.kernel.policy.AdmissionVerdict;
import io.orbitkv.kernel.policy.PageColumns;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What can happen to the kernel. Events are made by other threads, are immutable (arrays in them
 * belong to the kernel from then on) and reach {@code Kernel.step} one by one on the dispatcher.
 *
 * <p>Common components: {@code session} is the Manager's number of a connection, never used twice;
 * {@code operation} is the client's id, used once a session and strictly increasing over {@link
 * Submit}, {@link Restore} and {@link Publish}, and a mere correlation id elsewhere; {@code record}
 * is the client's choice of a status-board record, or {@link #NO_RECORD} for an answer over the
 * socket; {@code instance} is the handle that registration returned.
 */
public sealed interface Event {
  /** The client wants the answer over the socket. */
  int NO_RECORD = -1;

  /** A destination of a restore that is to be left alone. */
  int SKIP = -1;

  // ---- sessions
  // ------------------------------------------------------------------------------------------------------

  /** A client connected and was let in. */
  record SessionOpened(long session, int boardRecords) implements Event {}

  /** The end of a client's socket: interest ends, submitted work drains. */
  record SessionClosed(long session) implements Event {}

  // ---- instances
  // -----------------------------------------------------------------------------------------------------

  /**
   * A worker registers its layout and device memory.
   *
   * @param staged whether it can wait for events of staged restores
   */
  record Register(
      long session,
      long operation,
      String instanceName,
      Namespace namespace,
      WorkerLayout layout,
      DeviceMemoryDescriptor device,
      boolean staged)
      implements Event {
    /** A worker that cannot. */
    public Register(
        long session,
        long operation,
        String instanceName,
        Namespace namespace,
        WorkerLayout layout,
        DeviceMemoryDescriptor device) {
      this(session, operation, instanceName, namespace, layout, device, false);
    }
  }

  /** A scheduler asks for the handle of a sealed instance. */
  record Attach(long session, long operation, String instanceName) implements Event {}

  /** A worker leaves its instance; the instance's generation ends. */
  record Unregister(long session, long operation, int instance) implements Event {}

  /** The device memory of a registration is open. */
  record DeviceOpened(long registration, DeviceMemory memory) implements Event {}

  /** The device memory of a registration could not be opened. */
  record DeviceFailed(long registration, String message) implements Event {}

  /** The device memory of a registration is closed. */
  record DeviceClosed(long registration) implements Event {}

  /** An engine reports its speed. */
  record EngineStats(long session, int instance, long prefillTokensPerSecond) implements Event {}

  // ---- queries
  // -------------------------------------------------------------------------------------------------------

  /**
   * A query.
   *
   * @param requestId the engine's name for the request
   * @param groups the groups queried, ascending; group 0 alone for a dense prefix
   * @param pagesOfGroup as many page counts
   * @param keys the keys of the groups one after another, each as (high, low)
   * @param demand with {@link QueryKind#SELECTED}, otherwise null
   */
  record Submit(
      long session,
      long operation,
      int revision,
      int record,
      int instance,
      QueryKind kind,
      String requestId,
      int[] groups,
      int[] pagesOfGroup,
      long[] keys,
      @Nullable RecoveryDemand demand)
      implements Event {}

  /** The client has seen an offer. */
  record Taken(long session, long operation, int revision) implements Event {}

  /** The client is no longer interested in an operation. */
  record Cancel(long session, long operation, int revision) implements Event {}

  /**
   * The client wants a preparation now: its pages become an offer as soon as they are there.
   *
   * @param record where the answer goes from now on; BUSY, for a claim that comes too late, goes
   *     over the socket
   * @param countLookup whether this claim is the request's logical lookup and counted as a query;
   *     group 0 alone may say so
   */
  record Claim(long session, long operation, int revision, int record, boolean countLookup)
      implements Event {}

  /**
   * An engine's accepted queue changed.
   *
   * @param changes in arrival order
   */
  record Queue(long session, long operation, int instance, List<QueuedRequest> changes)
      implements Event {}

  /**
   * The lookahead policy's advice: requests of an instance's queue to prepare, in order of
   * preference. Preparations of other requests that nobody claimed are given up.
   */
  record Lookahead(int instance, List<String> requestIds) implements Event {}

  /** The warming policy's advice: requests of an instance's queue whose pages to warm. */
  record Warming(int instance, List<String> requestIds) implements Event {}

  /** The client asks over the socket for the state of an operation. Never creates work. */
  record Ask(long session, long operation, int revision) implements Event {}

  /** The client gives a lease back: its own session's lease, or its rank's share of another's. */
  record Release(long session, long operation, LeaseId lease) implements Event {}

  // ---- copies
  // --------------------------------------------------------------------------------------------------------

  /**
   * A rank takes its share of a lease and wants the pages in its device memory.
   *
   * @param waitEvent the client's event to wait for before the first byte moves; 0 for none
   * @param devicePages one destination for each leased page, or {@link #SKIP}
   * @param staged whether the client wants to hear of the submission and wait for each layer; a
   *     wish, which is not granted while no slot is free
   */
  record Restore(
      long session,
      long operation,
      int record,
      int instance,
      LeaseId lease,
      long waitEvent,
      int[] devicePages,
      boolean staged)
      implements Event {
    /** A restore of which only the end is told. */
    public Restore(
        long session,
        long operation,
        int record,
        int instance,
        LeaseId lease,
        long waitEvent,
        int[] devicePages) {
      this(session, operation, record, instance, lease, waitEvent, devicePages, false);
    }
  }

  /**
   * The client has enqueued all its waits for the events of a staged restore, or will enqueue none:
   * as far as it goes, they may be recorded again.
   */
  record StageWaited(long session, long operation) implements Event {}

  /**
   * A rank publishes pages of one group.
   *
   * @param waitEvent the producer's event to wait for before the first byte is read; 0 for none
   * @param parent the page before the first one, or {@link PageKey#NONE}
   * @param keys keys of consecutive pages of one chain, each as (high, low)
   * @param devicePages as many sources
   */
  record Publish(
      long session,
      long operation,
      int record,
      int instance,
      int group,
      long waitEvent,
      PageKey parent,
      long[] keys,
      int[] devicePages)
      implements Event {}

  /**
   * The client saw the producer event of a publish succeed (pages may seal) or fail (they are
   * discarded). May come before or after the copy's end.
   */
  record Commit(long session, long operation, boolean produced) implements Event {}

  /** A copier has submitted all of a staged plan, and recorded an event behind each layer. */
  record CopySubmitted(long plan) implements Event {}

  /** A copier reported the end of a plan. */
  record CopyCompleted(long plan, CopyOutcome outcome) implements Event {}

  // ---- backing tier
  // ----------------------------------------------------------------------------------------------

  /** A page is stored in the backing tier: recovered, or re-inserted. Repeating it is harmless. */
  record PageStored(StoredKey key, long bytes) implements Event {}

  /** The same of many pages, of which the kernel need not know how large they are. */
  record PagesStored(List<StoredKey> keys) implements Event {
    /** Copies the list. */
    public PagesStored {
      keys = List.copyOf(keys);
    }
  }

  /** A page is not stored any more. */
  record PageLost(StoredKey key) implements Event {}

  /** The one report of a page of a {@link Command.Read}. */
  record PageRead(long ticket, BackingStatus status) implements Event {}

  /** The one report of a {@link Command.Write}. */
  record PageWritten(long ticket, BackingStatus status) implements Event {}

  /**
   * What the backing tier may write from now on; writes submitted and not reported are to fit into
   * it.
   *
   * @param bytes {@link Long#MAX_VALUE} for no limit
   */
  record WriteAllowance(long bytes) implements Event {}

  /** The one report of a {@link Command.FlushStore}. */
  record StoreFlushed(long ticket, BackingStatus status) implements Event {}

  /**
   * The one report of a {@link Command.EmptyStore} or {@link Command.KeepGeometries}.
   *
   * @param status {@link BackingStatus#DONE} when the pages are gone for good
   * @param pages how many
   */
  record StoreForgot(long ticket, BackingStatus status, long pages) implements Event {}

  // ---- advice of policies
  // --------------------------------------------------------------------------------------------

  /**
   * Who is asked from now on: a decision boundary. Questions that are out already are answered as
   * they were asked.
   *
   * @param asked slots that a policy serves; the kernel's defaults hold in the others
   * @param fresh those of them that another policy served before, or none: pages are handed over to
   *     a new retention policy, and its marks start at 0
   * @param follow whether chains are followed even where no slot needs it, so that requests have
   *     roots to be told apart by
   */
  record Policies(Set<PolicySlot> asked, Set<PolicySlot> fresh, boolean follow) implements Event {
    /** Copies the sets. */
    public Policies {
      asked = Collections.unmodifiableSet(PolicySlot.setOf(asked));
      fresh = Collections.unmodifiableSet(PolicySlot.setOf(fresh));
    }

    /** Chains are followed where a slot needs it. */
    public Policies(Set<PolicySlot> asked, Set<PolicySlot> fresh) {
      this(asked, fresh, false);
    }
  }

  /** The answer to a question, exactly one for each. */
  sealed interface Advice extends Event {
    /** Names the question. */
    long ticket();
  }

  /**
   * The answer to a {@link Command.AskAdmission}.
   *
   * @param verdict what is to happen
   * @param retryNanos with {@link AdmissionVerdict#LATER}: ask again after so long at the latest; 0
   *     for at the next touch only
   */
  record AdmissionAdvice(long ticket, AdmissionVerdict verdict, long retryNanos)
      implements Advice {}

  /** The answer to a {@link Command.AskReadPlan}: the strictest of all. */
  record ReadPlanAdvice(long ticket, CutoffPolicy.ReadLimits limits) implements Advice {}

  /** The answer to a {@link Command.AskReadOn}. */
  record ReadOnAdvice(long ticket, boolean goOn) implements Advice {}

  /**
   * The answer to a {@link Command.AskScores}.
   *
   * @param scored the columns of the question, with scores and marks; with {@code byDefault} they
   *     may be other, empty ones: a policy that is late still holds those of the question, which
   *     are recycled when it lets go of them
   * @param byDefault whether the policy did not answer in time: the scores mean nothing
   */
  record ScoresAdvice(long ticket, PageColumns scored, boolean byDefault) implements Advice {}

  // ---- administration
  // ------------------------------------------------------------------------------------------------

  /** A chunk of host memory is touched and registered. */
  record ChunkReady(HostChunk chunk) implements Event {}

  /**
   * Answer once every publish accepted before has sealed or was discarded.
   *
   * @param durable and what is queued for the backing tier by then is written, or given up, and
   *     flushed
   */
  record Sync(long session, long operation, boolean durable) implements Event {
    /** Publishes alone. */
    public Sync(long session, long operation) {
      this(session, operation, false);
    }
  }

  /**
   * Make every page that is there now unfindable; what is in use is freed when it is let go.
   *
   * @param everywhere in the backing tier too, for good before the answer; it keeps its pages
   *     otherwise
   */
  record Evict(long session, long operation, boolean everywhere) implements Event {
    /** Host memory alone. */
    public Evict(long session, long operation) {
      this(session, operation, false);
    }
  }

  /** Take nothing new; tell when everything has drained. */
  record Drain() implements Event {}

  /** The maintenance tick, every 250 ms. */
  record Tick() implements Event {}
}
