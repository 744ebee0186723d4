package io.orbitkv.kernel.recovery;

/**
 * A digest of a run of keys that depends on their order: each key is mixed into the digest of those
 * before it. It is to find mistakes, not forgeries: a client that makes keys collide hurts only
 * what it asked for itself, and its pages are compared key by key besides.
 */
public final class KeyDigest {
  /** The digest of no keys. */
  public static final long EMPTY = 0x6F72_6269_746B_7631L;

  private static final long ODD = 0x9E37_79B9_7F4A_7C15L;

  private KeyDigest() {}

  /** The digest of a run that goes on with a key. */
  public static long append(long digest, long keyHigh, long keyLow) {
    return mix(mix(digest * ODD + keyHigh) * ODD + keyLow);
  }

  /**
   * The digest of some of a question's keys.
   *
   * @param keys each as (high, low)
   * @param firstKey number of the first key
   * @param count how many keys
   */
  public static long of(long[] keys, int firstKey, int count) {
    long digest = EMPTY;
    for (int key = firstKey; key < firstKey + count; key++) {
      digest = append(digest, keys[2 * key], keys[2 * key + 1]);
    }
    return digest;
  }

  /** Each bit of the value reaches each bit of the result, and no two values meet. */
  private static long mix(long value) {
    long mixed = (value ^ value >>> 32) * 0xD6E8_FEB8_6659_FD93L;
    mixed = (mixed ^ mixed >>> 29) * ODD;
    return mixed ^ mixed >>> 32;
  }
}
