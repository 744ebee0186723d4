package io.orbitkv.kernel.transfer;

import io.orbitkv.api.backing.BackingStatus;
import io.orbitkv.api.query.ErrorCode;
import io.orbitkv.kernel.BrokenInvariant;
import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.Event;
import io.orbitkv.kernel.operation.Replies;
import io.orbitkv.kernel.operation.Session;
import io.orbitkv.kernel.step.Step;
import io.orbitkv.kernel.table.LongMap;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Clients whose publishes are all settled and that wait until what is queued for the backing tier
 * is written and flushed. Dispatcher.
 */
public final class DurableSyncs {
  private final Step step;
  private final Replies replies;
  private final Writes writes;
  private final StoreTickets tickets;
  private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
  private final LongMap<Waiting> flushing = new LongMap<>();

  /** Nobody waits. */
  public DurableSyncs(Step step, Replies replies, Writes writes, StoreTickets tickets) {
    this.step = step;
    this.replies = replies;
    this.writes = writes;
    this.tickets = tickets;
  }

  private record Waiting(Session session, long operation, long discarded, WriteBatch batch) {}

  /**
   * A client waits for what is queued now.
   *
   * @param discarded its answer when all went well
   */
  void add(Session session, long operation, long discarded) {
    waiting.add(new Waiting(session, operation, discarded, writes.mark()));
  }

  /** Whether somebody waits for writes, or for a policy's word about them. */
  public boolean waiting() {
    return !waiting.isEmpty();
  }

  /** At the end of each step: flushes for those whose pages are all written or given up. */
  public void pump() {
    for (WriteBatch ended = writes.ended(); ended != null; ended = writes.ended()) {
      Waiting first = waiting.poll();
      if (first == null || first.batch() != ended) {
        throw new BrokenInvariant("a batch of writes has ended that nobody waits for");
      }
      if (first.session().closed()) {
        continue;
      }
      long ticket = tickets.open();
      flushing.put(ticket, first);
      step.emit(new Command.FlushStore(ticket));
    }
  }

  /** The one report of a flush. */
  public void flushed(Event.StoreFlushed report) {
    @Nullable Waiting flushed = flushing.remove(report.ticket());
    if (flushed == null) {
      throw new BrokenInvariant(
          "flush [" + report.ticket() + "] reports its end, but does not run");
    }
    tickets.close();
    flushed.session().addSyncs(-1);
    if (report.status() == BackingStatus.DONE) {
      replies.done(flushed.session(), flushed.operation(), flushed.discarded());
    } else {
      replies.refuse(
          flushed.session(),
          flushed.operation(),
          ErrorCode.DEVICE,
          "the backing tier could not make its pages durable ("
              + report.status()
              + "): see the Manager's log and `orbitkv status`");
    }
  }
}
