package io.orbitkv.manager.gate;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for conditions, with a patience that only a broken Manager exhausts. */
final class Wait {
  private static final long PATIENCE_NANOS = 60_000_000_000L;
  private static final long LOOK_NANOS = 1_000_000;

  private Wait() {}

  static void until(String what, BooleanSupplier condition) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - start).as("wait for %s", what).isLessThan(PATIENCE_NANOS);
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }
}
