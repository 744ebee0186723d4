package io.orbitkv.kernel;

import io.orbitkv.api.lease.BudgetLimits;
import java.time.Duration;

/**
 * Limits and times of the kernel. The defaults are those of the specification.
 *
 * @param budget byte limits of queries
 * @param maxPages resident and unsealed pages that the residency table can hold
 * @param sessionOperations pending queries of one session
 * @param managerOperations pending queries of all sessions
 * @param sessionCopies restores of one session that were not answered; the same limit holds for
 *     publishes that are not over (copied, and committed or given up)
 * @param maxQueryPages pages in one query, restore or publish
 * @param operationLifetime of a pending query
 * @param leaseLifetime of a taken lease
 * @param offerLifetime of an offer that nobody takes
 * @param unsealedLifetime of a page that waits for other ranks or its commit
 */
public record KernelSettings(
    BudgetLimits budget,
    int maxPages,
    int sessionOperations,
    int managerOperations,
    int sessionCopies,
    int maxQueryPages,
    Duration operationLifetime,
    Duration leaseLifetime,
    Duration offerLifetime,
    Duration unsealedLifetime) {
  /** Interval of {@link Event.Tick}. */
  public static final Duration TICK = Duration.ofMillis(250);

  /** Open leases of one session, offers included; beyond it queries are answered with BUSY. */
  public static final int SESSION_LEASES = 4096;

  /** Syncs of one session that were not answered; beyond it they are refused with LIMIT. */
  public static final int SESSION_SYNCS = 16;

  /**
   * Bytes that the keys of all waiting queries and of all publishes that are not over may take of
   * the heap; beyond it queries are answered with BUSY and publishes refused with LIMIT.
   */
  public static final long PENDING_KEY_BYTES = 64L << 20;

  /** The specification's limits and times. */
  public static KernelSettings of(BudgetLimits budget, int maxPages) {
    return new KernelSettings(
        budget,
        maxPages,
        128,
        1024,
        1024,
        1 << 16,
        Duration.ofSeconds(60),
        Duration.ofSeconds(600),
        Duration.ofSeconds(5),
        Duration.ofMinutes(5));
  }
}
