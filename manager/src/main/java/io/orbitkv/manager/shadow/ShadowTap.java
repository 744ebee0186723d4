package io.orbitkv.manager.shadow;

import io.orbitkv.api.copy.CopyPlan;
import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.Event;
import io.orbitkv.manager.dispatch.DispatchMeter;

/** Lets shadows hear of lookups and publishes, beside whoever hears of everything. Dispatcher. */
public final class ShadowTap implements DispatchMeter {
  private final DispatchMeter next;
  private final Shadows shadows;

  /** Hears for the shadows. */
  public ShadowTap(DispatchMeter next, Shadows shadows) {
    this.next = next;
    this.shadows = shadows;
  }

  @Override
  public void arrived(Event event, long nowNanos) {
    next.arrived(event, nowNanos);
    if (event instanceof Event.Register register) {
      // Shadows may be wanted later.
      shadows.registering(register);
    } else if (shadows.listens()) {
      switch (event) {
        case Event.Submit submit -> shadows.submitted(submit, nowNanos);
        case Event.Claim claim -> shadows.claimed(claim, nowNanos);
        case Event.Publish publish -> shadows.published(publish, nowNanos);
        case Event.Evict _ -> shadows.evicted();
        default -> {}
      }
    }
  }

  @Override
  public void told(Command command, long nowNanos) {
    next.told(command, nowNanos);
    if (command instanceof Command.Attached attached) {
      shadows.attached(attached);
    } else if (command instanceof Command.Registered registered) {
      shadows.registered(registered);
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
    shadows.watch();
  }

  @Override
  public void copied(CopyPlan.Direction direction, long durationNanos) {
    next.copied(direction, durationNanos);
  }
}
