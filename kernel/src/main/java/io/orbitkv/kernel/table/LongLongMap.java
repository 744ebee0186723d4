package io.orbitkv.kernel.table;

/**
 * Map from {@code long} to {@code long} by open addressing with backward-shift deletion. Nothing is
 * boxed. A key that is not in it has the value {@link #ABSENT}.
 */
public final class LongLongMap {
  /** No value; cannot be put. */
  public static final long ABSENT = -1;

  private static final int INITIAL_CAPACITY = 16;
  private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;

  // Keys and values in turn; values are stored plus one, so that 0 is a free place.
  private long[] entries = new long[2 * INITIAL_CAPACITY];
  private int size;

  /** Empty. */
  public LongLongMap() {}

  /** The value of {@code key}, or {@link #ABSENT}. */
  public long get(long key) {
    return entries[2 * place(key) + 1] - 1;
  }

  /** Sets the value of {@code key}, not negative. */
  public void put(long key, long value) {
    if (4 * (size + 1) > entries.length) {
      grow();
    }
    int place = place(key);
    size += entries[2 * place + 1] == 0 ? 1 : 0;
    entries[2 * place] = key;
    entries[2 * place + 1] = value + 1;
  }

  /** Removes {@code key}; nothing when it is not there. */
  public void remove(long key) {
    int hole = place(key);
    if (entries[2 * hole + 1] == 0) {
      return;
    }
    size--;
    int mask = entries.length / 2 - 1;
    for (int i = (hole + 1) & mask; entries[2 * i + 1] != 0; i = (i + 1) & mask) {
      int home = home(entries[2 * i], mask);
      if (((i - home) & mask) >= ((i - hole) & mask)) {
        entries[2 * hole] = entries[2 * i];
        entries[2 * hole + 1] = entries[2 * i + 1];
        hole = i;
      }
    }
    entries[2 * hole + 1] = 0;
  }

  /** Number of entries. */
  public int size() {
    return size;
  }

  private int place(long key) {
    int mask = entries.length / 2 - 1;
    int i = home(key, mask);
    while (entries[2 * i + 1] != 0 && entries[2 * i] != key) {
      i = (i + 1) & mask;
    }
    return i;
  }

  private void grow() {
    long[] old = entries;
    entries = new long[2 * old.length];
    for (int i = 0; i < old.length; i += 2) {
      if (old[i + 1] != 0) {
        int place = place(old[i]);
        entries[2 * place] = old[i];
        entries[2 * place + 1] = old[i + 1];
      }
    }
  }

  private static int home(long key, int mask) {
    return (int) ((key * MULTIPLIER) >>> 32) & mask;
  }
}
