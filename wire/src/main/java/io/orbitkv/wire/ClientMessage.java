package io.orbitkv.wire;

import io.orbitkv.api.copy.DeviceMemoryDescriptor;
import io.orbitkv.api.lease.LeaseId;
import io.orbitkv.api.page.Namespace;
import io.orbitkv.api.page.PageKey;
import io.orbitkv.api.page.WorkerLayout;
import io.orbitkv.api.query.QueryKind;
import io.orbitkv.api.recovery.RecoveryDemand;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a client says. Frame kinds 1–63. {@code operation} and {@code revision} travel in the
 * frame's header; see the kernel's events for their meaning.
 */
public sealed interface ClientMessage {
  /** Id of the operation, or a correlation id for control requests; never 0. */
  long operation();

  /**
   * First message of a connection; its frame carries epoch 0.
   *
   * @param client name and version of the client's software, for the log
   * @param protocolVersion the newest version that the client speaks
   * @param features bits of {@link Features} that the client wants
   * @param pid the client's process id as it sees it
   */
  record Hello(long operation, String client, int protocolVersion, long features, long pid)
      implements ClientMessage {}

  /** A worker registers. JSON. */
  record Register(
      long operation,
      String instance,
      Namespace namespace,
      WorkerLayout layout,
      DeviceMemoryDescriptor device)
      implements ClientMessage {}

  /** A scheduler attaches to a sealed instance. JSON. */
  record Attach(long operation, String instance) implements ClientMessage {}

  /** A worker leaves. */
  record Unregister(long operation, int instance) implements ClientMessage {}

