package io.orbitkv.dram;

import java.util.ArrayList;
import java.util.List;

/**
 * A set of integers below a fixed bound, as a tree of bitmaps with 64 branches. Bit {@code i} of
 * the lowest level stands for the number {@code i}; a bit of a level above says that a word below
 * is not empty. Every operation reads at most two words a level, and a bound of 2^31 has six
 * levels, so all of them take constant time. One thread.
 */
final class IndexSet {
  /** Answer of a search that finds nothing. */
  static final int NONE = -1;

  private static final int WORD_BITS = 6;

  private final long[][] levels;
  private long wordsVisited;

  /**
   * @param bound members are below it; positive
   */
  IndexSet(int bound) {
    List<long[]> made = new ArrayList<>();
    int words = bound;
    do {
      words = ((words - 1) >>> WORD_BITS) + 1;
      made.add(new long[words]);
    } while (words > 1);
    levels = made.toArray(long[][]::new);
  }

  void add(int member) {
    int index = member;
    for (long[] level : levels) {
      wordsVisited++;
      int word = index >>> WORD_BITS;
      long before = level[word];
      level[word] = before | (1L << index);
      if (before != 0) {
        return;
      }
      index = word;
    }
  }

  void remove(int member) {
    int index = member;
    for (long[] level : levels) {
      wordsVisited++;
      int word = index >>> WORD_BITS;
      level[word] &= ~(1L << index);
      if (level[word] != 0) {
        return;
      }
      index = word;
    }
  }

  /** The smallest member that is not below {@code from}, or {@link #NONE}. */
  int ceiling(int from) {
    int index = from;
    for (int depth = 0; depth < levels.length; depth++) {
      int word = index >>> WORD_BITS;
      if (word >= levels[depth].length) {
        return NONE;
      }
      wordsVisited++;
      long rest = levels[depth][word] & (-1L << index);
      if (rest != 0) {
        int found = (word << WORD_BITS) + Long.numberOfTrailingZeros(rest);
        for (int below = depth - 1; below >= 0; below--) {
          wordsVisited++;
          found = (found << WORD_BITS) + Long.numberOfTrailingZeros(levels[below][found]);
        }
        return found;
      }
      // Nothing in this word: go on behind it, one level up.
      index = word + 1;
    }
    return NONE;
  }

  /** The largest member, or {@link #NONE}. */
  int last() {
    int found = 0;
    for (int depth = levels.length - 1; depth >= 0; depth--) {
      wordsVisited++;
      long word = levels[depth][found];
      if (word == 0) {
        return NONE;
      }
      found = (found << WORD_BITS) + Long.SIZE - 1 - Long.numberOfLeadingZeros(word);
    }
    return found;
  }

  /** Words read or written since creation: what a test of the running time counts. */
  long wordsVisited() {
    return wordsVisited;
  }
}
