package io.orbitkv.kernel.transfer;

import io.orbitkv.kernel.operation.Replies;
import io.orbitkv.kernel.operation.Session;
import java.util.ArrayDeque;
import java.util.Deque;

/** Clients that wait for all publishes accepted before their request. */
final class Syncs {
  private final Replies replies;
  private final Deque<Sync> waiting = new ArrayDeque<>();

  Syncs(Replies replies) {
    this.replies = replies;
  }

  private static final class Sync {
    final Session session;
    final long operation;
    final long sequence;
    long discarded;

    Sync(Session session, long operation, long sequence) {
      this.session = session;
      this.operation = operation;
      this.sequence = sequence;
    }
  }

  /** Waits for all publishes up to a sequence. */
  void add(Session session, long operation, long sequence) {
    session.addSyncs(1);
    waiting.add(new Sync(session, operation, sequence));
  }

  /** A page slot of a publish was discarded. */
  void discarded(long sequence) {
    for (Sync sync : waiting) {
      if (sequence <= sync.sequence) {
        sync.discarded++;
      }
    }
  }

  /** Answers whoever waits for nothing older than a sequence. */
  void settle(long oldestSequence) {
    while (!waiting.isEmpty() && waiting.element().sequence < oldestSequence) {
      Sync sync = waiting.remove();
      sync.session.addSyncs(-1);
      replies.done(sync.session, sync.operation, sync.discarded);
    }
  }

  void sessionClosed(Session session) {
    waiting.removeIf(sync -> sync.session == session);
  }
}
