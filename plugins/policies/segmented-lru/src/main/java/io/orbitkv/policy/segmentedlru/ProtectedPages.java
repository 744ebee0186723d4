package io.orbitkv.policy.segmentedlru;

import java.util.Arrays;

/**
 * Pages with their bytes in the order in which they were used, in flat arrays. Policy thread.
 *
 * <p>Memory is bounded: 28 bytes for each of at most {@link #MOST_PAGES} pages, and two numbers a
 * page for finding it.
 */
final class ProtectedPages {
  /** With more the oldest leaves. */
  static final int MOST_PAGES = 1 << 19;

  private static final int NONE = -1;
  private static final int FIRST_CAPACITY = 1 << 10;

  private long[] ids = new long[FIRST_CAPACITY];
  private long[] bytes = new long[FIRST_CAPACITY];
  private int[] older = new int[FIRST_CAPACITY];
  private int[] newer = new int[FIRST_CAPACITY];
  // Entries plus one by hash of the id, or 0.
  private int[] index = new int[2 * FIRST_CAPACITY];
  private int used;
  private int free = NONE;
  private int size;
  private int oldest = NONE;
  private int newest = NONE;
  private long totalBytes;

  boolean contains(long id) {
    return index[place(id)] != 0;
  }

  /** Bytes of all pages. */
  long totalBytes() {
    return totalBytes;
  }

  int size() {
    return size;
  }

  /** A page was used: it is the newest now. */
  void use(long id, long pageBytes) {
    remove(id);
    if (size == MOST_PAGES) {
      removeOldest();
    }
    int entry = takeEntry();
    ids[entry] = id;
    bytes[entry] = pageBytes;
    totalBytes += pageBytes;
    older[entry] = newest;
    newer[entry] = NONE;
    if (newest == NONE) {
      oldest = entry;
    } else {
      newer[newest] = entry;
    }
    newest = entry;
    size++;
    index[place(id)] = entry + 1;
  }

  /** Lets the page go that was used least recently, if there is one. */
  void removeOldest() {
    if (oldest != NONE) {
      remove(ids[oldest]);
    }
  }

  /** Lets a page go, if it is there. */
  void remove(long id) {
    int place = place(id);
    if (index[place] == 0) {
      return;
    }
    int entry = index[place] - 1;
    closeGap(place);
    unlink(entry);
    totalBytes -= bytes[entry];
    size--;
    newer[entry] = free;
    free = entry;
  }

  private void unlink(int entry) {
    if (older[entry] == NONE) {
      oldest = newer[entry];
    } else {
      newer[older[entry]] = newer[entry];
    }
    if (newer[entry] == NONE) {
      newest = older[entry];
    } else {
      older[newer[entry]] = older[entry];
    }
  }

  private int takeEntry() {
    if (free != NONE) {
      int entry = free;
      free = newer[entry];
      return entry;
    }
    if (used == ids.length) {
      grow();
    }
    return used++;
  }

  private void grow() {
    int capacity = 2 * ids.length;
    ids = Arrays.copyOf(ids, capacity);
    bytes = Arrays.copyOf(bytes, capacity);
    older = Arrays.copyOf(older, capacity);
    newer = Arrays.copyOf(newer, capacity);
    index = new int[2 * capacity];
    for (int entry = oldest; entry != NONE; entry = newer[entry]) {
      index[place(ids[entry])] = entry + 1;
    }
  }

  /** Where an id is in the index, or where it would be. */
  private int place(long id) {
    int mask = index.length - 1;
    int place = home(id);
    while (index[place] != 0 && ids[index[place] - 1] != id) {
      place = (place + 1) & mask;
    }
    return place;
  }

  private int home(long id) {
    long mixed = id * 0x9E3779B97F4A7C15L;
    return (int) (mixed >>> 32) & (index.length - 1);
  }

  /** Takes a place out and moves up what was put behind it for want of room. */
  private void closeGap(int place) {
    int mask = index.length - 1;
    int hole = place;
    index[hole] = 0;
    for (int next = (hole + 1) & mask; index[next] != 0; next = (next + 1) & mask) {
      int home = home(ids[index[next] - 1]);
      if (((next - home) & mask) >= ((next - hole) & mask)) {
        index[hole] = index[next];
        index[next] = 0;
        hole = next;
      }
    }
  }
}