  /**
   * A query. Binary: fixed part, groups, request id, keys as one raw run. Jackson is used for the
   * demand alone. PREPARE needs {@link Features#PREPARE}, WARM {@link Features#WARM}, SELECTED,
   * DISCOVER and a demand {@link Features#RECOVERY}.
   *
   * @param record status-board record, or -1 for an answer over the socket; a discovery is answered
   *     over the socket whatever is given here
   * @param groups ascending
   * @param pagesOfGroup as many page counts
   * @param keys of the groups one after another, as (high, low) pairs
   * @param demand with SELECTED; a PREPARE may have one, nothing else has
   */
  record Submit(
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
      implements ClientMessage {}

  /** The client has seen an offer. */
  record Taken(long operation, int revision) implements ClientMessage {}

  /** The client lost interest. */
  record Cancel(long operation, int revision) implements ClientMessage {}

  /** Where is my answer? */
  record Ask(long operation, int revision) implements ClientMessage {}

  /** A prepared operation is wanted now. Needs {@link Features#PREPARE}. */
  record Claim(long operation, int revision, int record, boolean countLookup)
      implements ClientMessage {}

  /** A lease goes back. */
  record Release(long operation, LeaseId lease) implements ClientMessage {}

  /**
   * A rank wants leased pages in its device memory.
   *
   * @param staged whether it wants to hear of the submission, to wait for each layer by itself;
   *     needs {@link Features#STAGED}
   */
  record Restore(
      long operation,
      int record,
      int instance,
      LeaseId lease,
      long waitEvent,
      int[] devicePages,
      boolean staged)
      implements ClientMessage {
    /** A restore of which the end alone is told. */
    public Restore(
        long operation,
        int record,
        int instance,
        LeaseId lease,
        long waitEvent,
        int[] devicePages) {
      this(operation, record, instance, lease, waitEvent, devicePages, false);
    }
  }

  /**
   * All waits for the events of a staged restore are enqueued, or none will be. {@code operation}
   * is the restore's. Needs {@link Features#STAGED}.
   */
  record StageWaited(long operation) implements ClientMessage {}

  /** A rank publishes pages. */
  record Publish(
      long operation,
      int record,
      int instance,
      int group,
      long waitEvent,
      PageKey parent,
      long[] keys,
      int[] devicePages)
      implements ClientMessage {}

  /** The producer event of a publish succeeded or failed. {@code operation} is the publish's. */
  record Commit(long operation, boolean produced) implements ClientMessage {}

  /**
   * Changes of the accepted and scheduled requests. JSON, with groups, demands and keys in the raw
   * part. Needs {@link Features#QUEUE}.
   */
  record Queue(long operation, int instance, List<Entry> changes) implements ClientMessage {
    /** Copies the changes. */
    public Queue {
      changes = List.copyOf(changes);
    }

    /**
     * One change.
     *
     * @param state accepted, executing or gone
     * @param groups the groups of the pages that it will ask for; empty unless accepted
     * @param pagesOfGroup as many page counts
     * @param keys of its pages, of the groups one after another, as (high, low) pairs
     * @param demand of a model with several groups, otherwise null
     */
    public record Entry(
        String requestId,
        State state,
        int[] groups,
        int[] pagesOfGroup,
        long[] keys,
        @Nullable RecoveryDemand demand) {
      /** A change of a request whose pages are a prefix of group 0, or that has none. */
      public Entry(String requestId, State state, long[] keys) {
        this(
            requestId,
            state,
            keys.length == 0 ? new int[0] : new int[] {0},
            keys.length == 0 ? new int[0] : new int[] {keys.length / ClientCodec.LONGS_OF_KEY},
            keys,
            null);
      }
    }

    /** State of a request in the engine's queue. */
    public enum State {
      /** Waiting. */
      ACCEPTED,
      /** Scheduled at least once. */
      EXECUTING,
      /** Finished, aborted or preempted away. */
      GONE
    }
  }

  /** The engine's measured prefill rate. */
  record EngineStats(long operation, int instance, long prefillTokensPerSecond)
      implements ClientMessage {}

  /**
   * Answer once every earlier publish sealed or was discarded.
   *
   * @param durable and what is queued for the backing tier by then is written, or given up, and
   *     flushed
   */
  record Sync(long operation, boolean durable) implements ClientMessage {
    /** Publishes alone. */
    public Sync(long operation) {
      this(operation, false);
    }
  }

  /**
   * Make every page unfindable.
   *
   * @param everywhere in the backing tier too, for good before the reply; otherwise in host memory
   *     alone
   */
  record Evict(long operation, boolean everywhere) implements ClientMessage {
    /** Host memory alone. */
    public Evict(long operation) {
      this(operation, false);
    }
  }

  /** The Manager's status as JSON. */
  record Status(long operation) implements ClientMessage {}

  /**
   * The Manager's metrics.
   *
   * @param json as one JSON object; otherwise as Prometheus text
   */
  record Metrics(long operation, boolean json) implements ClientMessage {}

  /**
   * A question about the Manager's policies, or a change of them; answered with {@link
   * ServerMessage.PolicyReport}, or refused. JSON: an object whose {@code do} is
   *
   * <ul>
   *   <li>{@code list}: what serves in each slot;
   *   <li>{@code swap} with {@code slot}, {@code policy} and {@code settings}, an object of texts,
   *       or {@code settings_yaml} and {@code settings_source}, a text in YAML and what to call it;
   *   <li>{@code revert} with {@code slot}: what served there before;
   *   <li>{@code reload}: what the configuration file names now;
   *   <li>{@code explain} with {@code last}, the most entries, and {@code request}, an engine's
   *       name of a request, or {@code page}, in hexadecimal digits the key of a page or the id of
   *       a chain;
   *   <li>{@code ab-start} with nothing, or {@code source} and {@code yaml}, a configuration with a
   *       section {@code ab}, or also {@code source_b} and {@code yaml_b}, a second configuration;
   *       and {@code for}, {@code aa}, {@code block}, {@code short_blocks}, {@code isolation},
   *       {@code by}, {@code salt}, {@code primary}, {@code margin} and {@code fallbacks} in the
   *       place of what the section says;
   *   <li>{@code ab-status}, {@code ab-report} and {@code ab-stop}: the experiment that runs, or
   *       ran last, without its blocks, with them, and its end.
   * </ul>
   *
   * @param json the object; what it says is the Manager's to judge
   */
  record Policy(long operation, String json) implements ClientMessage {}

  /**
   * Answered with {@link ServerMessage.Echo} of {@code replyBytes} bytes by the session's thread:
   * the floor of the socket.
   */
  record Echo(long operation, int replyBytes, byte[] payload) implements ClientMessage {}
}
