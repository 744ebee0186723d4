package io.orbitkv.ssd.store;

import java.util.Arrays;

/**
 * Finds a page by its identity: open addressing with backward-shift deletion, in parts that grow on
 * their own, so that no growth takes long. An entry holds 32 bits of the hash beside the page.
 */
final class PageIndex {
  private static final int PART_BITS = 6;
  private static final int FIRST_CAPACITY = 16;

  private final PageTable pages;
  private final long[][] parts = new long[1 << PART_BITS][FIRST_CAPACITY];
  private final int[] sizes = new int[1 << PART_BITS];

  PageIndex(PageTable pages) {
    this.pages = pages;
  }

  /** The page, or {@link PageTable#NONE}. */
  int find(int namespace, int group, long keyHigh, long keyLow) {
    long hash = hash(namespace, group, keyHigh, keyLow);
    long[] part = parts[part(hash)];
    int mask = part.length - 1;
    int tag = (int) hash;
    for (int i = tag & mask; part[i] != 0; i = i + 1 & mask) {
      if ((int) (part[i] >>> 32) == tag) {
        int page = (int) part[i] - 1;
        if (pages.is(page, namespace, group, keyHigh, keyLow)) {
          return page;
        }
      }
    }
    return PageTable.NONE;
  }

  /** Adds a page whose identity is not in the index. */
  void add(int page) {
    long hash = hash(page);
    int number = part(hash);
    if (sizes[number] * 3 >= parts[number].length * 2) {
      parts[number] = grown(parts[number]);
    }
    insert(parts[number], entry(hash, page));
    sizes[number]++;
  }

  /** Removes a page that is in the index. */
  void remove(int page) {
    long hash = hash(page);
    long[] part = parts[part(hash)];
    int hole = find(part, hash, page);
    sizes[part(hash)]--;
    int mask = part.length - 1;
    for (int i = hole + 1 & mask; part[i] != 0; i = i + 1 & mask) {
      int home = (int) (part[i] >>> 32) & mask;
      if ((i - home & mask) >= (i - hole & mask)) {
        part[hole] = part[i];
        hole = i;
      }
    }
    part[hole] = 0;
  }

  /** Lets an identity name another page. */
  void replace(int page, int by) {
    long hash = hash(page);
    long[] part = parts[part(hash)];
    part[find(part, hash, page)] = entry(hash, by);
  }

  private static int find(long[] part, long hash, int page) {
    long entry = entry(hash, page);
    int mask = part.length - 1;
    int i = (int) hash & mask;
    while (part[i] != entry) {
      if (part[i] == 0) {
        throw new IllegalStateException("page [" + page + "] is not in the index");
      }
      i = i + 1 & mask;
    }
    return i;
  }

  private static long entry(long hash, int page) {
    return hash << 32 | page + 1;
  }

  private static int part(long hash) {
    return (int) (hash >>> (Long.SIZE - PART_BITS));
  }

  private static long[] grown(long[] part) {
    long[] grown = new long[part.length * 2];
    for (long entry : part) {
      if (entry != 0) {
        insert(grown, entry);
      }
    }
    return grown;
  }

  private static void insert(long[] part, long entry) {
    int mask = part.length - 1;
    int i = (int) (entry >>> 32) & mask;
    while (part[i] != 0) {
      i = i + 1 & mask;
    }
    part[i] = entry;
  }

  private long hash(int page) {
    return hash(pages.namespace(page), pages.group(page), pages.keyHigh(page), pages.keyLow(page));
  }

  private static long hash(int namespace, int group, long keyHigh, long keyLow) {
    return Mix.mix(
        keyHigh * 0x9E3779B97F4A7C15L
            + Long.rotateLeft(keyLow, 31)
            + ((long) namespace << 32 ^ group) * 0xD1B54A32D192ED03L);
  }

  /** For tests: how many places there are. */
  int capacity() {
    return Arrays.stream(parts).mapToInt(part -> part.length).sum();
  }
}
