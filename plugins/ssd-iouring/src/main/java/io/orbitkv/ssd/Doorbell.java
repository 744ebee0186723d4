package io.orbitkv.ssd;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Lets one thread wait for work of others without missing any and without spinning: they make their
 * work visible first and ring then; it announces that it is about to wait and looks once more.
 */
final class Doorbell {
  private final AtomicBoolean waiting = new AtomicBoolean();
  private final Thread owner;

  /**
   * @param owner the thread that waits
   */
  Doorbell(Thread owner) {
    this.owner = owner;
  }

  /** Any thread. There is work. */
  void ring() {
    if (waiting.get() && waiting.compareAndSet(true, false)) {
      LockSupport.unpark(owner);
    }
  }

  /** The owner. Waits until there may be work, at most {@code nanos}. May return early. */
  void await(BooleanSupplier work, long nanos) {
    waiting.set(true);
    if (!work.getAsBoolean()) {
      LockSupport.parkNanos(this, nanos);
    }
    waiting.set(false);
  }
}
