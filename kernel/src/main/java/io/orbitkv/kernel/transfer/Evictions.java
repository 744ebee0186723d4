package io.orbitkv.kernel.transfer;

import io.orbitkv.api.backing.BackingStatus;
import io.orbitkv.api.query.ErrorCode;
import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.Event;
import io.orbitkv.kernel.KernelSettings;
import io.orbitkv.kernel.operation.Replies;
import io.orbitkv.kernel.operation.Session;
import io.orbitkv.kernel.read.Reads;
import io.orbitkv.kernel.residency.Residency;
import io.orbitkv.kernel.residency.StoredPages;
import io.orbitkv.kernel.step.Step;
import java.util.ArrayDeque;

/**
 * Removal of all pages on request: from host memory, some at a time, so that no step is long, and
 * from the backing tier before that where it is asked for. Dispatcher.
 *
 * <p>With the backing tier: writes are held until the end, so that nothing is stored behind the
 * eviction's back; once those in flight have reported, the tier forgets everything, which is
 * durable when it says so; what reads in flight then still bring counts as absent.
 */
public final class Evictions {
  /** Page numbers looked at in one step. */
  static final int SLICE = 16_384;

  private final Step step;
  private final Replies replies;
  private final Residency residency;
  private final StoredPages stored;
  private final Reads reads;
  private final Writes writes;
  private final StoreTickets tickets;
  private final ArrayDeque<Eviction> running = new ArrayDeque<>();

  /** Nothing is being evicted. */
  public Evictions(
      Step step,
      Replies replies,
      Residency residency,
      StoredPages stored,
      Reads reads,
      Writes writes,
      StoreTickets tickets) {
    this.step = step;
    this.replies = replies;
    this.residency = residency;
    this.stored = stored;
    this.reads = reads;
    this.writes = writes;
    this.tickets = tickets;
  }

  private enum Phase {
    /** Writes in flight have to end. */
    WRITES,
    /** The backing tier forgets. */
    STORE,
    /** Pages leave host memory. */
    HOST
  }

  private static final class Eviction {
    final Session session;
    final long operation;
    final boolean everywhere;
    Phase phase;
    BackingStatus status = BackingStatus.DONE;
    long ticket;
    int end;
    int next;
    long freedBytes;

    Eviction(Session session, long operation, boolean everywhere, int end) {
      this.session = session;
      this.operation = operation;
      this.everywhere = everywhere;
      this.phase = everywhere ? Phase.WRITES : Phase.HOST;
      this.end = end;
    }
  }

  /**
   * A client wants every page that is there now to be unfindable.
   *
   * @param everywhere in the backing tier too, if there is one
   */
  public void evict(Session session, long operation, boolean everywhere) {
    long own = running.stream().filter(eviction -> eviction.session == session).count();
    if (own >= KernelSettings.SESSION_SYNCS) {
      replies.refuse(session, operation, ErrorCode.LIMIT, "[" + own + "] evictions run already");
      return;
    }
    boolean backing = everywhere && step.settings().writes().present();
    running.add(new Eviction(session, operation, backing, residency.highWater()));
    slice();
  }

  /**
   * The session's evictions need no answer any more. What they have made unfindable stays so; one
   * that the backing tier takes part in goes on.
   */
  public void sessionClosed(Session session) {
    Eviction first = running.peek();
    running.removeIf(
        eviction -> eviction.session == session && !(eviction.everywhere && eviction == first));
  }

  /** Goes on with the oldest one. */
  public void slice() {
    Eviction eviction = running.peek();
    if (eviction == null || eviction.phase != Phase.HOST) {
      return;
    }
    int to = Math.min(eviction.end, eviction.next + SLICE);
    eviction.freedBytes += residency.evictRange(eviction.next, to);
    eviction.next = to;
    if (to == eviction.end) {
      running.remove();
      finish(eviction);
    }
  }

  /** At the end of each step, before writes are submitted: what waits may go on. */
  public void pump() {
    Eviction eviction = running.peek();
    while (eviction != null) {
      Phase before = eviction.phase;
      advance(eviction);
      Eviction next = running.peek();
      eviction = next == eviction && eviction.phase == before ? null : next;
    }
  }

  private void advance(Eviction eviction) {
    switch (eviction.phase) {
      case WRITES -> {
        writes.hold();
        if (writes.running() == 0) {
          stored.clear();
          eviction.phase = Phase.STORE;
          eviction.ticket = tickets.open();
          step.emit(new Command.EmptyStore(eviction.ticket));
        }
      }
      case STORE, HOST -> {}
    }
  }

  /** The one report of the tier; returns whether it belongs to an eviction. */
  public boolean forgot(Event.StoreForgot report) {
    Eviction eviction = running.peek();
    if (eviction == null || eviction.phase != Phase.STORE || eviction.ticket != report.ticket()) {
      return false;
    }
    tickets.close();
    // What the tier told to be stored before its report is gone as well.
    stored.clear();
    reads.evictInFlight();
    eviction.status = report.status();
    eviction.phase = Phase.HOST;
    eviction.end = residency.highWater();
    slice();
    return true;
  }

  private void finish(Eviction eviction) {
    if (eviction.everywhere) {
      writes.resume();
    }
    if (eviction.status == BackingStatus.DONE) {
      replies.done(eviction.session, eviction.operation, eviction.freedBytes);
    } else {
      replies.refuse(
          eviction.session,
          eviction.operation,
          ErrorCode.DEVICE,
          "nothing is findable any more, but the backing tier could not forget its pages for good ("
              + eviction.status
              + "): they may come back at the next start; see the Manager's log");
    }
  }

  /** Whether something is being evicted. */
  public boolean running() {
    return !running.isEmpty();
  }

  /** Whether a further slice is to follow at once. */
  public boolean slicing() {
    Eviction eviction = running.peek();
    return eviction != null && eviction.phase == Phase.HOST;
  }
}
