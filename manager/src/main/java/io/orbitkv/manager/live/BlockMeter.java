package io.orbitkv.manager.live;

import io.orbitkv.api.copy.CopyPlan;
import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.Event;
import io.orbitkv.manager.dispatch.DispatchMeter;
import org.jspecify.annotations.Nullable;

/** Lets a running experiment hear what the dispatcher does, beside whoever hears it always. */
public final class BlockMeter implements DispatchMeter {
  private final DispatchMeter next;
  // Dispatcher.
  private @Nullable QueryFigures running;

  /** Nothing runs. */
  public BlockMeter(DispatchMeter next) {
    this.next = next;
  }

  /** Dispatcher. From now on; null for nobody. */
  void measure(@Nullable QueryFigures figures) {
    running = figures;
  }

  @Override
  public void arrived(Event event, long nowNanos) {
    next.arrived(event, nowNanos);
    QueryFigures figures = running;
    if (figures != null) {
      figures.arrived(event, nowNanos);
    }
  }

  @Override
  public void told(Command command, long nowNanos) {
    next.told(command, nowNanos);
    QueryFigures figures = running;
    if (figures != null) {
      figures.told(command, nowNanos);
    }
  }

  @Override
  public void stepped(long durationNanos) {
    next.stepped(durationNanos);
  }

  @Override
  public void batched(long durationNanos) {
    next.batched(durationNanos);
  }

  @Override
  public void maintained(long lagNanos) {
    next.maintained(lagNanos);
  }

  @Override
  public void copied(CopyPlan.Direction direction, long durationNanos) {
    next.copied(direction, durationNanos);
  }
}
