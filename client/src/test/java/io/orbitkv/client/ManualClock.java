package io.orbitkv.client;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** Time that stands until it is moved. */
final class ManualClock implements LongSupplier {
  private final AtomicLong nanos = new AtomicLong(1L << 40);

  @Override
  public long getAsLong() {
    return nanos.get();
  }

  void advance(Duration by) {
    nanos.addAndGet(by.toNanos());
  }
}
