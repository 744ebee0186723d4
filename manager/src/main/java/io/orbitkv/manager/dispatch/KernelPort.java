package io.orbitkv.manager.dispatch;

import io.orbitkv.kernel.Event;
import io.orbitkv.kernel.KernelStatus;
import io.orbitkv.kernel.Outbox;
import io.orbitkv.kernel.machine.Kernel;

/** The kernel as the dispatcher drives it. Dispatcher. */
public interface KernelPort {
  /** Handles one event. */
  void step(Event event, long nowNanos, Outbox outbox);

  /** A picture of the state. */
  KernelStatus status();

  /** Checks every invariant. */
  void verify();

  /** The real kernel. */
  static KernelPort of(Kernel kernel) {
    return new KernelPort() {
      @Override
      public void step(Event event, long nowNanos, Outbox outbox) {
        kernel.step(event, nowNanos, outbox);
      }

      @Override
      public KernelStatus status() {
        return kernel.status();
      }

      @Override
      public void verify() {
        kernel.verify();
      }
    };
  }
}
