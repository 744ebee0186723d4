package io.orbitkv.kernel.operation;

import io.orbitkv.api.lease.LeaseId;
import io.orbitkv.api.query.AnswerState;
import io.orbitkv.kernel.BrokenInvariant;
import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.budget.Permits;
import io.orbitkv.kernel.lease.Lease;
import io.orbitkv.kernel.lease.Leases;
import io.orbitkv.kernel.operation.Decision.State;
import io.orbitkv.kernel.operation.QueryOperation.Standing;
import io.orbitkv.kernel.step.Step;
import org.jspecify.annotations.Nullable;

/**
 * What each query that shares a decision holds and is told: its permit, its board record, its offer
 * and its share. What becomes of the decision is the business of {@link Decisions}. Dispatcher.
 */
final class Interests {
  private final Step step;
  private final Replies replies;
  private final Permits permits;
  private final Leases leases;
  private final OfferList offers = new OfferList();
  private final OfferList stragglers = new OfferList();

  Interests(Step step, Replies replies, Permits permits, Leases leases) {
    this.step = step;
    this.replies = replies;
    this.permits = permits;
    this.leases = leases;
  }

  /** A query that wants its pages is told of the lease. */
  void offer(QueryOperation query) {
    stragglers.remove(query);
    query.become(Standing.OFFERED);
    query.offerDeadlineNanos = step.nowNanos() + step.settings().lifetimes().offer().toNanos();
    offers.add(query);
    tell(query, query.record());
  }

  /** Another rank claimed: this one has as long as for a preparation of its own. */
  void straggle(QueryOperation query) {
    query.offerDeadlineNanos =
        step.nowNanos() + step.settings().lifetimes().preparation().toNanos();
    stragglers.add(query);
  }

  /** An offer was seen, by whatever message: the query gives up its permit and its record. */
  void acknowledge(QueryOperation query) {
    if (query.standing() == Standing.OFFERED) {
      query.become(Standing.LEASED);
      offers.remove(query);
      giveUpPermit(query);
      query.session().leases++;
      Lease lease = query.decision().lease;
      if (lease != null) {
        leases.acknowledge(lease);
      }
    }
  }

  /** One rank of several does without its share. */
  void giveBackShare(QueryOperation query) {
    Lease lease = query.decision().lease;
    if (lease != null && query.rank() != QueryOperation.NO_RANK) {
      leases.giveBack(lease, query.rank());
    }
  }

  /** A query ends with an answer. */
  void finish(QueryOperation query, AnswerState state, int hits) {
    remove(query);
    query.decision().queries().remove(query);
    answer(query, query.record(), state, hits, LeaseId.NONE);
  }

  /** A query ends: what it holds goes back. */
  void remove(QueryOperation query) {
    switch (query.standing()) {
      case PENDING -> {
        stragglers.remove(query);
        giveUpPermit(query);
      }
      case OFFERED -> {
        offers.remove(query);
        giveUpPermit(query);
      }
      case LEASED -> query.session().leases--;
      case ENDED -> throw new BrokenInvariant("query [" + query.id() + "] ends twice");
    }
    query.become(Standing.ENDED);
    query.session().operations().remove(query.id());
  }

  private void giveUpPermit(QueryOperation query) {
    permits.release(query.permit());
    query.session().free(query.record(), query.id());
  }

  // ---- time ------------------------------------------------------------------------------------

  /** The next offer that nobody took in time, or null. It is the caller's to end. */
  @Nullable QueryOperation lapsedOffer(long nowNanos) {
    return due(offers, nowNanos);
  }

  /** Ranks that did not claim in time what another one claimed are told a miss. */
  void endStragglers(long nowNanos) {
    for (QueryOperation query = due(stragglers, nowNanos);
        query != null;
        query = due(stragglers, nowNanos)) {
      giveBackShare(query);
      if (query.standing() == Standing.PENDING) {
        finish(query, AnswerState.MISS, 0);
      }
    }
  }

  private static @Nullable QueryOperation due(OfferList list, long nowNanos) {
    QueryOperation oldest = list.oldest();
    return oldest != null && oldest.offerDeadlineNanos - nowNanos <= 0 ? oldest : null;
  }

  // ---- answers ---------------------------------------------------------------------------------

  /** The present state of a query, for its client. */
  void tell(QueryOperation query, int record) {
    switch (query.standing()) {
      case PENDING -> {
        State state = query.decision().state();
        boolean prepared = !query.claimed() && (state == State.PREPARED || state == State.OPEN);
        answer(
            query, record, prepared ? AnswerState.PREPARED : AnswerState.LOADING, 0, LeaseId.NONE);
      }
      case OFFERED, LEASED -> {
        Lease lease = query.decision().lease;
        if (lease != null) {
          answer(query, record, AnswerState.READY, lease.pages().length, lease.id());
        }
      }
      case ENDED -> {}
    }
  }

  private void answer(
      QueryOperation query, int record, AnswerState state, int hits, LeaseId lease) {
    boolean claimed = state == AnswerState.READY && query.decision().claimedFromQueue;
    replies.answer(
        query.session(),
        query.id(),
        query.revision(),
        record,
        state,
        hits,
        claimed ? Command.CLAIMED_PREPARATION : 0,
        lease,
        "");
  }
}
