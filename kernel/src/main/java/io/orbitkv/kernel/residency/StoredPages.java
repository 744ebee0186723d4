package io.orbitkv.kernel.residency;

import io.orbitkv.kernel.KernelCounter;
import io.orbitkv.kernel.step.Counters;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Which pages the backing tier has: a set of (domain, key) in primitive arrays, split by the hash
 * into parts that grow on their own. It may be wrong for a while in both directions, since the tier
 * loses pages at any time: a read tells. Dispatcher.
 *
 * <p>A part grows by half when it is four fifths full, so that a page takes 30 to 45 bytes: there
 * may be many millions.
 */
public final class StoredPages {
  /** Parts of the set. */
  static final int PARTS = 1 << 10;

  private static final int PART_BITS = 10;
  private static final int INITIAL_CAPACITY = 8;
  private static final int WORDS = 3;
  private static final long[] EMPTY = new long[0];

  private final long[][] parts = new long[PARTS][];
  private final int[] sizes = new int[PARTS];
  private final int most;
  private final Counters counters;
  private @Nullable SsdRetention watch;
  private int size;

  /**
   * Nothing is stored.
   *
   * @param most pages that are remembered, since the heap is finite; what exceeds it is counted and
   *     never found, which is legal for a cache
   */
  public StoredPages(int most, Counters counters) {
    this.most = most;
    this.counters = counters;
    Arrays.fill(parts, EMPTY);
  }

  /** Whether a page is stored. */
  public boolean contains(int domain, long keyHigh, long keyLow) {
    if (size == 0) {
      return false;
    }
    long hash = PageIndex.hash(domain, keyHigh, keyLow);
    long[] part = parts[part(hash)];
    return part.length != 0 && part[slot(part, hash, domain, keyHigh, keyLow) + 2] != 0;
  }

  /** A page is stored; returns whether it is remembered and was not before. */
  public boolean add(int domain, long keyHigh, long keyLow) {
    long hash = PageIndex.hash(domain, keyHigh, keyLow);
    int p = part(hash);
    if ((sizes[p] + 1L) * WORDS * 5 > parts[p].length * 4L) {
      grow(p);
    }
    long[] part = parts[p];
    int slot = slot(part, hash, domain, keyHigh, keyLow);
    if (part[slot + 2] != 0) {
      return false;
    }
    if (size >= most) {
      counters.add(KernelCounter.STORED_PAGES_FORGOTTEN, 1);
      return false;
    }
    set(part, slot, keyHigh, keyLow, domain + 1L);
    sizes[p]++;
    size++;
    if (watch != null) {
      watch.inserted(p, slot / WORDS);
    }
    return true;
  }

  /** A page is stored no more; returns whether it was. */
  public boolean remove(int domain, long keyHigh, long keyLow) {
    long hash = PageIndex.hash(domain, keyHigh, keyLow);
    int p = part(hash);
    long[] part = parts[p];
    if (part.length == 0) {
      return false;
    }
    int hole = slot(part, hash, domain, keyHigh, keyLow);
    if (part[hole + 2] == 0) {
      return false;
    }
    int capacity = part.length / WORDS;
    int empty = hole / WORDS;
    StoredFacts facts = watch == null ? null : watch.facts();
    if (watch != null) {
      watch.removed(p, empty);
    }
    for (int i = after(empty, capacity); part[i * WORDS + 2] != 0; i = after(i, capacity)) {
      int at = i * WORDS;
      int home = home(PageIndex.hash((int) (part[at + 2] - 1), part[at], part[at + 1]), capacity);
      if (distance(home, i, capacity) >= distance(empty, i, capacity)) {
        set(part, empty * WORDS, part[at], part[at + 1], part[at + 2]);
        if (facts != null) {
          facts.move(p, i, empty);
        }
        empty = i;
      }
    }
    set(part, empty * WORDS, 0, 0, 0);
    sizes[p]--;
    size--;
    return true;
  }

