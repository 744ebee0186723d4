package io.orbitkv.policy.writeadaptive;

import io.orbitkv.api.policy.Facts;

/**
 * How often each conversation came, as far as it is known: by the hash that all chains of one
 * share, in a table whose newer entries take the place of older ones. Policy thread.
 */
final class Conversations {
  /** 20 bytes each. */
  private static final int SLOTS = 1 << 15;

  /** Questions so close are about one request: pages found, pages computed, a prompt in parts. */
  private static final long ONE_REQUEST_NANOS = 1_000_000_000;

  private final long[] hashes = new long[SLOTS];
  private final long[] lastNanos = new long[SLOTS];
  private final int[] times = new int[SLOTS];

  /** A chain of it is offered; returns how many requests it sent so far, this one included. */
  int came(double unitHash, long nowNanos) {
    long hash = Double.doubleToLongBits(unitHash);
    int slot = (int) (unitHash * SLOTS) & (SLOTS - 1);
    if (times[slot] == 0 || hashes[slot] != hash) {
      hashes[slot] = hash;
      lastNanos[slot] = Facts.UNKNOWN;
      times[slot] = 0;
    }
    if (times[slot] == 0 || nowNanos - lastNanos[slot] >= ONE_REQUEST_NANOS) {
      times[slot]++;
    }
    lastNanos[slot] = nowNanos;
    return times[slot];
  }
}
