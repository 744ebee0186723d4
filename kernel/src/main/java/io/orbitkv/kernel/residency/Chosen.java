package io.orbitkv.kernel.residency;

import java.util.Arrays;

/** Names that were chosen for one question: a small set, emptied and used again. Dispatcher. */
final class Chosen {
  private final long[] names;

  /**
   * @param most names
   */
  Chosen(int most) {
    names = new long[Integer.highestOneBit(most) * 4];
  }

  void clear() {
    Arrays.fill(names, 0);
  }

  /**
   * Adds a name; returns whether it is new.
   *
   * @param name not 0
   */
  boolean add(long name) {
    int mask = names.length - 1;
    int place = (int) ((name * 0x9E3779B97F4A7C15L) >>> 40) & mask;
    while (names[place] != 0) {
      if (names[place] == name) {
        return false;
      }
      place = (place + 1) & mask;
    }
    names[place] = name;
    return true;
  }
}
