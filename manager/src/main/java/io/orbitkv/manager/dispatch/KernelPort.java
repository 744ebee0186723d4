package io.orbitkv.manager.dispatch;

import io.orbitkv.kernel.Event;
import io.orbitkv.kernel.KernelStatus;
import io.orbitkv.kernel.Outbox;
import io.orbitkv.kernel.machine.Kernel;

/** The kernel as the dispatcher drives it. Dispatcher. */
public interface KernelPort {
  /** Nothing is due but the ticks of the maintenance. */
  long NO_DEADLINE = Long.MAX_VALUE;

  /** Handles one event. */
  void step(Event event, long nowNanos, Outbox outbox);

  /**
   * When the kernel wants to see a tick beside those of the maintenance: in the clock's time, or
   * {@link #NO_DEADLINE}.
   */
  default long nextDeadlineNanos() {
    return NO_DEADLINE;
  }

  /**
   * The draw of the root of a prompt's deepest known chain, in [0, 1).
   *
   * @param keys halves of the keys of its pages, as (high, low)
   * @param pages how many of them, at least 1
   */
  default double unitHash(long[] keys, int pages) {
    return 0;
  }

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
      public long nextDeadlineNanos() {
        return kernel.nextDeadlineNanos();
      }

      @Override
      public double unitHash(long[] keys, int pages) {
        return kernel.unitHash(keys, pages);
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
