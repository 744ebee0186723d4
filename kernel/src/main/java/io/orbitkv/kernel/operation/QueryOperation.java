package io.orbitkv.kernel.operation;

import io.orbitkv.api.query.QueryKind;
import io.orbitkv.kernel.BrokenInvariant;
import io.orbitkv.kernel.Event;
import io.orbitkv.kernel.instance.Instance;
import java.util.Arrays;

/** One revision of a query. */
public final class QueryOperation implements Operation {
  /** The group of dense prefixes. */
  static final int PREFIX_GROUP = 0;

  private static final QueryState WAITING = new QueryState.Waiting();
  private static final QueryState ENDED = new QueryState.Ended();

  private final Session session;
  private final Event.Submit submit;
  private final Instance instance;
  private final long bytes;
  private final long deadlineNanos;
  private QueryState state = WAITING;

  QueryOperation(
      Session session, Event.Submit submit, Instance instance, long bytes, long deadlineNanos) {
    this.session = session;
    this.submit = submit;
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
    return submit.operation();
  }

  @Override
  public int record() {
    return submit.record();
  }

  int revision() {
    return submit.revision();
  }

  Instance instance() {
    return instance;
  }

  QueryKind kind() {
    return submit.kind();
  }

  long[] keys() {
    return submit.keys();
  }

  int pages() {
    return submit.keys().length / 2;
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

  void end() {
    become(ENDED);
  }

  /** Whether a later revision asks for the same request of the same instance. */
  boolean sameRequest(Event.Submit other) {
    return submit.instance() == other.instance()
        && submit.requestId().equals(other.requestId())
        && Arrays.equals(submit.groups(), other.groups());
  }

  /** Whether it is the very same question. */
  boolean sameContent(Event.Submit other) {
    return sameRequest(other)
        && submit.kind() == other.kind()
        && submit.record() == other.record()
        && Arrays.equals(submit.pagesOfGroup(), other.pagesOfGroup())
        && Arrays.equals(submit.keys(), other.keys());
  }
}
