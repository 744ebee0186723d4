package io.orbitkv.kernel.read;

import java.util.ArrayList;
import java.util.List;

/**
 * One page in flight from the backing tier, and who waits for it. Exists from its submission to its
 * report: nobody can wait for a read that was not submitted.
 */
final class PageRead {
  final long ticket;
  final int page;
  final int domain;
  final long keyHigh;
  final long keyLow;

  /** Whether speculation began it. */
  final boolean speculated;

  /** Whether nobody but speculation ever waited for it. */
  boolean speculative;

  /** Whether the command to read it left already: only then can it be raised by another one. */
  boolean submitted;

  final List<Waiter> waiters = new ArrayList<>(1);

  PageRead(long ticket, int page, int domain, long keyHigh, long keyLow, boolean speculative) {
    this.ticket = ticket;
    this.page = page;
    this.domain = domain;
    this.keyHigh = keyHigh;
    this.keyLow = keyLow;
    this.speculated = speculative;
    this.speculative = speculative;
  }

  /** Pages of a task that were submitted or joined together. */
  static final class Batch {
    int size;
    int left;
  }

  /**
   * A place of a task that gets the page.
   *
   * @param mayReplan whether the place may be looked for once more when the read fails: it was
   *     somebody else's read
   */
  record Waiter(ReadTask task, int place, Batch batch, boolean mayReplan) {}
}
