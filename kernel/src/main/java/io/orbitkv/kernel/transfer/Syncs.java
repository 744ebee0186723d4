package io.orbitkv.kernel.transfer;

import io.orbitkv.kernel.operation.Replies;
import io.orbitkv.kernel.operation.Session;
import java.util.ArrayList;
import java.util.List;

/**
 * Clients that wait for all publishes accepted before their request.
 *
 * <p>A discarded page slot concerns every sync that stands at or after its publish. It is counted
 * at the first of them alone; what a sync tells is the sum up to its own place, less what was
 * counted before it came. So a discard costs a binary search, however many wait.
 */
final class Syncs {
  private final Replies replies;
  private final DurableSyncs durables;
  // In order of their sequences, which never fall.
  private final List<Sync> waiting = new ArrayList<>();
  // Counted at syncs that were answered.
  private long answered;
  // The same, and what is counted at those that wait.
  private long counted;

  Syncs(Replies replies, DurableSyncs durables) {
    this.replies = replies;
    this.durables = durables;
  }

  private static final class Sync {
    final Session session;
    final long operation;
    final boolean durable;
    final long sequence;
    final long countedBefore;
    long discarded;

    Sync(Session session, long operation, boolean durable, long sequence, long countedBefore) {
      this.session = session;
      this.operation = operation;
      this.durable = durable;
      this.sequence = sequence;
      this.countedBefore = countedBefore;
    }
  }

  /** Waits for all publishes up to a sequence, and then for their writes where it is durable. */
  void add(Session session, long operation, boolean durable, long sequence) {
    session.addSyncs(1);
    waiting.add(new Sync(session, operation, durable, sequence, counted));
  }

  /** A page slot of a publish was discarded. */
  void discarded(long sequence) {
    int low = 0;
    int high = waiting.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (waiting.get(middle).sequence < sequence) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    if (low < waiting.size()) {
      waiting.get(low).discarded++;
      counted++;
    }
  }

  /** Answers whoever waits for nothing older than a sequence. */
  void settle(long oldestSequence) {
    int over = 0;
    while (over < waiting.size() && waiting.get(over).sequence < oldestSequence) {
      Sync sync = waiting.get(over++);
      answered += sync.discarded;
      long discarded = answered - sync.countedBefore;
      if (sync.durable) {
        durables.add(sync.session, sync.operation, discarded);
      } else {
        sync.session.addSyncs(-1);
        replies.done(sync.session, sync.operation, discarded);
      }
    }
    waiting.subList(0, over).clear();
  }

  /** Its syncs go; what was counted at them counts for those behind them. */
  void sessionClosed(Session session) {
    long left = 0;
    int kept = 0;
    for (Sync sync : waiting) {
      if (sync.session == session) {
        left += sync.discarded;
      } else {
        sync.discarded += left;
        left = 0;
        waiting.set(kept++, sync);
      }
    }
    // Nobody is left behind the last ones, and who comes later is not concerned.
    counted -= left;
    waiting.subList(kept, waiting.size()).clear();
  }
}