  /** Nothing is stored any more. */
  public void clear() {
    if (watch != null) {
      watch.cleared();
    }
    Arrays.fill(parts, EMPTY);
    Arrays.fill(sizes, 0);
    size = 0;
  }

  /** Number of stored pages. */
  public int size() {
    return size;
  }

  // ---- for retention ---------------------------------------------------------------------------

  /** Who hears of what is stored and lost from now on. */
  void watch(@Nullable SsdRetention watching) {
    watch = watching;
  }

  /** Entries of a part, used or not. */
  int entries(int part) {
    return parts[part].length / WORDS;
  }

  /** Whether an entry holds a page. */
  boolean isUsed(int part, int entry) {
    return parts[part][entry * WORDS + 2] != 0;
  }

  int domain(int part, int entry) {
    return (int) (parts[part][entry * WORDS + 2] - 1);
  }

  long keyHigh(int part, int entry) {
    return parts[part][entry * WORDS];
  }

  long keyLow(int part, int entry) {
    return parts[part][entry * WORDS + 1];
  }

  /** The part in which a page is or would be. */
  static int partOf(int domain, long keyHigh, long keyLow) {
    return part(PageIndex.hash(domain, keyHigh, keyLow));
  }

  /** The entry of a page in its part, or -1. */
  int entryOf(int domain, long keyHigh, long keyLow) {
    long hash = PageIndex.hash(domain, keyHigh, keyLow);
    long[] part = parts[part(hash)];
    if (part.length == 0) {
      return -1;
    }
    int slot = slot(part, hash, domain, keyHigh, keyLow);
    return part[slot + 2] == 0 ? -1 : slot / WORDS;
  }

  // ---- inside ----------------------------------------------------------------------------------

  private static int part(long hash) {
    return (int) (hash >>> (64 - PART_BITS));
  }

  /** Where an entry is looked for first: the lower half of its hash, scaled. */
  private static int home(long hash, int capacity) {
    return (int) (((hash & 0xFFFF_FFFFL) * capacity) >>> 32);
  }

  private static int after(int place, int capacity) {
    return place + 1 == capacity ? 0 : place + 1;
  }

  private static int distance(int from, int to, int capacity) {
    return to >= from ? to - from : to - from + capacity;
  }

  /** Where the page is, or the empty slot at which it would be put. */
  private static int slot(long[] part, long hash, int domain, long keyHigh, long keyLow) {
    int capacity = part.length / WORDS;
    int i = home(hash, capacity);
    while (part[i * WORDS + 2] != 0
        && (part[i * WORDS] != keyHigh
            || part[i * WORDS + 1] != keyLow
            || part[i * WORDS + 2] != domain + 1L)) {
      i = after(i, capacity);
    }
    return i * WORDS;
  }

  private void grow(int p) {
    long[] part = parts[p];
    int capacity = part.length / WORDS;
    int entries = Math.max(INITIAL_CAPACITY, capacity + capacity / 2);
    long[] grown = new long[entries * WORDS];
    StoredFacts facts = watch == null ? null : watch.facts();
    long[] former = facts == null ? EMPTY : facts.leave(p);
    if (facts != null) {
      facts.renew(p, entries);
    }
    for (int at = 0; at < part.length; at += WORDS) {
      if (part[at + 2] != 0) {
        int domain = (int) (part[at + 2] - 1);
        long hash = PageIndex.hash(domain, part[at], part[at + 1]);
        int slot = slot(grown, hash, domain, part[at], part[at + 1]);
        set(grown, slot, part[at], part[at + 1], part[at + 2]);
        if (facts != null) {
          facts.put(p, slot / WORDS, former, at / WORDS);
        }
      }
    }
    parts[p] = grown;
  }

  private static void set(long[] part, int slot, long keyHigh, long keyLow, long domain) {
    part[slot] = keyHigh;
    part[slot + 1] = keyLow;
    part[slot + 2] = domain;
  }
}
