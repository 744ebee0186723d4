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
 *     publishes
 * @param maxQueryPages pages in one query, restore or publish
 * @param sessionLeases taken leases and pending queries of one session: leases are limited by the
 *     bytes of their pages, this limits what many small ones take of the heap
 * @param waitingKeyBytes bytes of keys that waiting queries of all sessions hold on the heap
 * @param livePublishBytes bytes that publishes of all sessions that are not over hold on the heap
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
    int sessionLeases,
    long waitingKeyBytes,
    long livePublishBytes,
    Duration operationLifetime,
    Duration leaseLifetime,
    Duration offerLifetime,
    Duration unsealedLifetime) {
  /** Interval of {@link Event.Tick}. */
  public static final Duration TICK = Duration.ofMillis(250);

  /** The specification's limits and times. */
  public static KernelSettings of(BudgetLimits budget, int maxPages) {
    return new KernelSettings(
        budget,
        maxPages,
        128,
        1024,
        1024,
        1 << 16,
        4096,
        64L << 20,
        64L << 20,
        Duration.ofSeconds(60),
        Duration.ofSeconds(600),
        Duration.ofSeconds(5),
        Duration.ofMinutes(5));
  }

  /** The same with other limits on what clients' operations take of the heap. */
  public KernelSettings withHeapLimits(
      int newSessionLeases, long newWaitingKeyBytes, long newLivePublishBytes) {
    return new KernelSettings(
        budget,
        maxPages,
        sessionOperations,
        managerOperations,
        sessionCopies,
        maxQueryPages,
        newSessionLeases,
        newWaitingKeyBytes,
        newLivePublishBytes,
        operationLifetime,
        leaseLifetime,
        offerLifetime,
        unsealedLifetime);
  }
}
