package io.orbitkv.client;

import io.orbitkv.api.lease.LeaseId;
import io.orbitkv.api.query.AnswerState;
import io.orbitkv.api.query.QueryKind;
import io.orbitkv.api.recovery.GroupRange;
import io.orbitkv.api.recovery.RecoveryDemand;
import io.orbitkv.wire.ClientMessage;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A query. {@link AnswerState#READY} is an offer of a lease that lapses after five seconds, unless
 * {@link #taken} or a restore or release of the lease acknowledges it; a lease belongs to this
 * connection and goes with it.
 */
public final class QueryHandle extends Operation {
  static final int FIRST_REVISION = 1;

  private static final int[] PREFIX_GROUP = {0};

  private final int instance;
  private final QueryKind kind;
  private final String requestId;
  private final @Nullable RecoveryDemand demand;

  // Guarded by this.
  private boolean claimed;
  private boolean acknowledged;
  private boolean cancelled;
  private long offeredAt;

  QueryHandle(
      Connection connection,
      long id,
      int record,
      int instance,
      QueryKind kind,
      String requestId,
      @Nullable RecoveryDemand demand) {
    super(connection, id, record, FIRST_REVISION);
    this.instance = instance;
    this.kind = kind;
    this.requestId = requestId;
    this.demand = demand;
  }

  ClientMessage.Submit message(int revision, long[] keys) {
    return new ClientMessage.Submit(
        id(),
        revision,
        record,
        instance,
        kind,
        requestId,
        demand == null
            ? PREFIX_GROUP
            : demand.ranges().stream().mapToInt(GroupRange::group).toArray(),
        demand == null ? new int[] {keys.length / 2} : pagesOf(demand),
        keys,
        demand);
  }

  /** Pages of each range of a demand. */
  static int[] pagesOf(RecoveryDemand demand) {
    return demand.ranges().stream().mapToInt(range -> range.pages(demand.pageTokens())).toArray();
  }

  /**
   * The preparation is wanted now.
   *
   * @return false when its end is known already
   */
  boolean claim(boolean countLookup) {
    synchronized (this) {
      if (cancelled || answer().state().terminal()) {
        return false;
      }
      claimed = true;
      showLoading();
      // Under the lock: once the end is seen the record serves somebody else.
      connection.send(new ClientMessage.Claim(id(), currentRevision(), record, countLookup));
    }
    return true;
  }

  /** The engine's name of the request. */
  public String requestId() {
    return requestId;
  }

  /** The revision whose answer this is or will be, from 1. */
  public int revision() {
    return currentRevision();
  }

  /** The lease that was offered, or {@link LeaseId#NONE}. */
  public LeaseId lease() {
    return answer().lease();
  }

  /**
   * Tells the Manager that the offer was seen: from now on the lease lives its full time.
   * Idempotent.
   *
   * @throws IllegalStateException when there is no offer
   * @throws ConnectionClosedException when the connection has ended
   */
  public void taken() {
    int revision;
    synchronized (this) {
      if (answer().state() != AnswerState.READY) {
        throw new IllegalStateException(this + ": only an offer can be taken");
      }
      if (acknowledged) {
        return;
      }
      acknowledged = true;
      revision = currentRevision();
    }
    connection.send(new ClientMessage.Taken(id(), revision));
    connection.forgetOffer(lease());
    giveRecordBack();
  }

  /**
   * Ends the interest: nothing is read for this query any more, and its lease, offered or taken,
   * goes back. Idempotent, and does nothing once the query ended without a lease or the connection
   * ended.
   */
  public void cancel() {
    int revision;
    LeaseId lease;
    synchronized (this) {
      Answer known = answer();
      boolean pending = !known.state().terminal();
      if (cancelled || (!pending && known.state() != AnswerState.READY)) {
        return;
      }
      cancelled = true;
      acknowledged = true;
      revision = currentRevision();
      lease = known.lease();
    }
    try {
      connection.send(new ClientMessage.Cancel(id(), revision));
    } catch (ConnectionClosedException ended) {
      // So has the interest.
      return;
    }
    connection.forgetOffer(lease);
    synchronized (this) {
      // The answer may have come in between; the Manager dropped its lease with the cancel.
      if (!endLocally(Answer.CANCELLED)) {
        connection.forgetOffer(lease());
      }
    }
    giveRecordBack();
  }

  /**
   * Asks for other keys under the same request: the former revision's interest and offer end, its
   * answer is never seen again.
   *
   * @param keys as (high, low) pairs
   * @throws IllegalStateException when the query ended, its offer was taken, or it is no query over
   *     a prefix: make a new query
   * @throws OrbitKvException when there are more keys than the Manager accepts
   * @throws ConnectionClosedException when the connection has ended
   */
  public void revise(long[] keys) {
    synchronized (this) {
      AnswerState state = answer().state();
      if (kind != QueryKind.DEMAND && kind != QueryKind.PRODUCER_WAIT) {
        throw new IllegalStateException(this + ": is of kind [" + kind + "], make a new query");
      }
      if (cancelled || acknowledged || (state.terminal() && state != AnswerState.READY)) {
        throw new IllegalStateException(this + ": has ended or was taken, make a new query");
      }
      LeaseId former = lease();
      connection.checkKeys(keys);
      // Locked while it is sent, so that an answer to the former revision is not taken for one to
      // the new; expected
      // before, since the new one's answer may be here first.
      connection.expect(this);
      boolean sent = false;
      try {
        connection.send(message(currentRevision() + 1, keys));
        sent = true;
      } finally {
        if (!sent && state.terminal()) {
          connection.forget(id());
        }
      }
      nextRevision();
      connection.forgetOffer(former);
    }
  }

  /** The lease was restored or released by its id. */
  void acknowledgedByLease() {
    synchronized (this) {
      acknowledged = true;
    }
    giveRecordBack();
  }

  /** Whether the offer has lapsed for certain. */
  synchronized boolean lapsed(long now, long lifetimeNanos) {
    return answer().state() == AnswerState.READY && now - offeredAt > lifetimeNanos;
  }

  @Override
  AnswerState shown(AnswerState pending, long detail) {
    return kind == QueryKind.PREPARE && !claimed && pending == AnswerState.PREPARED
        ? pending
        : AnswerState.LOADING;
  }

  @Override
  boolean isPossible(AnswerState state, int hits, long detail) {
    return switch (state) {
      case READY, MISS, BUSY, CANCELLED, REFUSED -> true;
      case WARMED -> kind == QueryKind.WARM;
      case LOADING, RESTORED, PUBLISHED, FAILED, PREPARED, SUBMITTED -> false;
    };
  }

  @Override
  boolean isUsable(Answer terminal) {
    // Strict recovery is all or nothing: an offer of anything else restores a wrong state.
    return demand == null
        || terminal.state() != AnswerState.READY
        || (!terminal.lease().isNone() && terminal.hits() == Arrays.stream(pagesOf(demand)).sum());
  }

  @Override
  boolean keepsRecord(Answer terminal) {
    return terminal.state() == AnswerState.READY && !terminal.lease().isNone();
  }

  @Override
  boolean boardOutlivesConnection() {
    // A lease ends with its connection, so an offer that nobody has seen is worth nothing.
    return false;
  }

  @Override
  void onEnd(Answer terminal) {
    if (keepsRecord(terminal)) {
      offeredAt = connection.now();
      connection.rememberOffer(terminal.lease(), this);
    }
  }
}
