package io.orbitkv.workload.ssd;

import io.orbitkv.api.backing.BackingStatus;
import io.orbitkv.api.backing.BackingTier;
import io.orbitkv.api.backing.StoredKey;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * What a tier reports, on threads of its own, until the one thread takes it that submits. The time
 * of a report is taken where it arrives.
 */
final class TierReports implements BackingTier.Listener {
  /** What was reported. */
  enum Kind {
    /** A page can be found. */
    STORED,
    /** A page is gone. */
    LOST,
    /** A read ended. */
    READ,
    /** A write ended. */
    WRITTEN,
    /** Something else that was asked for ended. */
    DONE
  }

  /**
   * A report.
   *
   * @param kind what was reported
   * @param number of the page, or the ticket
   * @param status how it ended
   * @param nanos when it arrived
   */
  record Report(Kind kind, long number, BackingStatus status, long nanos) {}

  private final ConcurrentLinkedQueue<Report> reports = new ConcurrentLinkedQueue<>();
  private final Thread owner = Thread.currentThread();

  /** The owner's next report, or null. */
  @Nullable Report poll() {
    return reports.poll();
  }

  /** The owner waits until there may be a report, at most for so long. */
  void await(long nanos) {
    if (reports.isEmpty() && nanos > 0) {
      LockSupport.parkNanos(this, nanos);
    }
  }

  private void add(Kind kind, long number, BackingStatus status) {
    reports.add(new Report(kind, number, status, System.nanoTime()));
    LockSupport.unpark(owner);
  }

  @Override
  public void stored(StoredKey key, long bytes) {
    add(Kind.STORED, PageNumbers.of(key), BackingStatus.DONE);
  }

  @Override
  public void lost(StoredKey key) {
    add(Kind.LOST, PageNumbers.of(key), BackingStatus.DONE);
  }

  @Override
  public void readDone(long ticket, BackingStatus status) {
    add(Kind.READ, ticket, status);
  }

  @Override
  public void writeDone(long ticket, BackingStatus status) {
    add(Kind.WRITTEN, ticket, status);
  }

  @Override
  public void evicted(long ticket) {
    add(Kind.DONE, ticket, BackingStatus.DONE);
  }

  @Override
  public void forgotten(long ticket, BackingStatus status, long pages) {
    add(Kind.DONE, ticket, status);
  }

  @Override
  public void flushed(long ticket, BackingStatus status) {
    add(Kind.DONE, ticket, status);
  }
}
