package io.orbitkv.testkit.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.LongConsumer;

/** Whether something grows with every new key that it is shown. */
final class HeldMemory {
  private static final int KEYS = 1_000_000;

  /** Far less than a million of the smallest entries that anything could keep: 8 bytes each. */
  private static final long MOST_GROWTH_BYTES = 4 << 20;

  private HeldMemory() {}

  /**
   * Shows a million keys, which fills whatever is bounded, then another million, and compares.
   *
   * @param holder what must not grow; alive until the end
   * @param show shows key after key, each once
   */
  static void assertBounded(Object holder, LongConsumer show) {
    for (long key = 0; key < KEYS; key++) {
      show.accept(scattered(key));
    }
    long before = heldBytes();
    for (long key = KEYS; key < 2L * KEYS; key++) {
      show.accept(scattered(key));
    }
    long growth = heldBytes() - before;
    assertThat(growth)
        .as("bytes that %s holds more after a second million keys", holder.getClass().getName())
        .isLessThan(MOST_GROWTH_BYTES);
    java.lang.ref.Reference.reachabilityFence(holder);
  }

  /** Distinct for distinct keys. */
  private static long scattered(long key) {
    long mixed = (key + 1) * 0x9E3779B97F4A7C15L;
    return mixed ^ (mixed >>> 32);
  }

  private static long heldBytes() {
    long held = Long.MAX_VALUE;
    for (int i = 0; i < 3; i++) {
      System.gc();
      held = Math.min(held, Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory());
    }
    return held;
  }
}
