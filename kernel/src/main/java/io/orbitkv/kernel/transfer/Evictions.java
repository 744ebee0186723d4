package io.orbitkv.kernel.transfer;

import io.orbitkv.api.query.ErrorCode;
import io.orbitkv.kernel.KernelSettings;
import io.orbitkv.kernel.operation.Replies;
import io.orbitkv.kernel.operation.Session;
import io.orbitkv.kernel.residency.Residency;
import java.util.ArrayDeque;

/**
 * Removal of all pages from host residency on request, some at a time, so that no step is long.
 * Dispatcher.
 */
public final class Evictions {
  /** Page numbers looked at in one step. */
  static final int SLICE = 16_384;

  private final Replies replies;
  private final Residency residency;
  private final ArrayDeque<Eviction> running = new ArrayDeque<>();

  /** Nothing is being evicted. */
  public Evictions(Replies replies, Residency residency) {
    this.replies = replies;
    this.residency = residency;
  }

  private static final class Eviction {
    final Session session;
    final long operation;
    final int end;
    int next;
    long freedBytes;

    Eviction(Session session, long operation, int end) {
      this.session = session;
      this.operation = operation;
      this.end = end;
    }
  }

  /** A client wants every page that is resident now to be unfindable. */
  public void evict(Session session, long operation) {
    long own = running.stream().filter(eviction -> eviction.session == session).count();
    if (own >= KernelSettings.SESSION_SYNCS) {
      replies.refuse(session, operation, ErrorCode.LIMIT, "[" + own + "] evictions run already");
      return;
    }
    running.add(new Eviction(session, operation, residency.highWater()));
    slice();
  }

  /** The session's evictions need no answer any more. What they have made unfindable stays so. */
  public void sessionClosed(Session session) {
    running.removeIf(eviction -> eviction.session == session);
  }

  /** Goes on with the oldest one. */
  public void slice() {
    Eviction eviction = running.peek();
    if (eviction == null) {
      return;
    }
    int to = Math.min(eviction.end, eviction.next + SLICE);
    eviction.freedBytes += residency.evictRange(eviction.next, to);
    eviction.next = to;
    if (to == eviction.end) {
      running.remove();
      replies.done(eviction.session, eviction.operation, eviction.freedBytes);
    }
  }

  /** Whether a further slice is to follow. */
  public boolean running() {
    return !running.isEmpty();
  }
}
