package io.orbitkv.kernel.policy;

import io.orbitkv.api.policy.Facts;

/** What policies call a page: 64 bits of its 128-bit key, the same for equal pages everywhere. */
public final class PageIds {
  private PageIds() {}

  /** The identity of a page; never {@link Facts#UNKNOWN}. */
  public static long of(long keyHigh, long keyLow) {
    long id = keyHigh * 0x9E3779B97F4A7C15L + Long.rotateLeft(keyLow, 29);
    id = (id ^ (id >>> 30)) * 0xBF58476D1CE4E5B9L;
    id = (id ^ (id >>> 27)) * 0x94D049BB133111EBL;
    id ^= id >>> 31;
    return id == Facts.UNKNOWN ? 0 : id;
  }
}
