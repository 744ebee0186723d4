package io.orbitkv.client;

import io.orbitkv.api.query.AnswerState;
import io.orbitkv.api.recovery.RecoveryDemand;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Pages that are being brought into host memory for a request that is not asked for yet. The
 * Manager gives an unclaimed preparation up after a second, this client after {@link #INTEREST}, so
 * that a claim never races that end. Any thread.
 */
public final class Preparation {
  /** How long a preparation can be claimed. */
  public static final Duration INTEREST = Duration.ofMillis(900);

  private final Connection connection;
  private final Hints hints;
  private final QueryHandle query;
  private final long[] keys;
  private final @Nullable RecoveryDemand demand;
  private final long startedNanos;

  Preparation(
      Connection connection,
      Hints hints,
      QueryHandle query,
      long[] keys,
      @Nullable RecoveryDemand demand,
      long startedNanos) {
    this.connection = connection;
    this.hints = hints;
    this.query = query;
    this.keys = keys.clone();
    this.demand = demand;
    this.startedNanos = startedNanos;
  }

  /** The engine's name of the request. */
  public String requestId() {
    return query.requestId();
  }

  /**
   * Looks how far it is.
   *
   * @return {@link AnswerState#LOADING}, {@link AnswerState#PREPARED}, or how it ended: {@link
   *     AnswerState#BUSY} when the Manager had no room for it, {@link AnswerState#MISS} when it
   *     expired
   * @throws ConnectionClosedException when the connection has ended
   */
  public AnswerState poll() {
    return query.poll();
  }

  /**
   * Wants the pages now: the preparation becomes a query with the lifetime of one.
   *
   * @param countLookup whether this is the request's logical lookup and counted as a query
   * @return the query, whose answer may still be {@link AnswerState#BUSY}; empty when the
   *     preparation has ended or is too old, and has been cancelled then: ask anew
   * @throws ConnectionClosedException when the connection has ended
   */
  public Optional<QueryHandle> claim(boolean countLookup) {
    if (!hints.remove(this)) {
      return Optional.empty();
    }
    if (isOld(connection.now())) {
      query.cancel();
      return Optional.empty();
    }
    return query.claim(countLookup) ? Optional.of(query) : Optional.empty();
  }

  /** Gives it up, unless it was claimed. Idempotent. */
  public void cancel() {
    if (hints.remove(this)) {
      query.cancel();
    }
  }

  boolean isOld(long nowNanos) {
    return nowNanos - startedNanos >= INTEREST.toNanos();
  }

  /** Whether it is a preparation of exactly this. */
  boolean isFor(long[] wantedKeys, @Nullable RecoveryDemand wantedDemand) {
    return Objects.equals(demand, wantedDemand) && Arrays.equals(keys, wantedKeys);
  }

  /** Whether nothing comes of it any more, looked up now. */
  boolean hasEnded() {
    try {
      return query.poll().terminal();
    } catch (ConnectionClosedException ended) {
      return true;
    }
  }

  QueryHandle query() {
    return query;
  }
}
