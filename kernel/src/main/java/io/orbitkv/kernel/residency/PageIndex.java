package io.orbitkv.kernel.residency;

import java.util.Arrays;

/**
 * Finds a page by (domain, key). Open addressing with backward-shift deletion, split by the upper
 * bits of the hash into parts that grow on their own: at ten million pages one growth moves some
 * ten thousand entries, not all. An entry holds 32 bits of the hash beside the page, so that growth
 * and most mismatches touch no page slot.
 */
public final class PageIndex {
  private static final int INITIAL_CAPACITY = 16;

  /**
   * Keys looked up together. Long enough to keep every line that the processor can fetch at a time
   * under way, short enough that they are still in its nearest cache when they are needed.
   */
  static final int BLOCK = 32;

  private static final long[] EMPTY = new long[0];

  private final PageTable table;
  private final int partBits;
  private final long[][] parts;
  private final int[] sizes;
  private final long[] hashes = new long[BLOCK];
  private final long[] homes = new long[BLOCK];
  private final int[] candidates = new int[BLOCK];
  private final long[] candidateKeys = new long[BLOCK];
  private int size;

  PageIndex(PageTable table, int partBits) {
    this.table = table;
    this.partBits = partBits;
    this.parts = new long[1 << partBits][];
    Arrays.fill(parts, EMPTY);
    this.sizes = new int[1 << partBits];
  }

  /** The page, or {@link PageTable#NONE}. */
  int find(int domain, long keyHigh, long keyLow) {
    long hash = hash(domain, keyHigh, keyLow);
    long[] part = parts[part(hash)];
    if (part.length == 0) {
      return PageTable.NONE;
    }
    int mask = part.length - 1;
    int tag = (int) hash;
    for (int i = tag & mask; part[i] != 0; i = (i + 1) & mask) {
      if ((int) (part[i] >>> 32) == tag) {
        int page = (int) part[i] - 1;
        if (table.is(page, domain, keyHigh, keyLow)) {
          return page;
        }
      }
    }
    return PageTable.NONE;
  }

  /**
   * Looks up to {@link #BLOCK} keys up. A lookup is two reads that no cache has, of the index and
   * of the slot. Here all reads of a kind are made in a loop that decides nothing and does nothing
   * else, so that as many as the processor can are under way at a time.
   *
   * @param keys halves of keys, as (high, low)
   * @param place of the first key
   * @param into gets the pages, or {@link PageTable#NONE}
   * @param first place of the first page in {@code into}
   */
  void findBlock(int domain, long[] keys, int place, int count, int[] into, int first) {
    for (int i = 0; i < count; i++) {
      hashes[i] = hash(domain, keys[2 * (place + i)], keys[2 * (place + i) + 1]);
    }
    readHomes(count);
    for (int i = 0; i < count; i++) {
      candidates[i] = firstWithTag(hashes[i], homes[i]);
    }
    table.readKeys(candidates, candidateKeys, count);
    for (int i = 0; i < count; i++) {
      int key = 2 * (place + i);
      int page = candidates[i];
      if (page != PageTable.NONE
          && (candidateKeys[i] != keys[key] || !table.is(page, domain, keys[key], keys[key + 1]))) {
        // Another key with the same tag, once in billions: all of the entries count then.
        page = find(domain, keys[key], keys[key + 1]);
      }
      into[first + i] = page;
    }
  }

  private void readHomes(int count) {
    for (int i = 0; i < count; i++) {
      long hash = hashes[i];
      long[] part = parts[part(hash)];
      homes[i] = part.length == 0 ? 0 : part[(int) hash & (part.length - 1)];
    }
  }

  private int firstWithTag(long hash, long home) {
    int tag = (int) hash;
    long entry = home;
    if (entry == 0) {
      return PageTable.NONE;
    }
    if ((int) (entry >>> 32) != tag) {
      long[] part = parts[part(hash)];
      int mask = part.length - 1;
      int i = tag & mask;
      do {
        i = (i + 1) & mask;
        entry = part[i];
        if (entry == 0) {
          return PageTable.NONE;
        }
      } while ((int) (entry >>> 32) != tag);
    }
    return (int) entry - 1;
  }

  /** Adds a page whose identity is set and not in the index yet. */
  void add(int page) {
    long hash = hash(table.domain(page), table.keyHigh(page), table.keyLow(page));
    int p = part(hash);
    if (sizes[p] * 3 >= parts[p].length * 2) {
      parts[p] = grown(parts[p]);
    }
    insert(parts[p], hash << 32 | (page + 1));
    sizes[p]++;
    size++;
  }

  /** Removes a page that is in the index. */
  void remove(int page) {
    long hash = hash(table.domain(page), table.keyHigh(page), table.keyLow(page));
    int p = part(hash);
    long[] part = parts[p];
    int mask = part.length - 1;
    int hole = (int) hash & mask;
    long entry = hash << 32 | (page + 1);
    while (part[hole] != entry) {
      if (part[hole] == 0) {
        throw new IllegalStateException("page [" + page + "] is not in the index");
      }
      hole = (hole + 1) & mask;
    }
    for (int i = (hole + 1) & mask; part[i] != 0; i = (i + 1) & mask) {
      int home = (int) (part[i] >>> 32) & mask;
      if (((i - home) & mask) >= ((i - hole) & mask)) {
        part[hole] = part[i];
        hole = i;
      }
    }
    part[hole] = 0;
    sizes[p]--;
    size--;
  }

  /** Number of pages. */
  public int size() {
    return size;
  }

  private int part(long hash) {
    return partBits == 0 ? 0 : (int) (hash >>> (64 - partBits));
  }

  private static long[] grown(long[] part) {
    long[] grown = new long[Math.max(INITIAL_CAPACITY, part.length * 2)];
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
      i = (i + 1) & mask;
    }
    part[i] = entry;
  }

  static long hash(int domain, long keyHigh, long keyLow) {
    // Engine hashes are uniform, but nothing here relies on it: the finaliser of splitmix64 over
    // all bits.
    long hash =
        keyHigh * 0x9E3779B97F4A7C15L + Long.rotateLeft(keyLow, 29) + domain * 0xD1B54A32D192ED03L;
    hash = (hash ^ (hash >>> 30)) * 0xBF58476D1CE4E5B9L;
    hash = (hash ^ (hash >>> 27)) * 0x94D049BB133111EBL;
    return hash ^ (hash >>> 31);
  }
}
