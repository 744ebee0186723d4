package io.orbitkv.kernel.operation;

import io.orbitkv.kernel.BrokenInvariant;
import io.orbitkv.kernel.Event;
import io.orbitkv.kernel.budget.Permit;
import org.jspecify.annotations.Nullable;

/**
 * One revision of a query of one session: its interest in a {@link Decision}, which it may share
 * with the other ranks of its instance. Dispatcher.
 */
public final class QueryOperation implements Operation {
  /** No worker of the instance. */
  static final int NO_RANK = -1;

  private final Session session;
  private final long id;
  private final int revision;
  private final ContentDigest digest;
  private final Decision decision;
  private final Permit permit;
  private final int rank;
  private int record;
  private Standing standing = Standing.PENDING;
  private boolean claimed;
  long offerDeadlineNanos;
  @Nullable OfferList listedIn;
  @Nullable QueryOperation earlierOffer;
  @Nullable QueryOperation laterOffer;

  /**
   * A query that waits for its decision.
   *
   * @param rank of its session in the instance, or {@link #NO_RANK}
   * @param claimed false for a preparation
   */
  QueryOperation(
      Session session,
      Event.Submit submit,
      ContentDigest digest,
      Decision decision,
      Permit permit,
      int rank,
      boolean claimed) {
    this.session = session;
    this.id = submit.operation();
    this.revision = submit.revision();
    this.record = submit.record();
    this.digest = digest;
    this.decision = decision;
    this.permit = permit;
    this.rank = rank;
    this.claimed = claimed;
  }

  /** Where a query stands. A query whose lease is not consumed stays known to its session. */
  enum Standing {
    /** Undecided, or a preparation that nobody claimed. Holds its permit. */
    PENDING,
    /** Answered with an offer that it did not acknowledge yet. Holds its permit. */
    OFFERED,
    /** The offer was acknowledged: only the lease is left. */
    LEASED,
    /** Answered or given up; nothing is left. */
    ENDED
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

  Decision decision() {
    return decision;
  }

  Permit permit() {
    return permit;
  }

  /** The rank whose share it may give back, or {@link #NO_RANK}. */
  int rank() {
    return rank;
  }

  Standing standing() {
    return standing;
  }

  /** Whether it wants its pages now; false for a preparation that was not claimed. */
  boolean claimed() {
    return claimed;
  }

  /** A preparation is wanted now; its answer goes to a record of the claim's choice. */
  void claim(int newRecord) {
    claimed = true;
    record = newRecord;
  }

  /** Moves on; a query never goes back. */
  void become(Standing next) {
    boolean legal =
        switch (standing) {
          case PENDING -> next == Standing.OFFERED || next == Standing.ENDED;
          case OFFERED -> next == Standing.LEASED || next == Standing.ENDED;
          case LEASED -> next == Standing.ENDED;
          case ENDED -> false;
        };
    if (!legal) {
      throw new BrokenInvariant("query [" + id + "] goes from " + standing + " to " + next);
    }
    standing = next;
  }

  /** Whether a later revision asks for the same request of the same instance. */
  boolean sameRequest(ContentDigest other) {
    return digest.sameRequest(other);
  }

  /** Whether it is the very same question. */
  boolean sameContent(ContentDigest other) {
    return digest.equals(other);
  }
}
