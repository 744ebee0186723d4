package io.orbitkv.kernel.operation;

import io.orbitkv.api.query.QueryKind;
import io.orbitkv.kernel.BrokenInvariant;
import io.orbitkv.kernel.Event;
import io.orbitkv.kernel.instance.Instance;
import io.orbitkv.kernel.lease.Lease;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** One revision of a query. */
public final class QueryOperation implements Operation {
  /** The group of dense prefixes. */
  static final int PREFIX_GROUP = 0;

  private static final QueryState WAITING = new QueryState.Waiting();
  private static final QueryState ENDED = new QueryState.Ended();

  private final Session session;
  private final long id;
  private final int revision;
  private final int record;
  private final int instanceHandle;
  private final QueryKind kind;
  private final String requestId;
  private final int[] groups;
  private final int[] pagesOfGroup;
  private final Instance instance;
  private final long bytes;
  private final long deadlineNanos;
  private final int pages;
  private long @Nullable [] keys;
  private long digestHigh;
  private long digestLow;
  private QueryState state = WAITING;

  QueryOperation(
      Session session, Event.Submit submit, Instance instance, long bytes, long deadlineNanos) {
    this.session = session;
    this.id = submit.operation();
    this.revision = submit.revision();
    this.record = submit.record();
    this.instanceHandle = submit.instance();
    this.kind = submit.kind();
    this.requestId = submit.requestId();
    this.groups = submit.groups();
    this.pagesOfGroup = submit.pagesOfGroup();
    this.keys = submit.keys();
    this.pages = submit.keys().length / 2;
    this.instance = instance;
    this.bytes = bytes;
    this.deadlineNanos = deadlineNanos;
  }

  @Override
  public Session session() {
    return session;
  }

  @Override
  public long id() {
    return id;
  }

  @Override
  public int record() {
    return record;
  }

  int revision() {
    return revision;
  }

  Instance instance() {
    return instance;
  }

  QueryKind kind() {
    return kind;
  }

  /** The keys; only while it waits. */
  long[] keys() {
    if (keys == null) {
      throw new BrokenInvariant("query [" + id + "] is looked up after its answer");
    }
    return keys;
  }

  int pages() {
    return pages;
  }

  /** Bytes of its keys. */
  long keyBytes() {
    return 2L * Long.BYTES * pages;
  }

  /** Bytes of the keys of a query to be. */
  static long keyBytes(Event.Submit submit) {
    return (long) Long.BYTES * submit.keys().length;
  }

  /** What it wants to reserve. */
  long bytes() {
    return bytes;
  }

  long deadlineNanos() {
    return deadlineNanos;
  }

  QueryState state() {
    return state;
  }

  /** Moves on; a query never goes back. */
  void become(QueryState next) {
    boolean legal =
        switch (state) {
          case QueryState.Waiting waiting ->
              next instanceof QueryState.Offered || next instanceof QueryState.Ended;
          case QueryState.Offered offered ->
              next instanceof QueryState.Leased || next instanceof QueryState.Ended;
          case QueryState.Leased leased -> next instanceof QueryState.Ended;
          case QueryState.Ended ended -> false;
        };
    if (!legal) {
      throw new BrokenInvariant("query [" + id() + "] goes from " + state + " to " + next);
    }
    state = next;
  }

  /**
   * An answer is offered. A lease may live for minutes: of the keys it keeps a digest, by which the
   * same question is known again.
   */
  void offered(Lease lease) {
    become(new QueryState.Offered(lease));
    long[] answered = keys();
    digestHigh = digest(answered, 0x9E3779B97F4A7C15L);
    digestLow = digest(answered, 0xC2B2AE3D27D4EB4FL);
    keys = null;
  }

  void end() {
    become(ENDED);
  }

  /** Whether a later revision asks for the same request of the same instance. */
  boolean sameRequest(Event.Submit other) {
    return instanceHandle == other.instance()
        && requestId.equals(other.requestId())
        && Arrays.equals(groups, other.groups());
  }

  /** Whether it is the very same question. */
  boolean sameContent(Event.Submit other) {
    return sameRequest(other)
        && kind == other.kind()
        && record == other.record()
        && Arrays.equals(pagesOfGroup, other.pagesOfGroup())
        && sameKeys(other.keys());
  }

  private boolean sameKeys(long[] other) {
    if (keys != null) {
      return Arrays.equals(keys, other);
    }
    return other.length == 2 * pages
        && digestHigh == digest(other, 0x9E3779B97F4A7C15L)
        && digestLow == digest(other, 0xC2B2AE3D27D4EB4FL);
  }

  private static long digest(long[] values, long seed) {
    long hash = seed;
    for (long value : values) {
      hash = (hash ^ value) * 0xFF51AFD7ED558CCDL;
      hash ^= hash >>> 32;
    }
    return hash;
  }
}
