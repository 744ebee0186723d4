package io.orbitkv.kernel;

import io.orbitkv.api.lease.BudgetLimits;
import java.time.Duration;

/**
 * Limits and times of the kernel. The defaults are those of the specification.
 *
 * @param budget byte limits of queries
 * @param maxPages pages in all states that the residency table can hold
 * @param limits numbers of operations
 * @param lifetimes how long things live
 * @param reads from the backing tier
 * @param writes to the backing tier; {@link WriteSettings#NONE} without one
 * @param certificateEvery each so manieth offer is proven against the pages themselves; 0 for none
 */
public record KernelSettings(
    BudgetLimits budget,
    int maxPages,
    OperationLimits limits,
    Lifetimes lifetimes,
    ReadSettings reads,
    WriteSettings writes,
    int certificateEvery) {
  /** Interval of {@link Event.Tick}. */
  public static final Duration TICK = Duration.ofMillis(250);

  /** Open leases of one session, offers included; beyond it queries are answered with BUSY. */
  public static final int SESSION_LEASES = 4096;

  /** Syncs of one session that were not answered; beyond it they are refused with LIMIT. */
  public static final int SESSION_SYNCS = 16;

  /**
   * Bytes that the keys of all undecided queries, of all publishes that are not over and of the
   * engines' queues may take of the heap; beyond it queries are answered with BUSY and publishes
   * refused with LIMIT.
   */
  public static final long PENDING_KEY_BYTES = 64L << 20;

  /** One offer in so many is proven in production. */
  public static final int CERTIFICATE_EVERY = 64;

  /** The specification's limits and times, without a backing tier. */
  public static KernelSettings of(BudgetLimits budget, int maxPages) {
    return new KernelSettings(
        budget,
        maxPages,
        OperationLimits.DEFAULT,
        Lifetimes.DEFAULT,
        ReadSettings.DEFAULT,
        WriteSettings.NONE,
        CERTIFICATE_EVERY);
  }

  /** The same with other numbers of operations. */
  public KernelSettings with(OperationLimits newLimits) {
    return new KernelSettings(
        budget, maxPages, newLimits, lifetimes, reads, writes, certificateEvery);
  }

  /** The same with other times. */
  public KernelSettings with(Lifetimes newLifetimes) {
    return new KernelSettings(
        budget, maxPages, limits, newLifetimes, reads, writes, certificateEvery);
  }

  /** The same with a backing tier that is used so. */
  public KernelSettings with(ReadSettings newReads, WriteSettings newWrites) {
    return new KernelSettings(
        budget, maxPages, limits, lifetimes, newReads, newWrites, certificateEvery);
  }

  /** The same with another share of offers that are proven. */
  public KernelSettings withCertificateEvery(int offers) {
    return new KernelSettings(budget, maxPages, limits, lifetimes, reads, writes, offers);
  }
}
