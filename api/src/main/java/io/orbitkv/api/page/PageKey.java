package io.orbitkv.api.page;

import java.util.HexFormat;

/**
 * The identity of one page inside a {@link Namespace} and a group: 128 bits of the engine's chained
 * prefix hash, so that equal keys mean equal tokens from the first token of the prompt on.
 *
 * <p>An engine hash that is longer is reduced to its first 16 bytes, a shorter one is extended by a
 * digest in the client; both are done once, at the client. Any bit pattern is a legal key except
 * {@link #NONE}.
 *
 * @param high the first eight bytes of the hash, little-endian
 * @param low the second eight bytes of the hash, little-endian
 */
public record PageKey(long high, long low) implements Comparable<PageKey> {
  /** Size of a key on the wire and on disk, in bytes. */
  public static final int BYTES = 16;

  /** No page: the parent of the first page of a chain. */
  public static final PageKey NONE = new PageKey(0, 0);

  /** Whether this is {@link #NONE}. */
  public boolean isNone() {
    return high == 0 && low == 0;
  }

  @Override
  public int compareTo(PageKey other) {
    int order = Long.compareUnsigned(high, other.high);
    return order != 0 ? order : Long.compareUnsigned(low, other.low);
  }

  /** 32 hexadecimal digits, the high half first. */
  @Override
  public String toString() {
    HexFormat hex = HexFormat.of();
    return hex.toHexDigits(high) + hex.toHexDigits(low);
  }
}
