package io.orbitkv.kernel.residency;

import io.orbitkv.api.policy.PageEvents;
import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.KernelCounter;
import io.orbitkv.kernel.policy.PageColumns;
import io.orbitkv.kernel.step.Step;
import org.jspecify.annotations.Nullable;

/**
 * Events of pages on their way to a policy, in the order in which they happened. They go in batches
 * when some have come together, at a tick, and before each question. When the policy does not keep
 * up they are dropped and counted. Dispatcher.
 */
final class EventLog {
  /** Events that are worth a message. */
  static final int WORTH = 256;

  /** Most events of a message. */
  static final int BATCH = 1024;

  /** Most messages under way. */
  static final int BATCHES = 32;

  private final PolicySlot slot;
  private final Step step;
  private final ColumnPool pool;
  private ColumnPool.@Nullable Batch filling;

  EventLog(PolicySlot slot, Step step, ColumnPool pool) {
    this.slot = slot;
    this.step = step;
    this.pool = pool;
  }

  /** Where the next event goes, or null when it is dropped. */
  ColumnPool.@Nullable Batch next() {
    if (filling != null && filling.columns().full()) {
      flush();
    }
    if (filling == null) {
      filling = pool.take();
    }
    step.count(
        filling == null ? KernelCounter.PAGE_EVENTS_DROPPED : KernelCounter.PAGE_EVENTS_TOLD);
    return filling;
  }

  /** An entry that was added is an event of now. */
  void happened(PageColumns columns, int entry, PageEvents.Kind kind) {
    columns.event(entry, kind, step.nowNanos());
  }

  /** Sends what there is. */
  void flush() {
    ColumnPool.Batch batch = filling;
    if (batch != null && batch.columns().size() > 0) {
      filling = null;
      step.emit(new Command.ObservePages(slot, batch.columns()));
    }
  }

  /** At the end of each step. */
  void pump() {
    if (filling != null && filling.columns().size() >= WORTH) {
      flush();
    }
  }
}
