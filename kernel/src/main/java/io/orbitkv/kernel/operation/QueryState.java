package io.orbitkv.kernel.operation;

import io.orbitkv.kernel.lease.Lease;

/**
 * Where a query stands. A query whose pages are all in memory goes straight from its admission to
 * its answer; reads from a backing tier will have their state between {@link Waiting} and {@link
 * Offered}.
 */
public sealed interface QueryState {
  /** In the line for bytes. */
  record Waiting() implements QueryState {}

  /** Answered with an offer that nobody acknowledged yet. Holds the permit of the query. */
  record Offered(Lease lease) implements QueryState {}

  /** The offer was acknowledged: only the lease is left. */
  record Leased(Lease lease) implements QueryState {}

  /** Answered or given up; nothing is left. */
  record Ended() implements QueryState {}
}
