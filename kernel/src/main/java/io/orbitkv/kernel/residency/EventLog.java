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

  /**
   * Where the next events go, of which at least one fits, or null when there is no room.
   *
   * <p>Events are counted by {@link #happened} and {@link #dropped}.
   */
  ColumnPool.@Nullable Batch next() {
    if (filling != null && filling.columns().full()) {
      flush();
    }
    if (filling == null) {
      filling = pool.take();
    }
    return filling;
  }

  /** Entries that were added are events of now. */
  void happened(PageColumns columns, int entry, int count, PageEvents.Kind kind) {
    columns.events(entry, count, kind, step.nowNanos());
    step.count(KernelCounter.PAGE_EVENTS_TOLD, count);
  }

  /** There was no room for events. */
  void dropped(int count) {
    step.count(KernelCounter.PAGE_EVENTS_DROPPED, count);
  }

  /** How many events fit into the message that is being filled. */
  int room() {
    return filling == null ? 0 : filling.columns().room();
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
