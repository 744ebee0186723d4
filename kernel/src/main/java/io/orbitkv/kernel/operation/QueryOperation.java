package io.orbitkv.kernel.operation;

import io.orbitkv.api.query.QueryKind;
import io.orbitkv.kernel.BrokenInvariant;
import io.orbitkv.kernel.Event;
import io.orbitkv.kernel.instance.Instance;
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
  private final int pages;
  private final Instance instance;
  private final long bytes;
  private final long deadlineNanos;
  private QueryState state = WAITING;
  // The question itself while it waits; afterwards its digest alone, since the keys of a lease that
  // lives for minutes would fill the heap.
  private Event.@Nullable Submit submit;
  private @Nullable ContentDigest digest;

  QueryOperation(
      Session session, Event.Submit submit, Instance instance, long bytes, long deadlineNanos) {
    this.session = session;
    this.submit = submit;
    this.id = submit.operation();
    this.revision = submit.revision();
    this.record = submit.record();
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
    return question().kind();
  }

  /** Only while it waits. */
  long[] keys() {
    return question().keys();
  }

  /** What its keys take of the heap now. */
  long keyBytes() {
    return submit == null ? 0 : PendingKeys.bytesOf(submit.keys());
  }

  private Event.Submit question() {
    if (submit == null) {
      throw new BrokenInvariant("query [" + id + "] is answered and has no keys any more");
    }
    return submit;
  }

  int pages() {
    return pages;
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
    if (submit != null) {
      if (next instanceof QueryState.Offered) {
        digest = ContentDigest.of(submit);
      }
      submit = null;
    }
  }

  void end() {
    become(ENDED);
  }

  private ContentDigest digest() {
    return digest == null ? ContentDigest.of(question()) : digest;
  }

  /** Whether a later revision asks for the same request of the same instance. */
  boolean sameRequest(Event.Submit other) {
    return digest().sameRequest(ContentDigest.of(other));
  }

  /** Whether it is the very same question. */
  boolean sameContent(Event.Submit other) {
    return digest().equals(ContentDigest.of(other));
  }
}
