package io.orbitkv.kernel;

import io.orbitkv.api.memory.MemoryTier;
import java.util.random.RandomGenerator;

/** PLACEHOLDER until the kernel lands: signatures only. */
@SuppressWarnings("DoNotCallSuggester")
public final class Kernel {
  public Kernel(KernelSettings settings, MemoryTier memory, RandomGenerator random) {}

  /** Dispatcher. Handles one event. */
  public void step(Event event, long nowNanos, Outbox outbox) {
    throw new UnsupportedOperationException();
  }

  /** Dispatcher. */
  public KernelStatus status() {
    throw new UnsupportedOperationException();
  }

  /**
   * Dispatcher. Deep conservation check, O(everything). Throws IllegalStateException naming the
   * broken invariant.
   */
  public void verify() {
    throw new UnsupportedOperationException();
  }
}
