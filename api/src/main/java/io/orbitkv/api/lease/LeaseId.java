package io.orbitkv.api.lease;

import java.util.HexFormat;

/**
 * The name of a lease: 128 random bits, so that it cannot be guessed. A lease owns complete pages
 * until every rank took its share, it was released, or it expired.
 *
 * @param high first half
 * @param low second half
 */
public record LeaseId(long high, long low) {
  /** No lease. */
  public static final LeaseId NONE = new LeaseId(0, 0);

  /** Whether this is {@link #NONE}. */
  public boolean isNone() {
    return high == 0 && low == 0;
  }

  /** 32 hexadecimal digits. */
  @Override
  public String toString() {
    HexFormat hex = HexFormat.of();
    return hex.toHexDigits(high) + hex.toHexDigits(low);
  }
}
