package io.orbitkv.kernel.residency;

import java.util.Arrays;

/**
 * One flat table of pages: 64 bytes a page in primitive arrays, named by an {@code int}. There is
 * no object per page, so ten million pages cost the collector nothing. The table grows a segment at
 * a time, so that a large limit costs nothing at start-up.
 *
 * <p>The eight words of a slot:
 *
 * <pre>
 *   0  key, high half
 *   1  key, low half
 *   2  domain (32)              | reference count (32)
 *   3  listed:   previous (32)  | next (32)
 *      unsealed: claimed ranks  | block of claims
 *      free:                    | next free
 *   4  parent (32)              | number of resident children (32)
 *   5  run of rank 0
 *   6  block of the further runs (32) | flags (8) | node set (8) | ranks (8) | class (4) | state (4)
 *   7  last use as a counter; unsealed: copied ranks (32) | committed ranks (32)
 * </pre>
 */
final class PageTable {
  static final int NONE = -1;

  private static final int SEGMENT_BITS = 14;
  private static final int SEGMENT_PAGES = 1 << SEGMENT_BITS;
  private static final int MASK = SEGMENT_PAGES - 1;
  private static final int WORDS_BITS = 3;

  /**
   * Words before the first slot. With the 16 bytes of an array's header they fill a cache line, and
   * collectors put arrays of this size at addresses that are multiples of one: so each slot is one
   * line, not parts of two.
   */
  static final int LINE_WORDS = 6;

  private static final long LOW = 0xFFFF_FFFFL;
  private static final long LISTED = 1L << 24;
  private static final long SPECULATED = 1L << 25;
  private static final long FIRST = 1L << 26;

  private final int maxPages;
  private long[][] segments = new long[4][];
  private int highWater;
  private int firstFree = NONE;
  private int pages;

  PageTable(int maxPages) {
    this.maxPages = maxPages;
  }

  /** A cleared slot, or {@link #NONE} when the table is full. */
  int allocate() {
    int page;
    if (firstFree != NONE) {
      page = firstFree;
      firstFree = (int) get(page, 3);
      int start = start(page);
      Arrays.fill(segments[page >> SEGMENT_BITS], start, start + 8, 0);
    } else {
      if (highWater == maxPages) {
        return NONE;
      }
      page = highWater++;
      int segment = page >> SEGMENT_BITS;
      if (segment >= segments.length) {
        segments = Arrays.copyOf(segments, segments.length * 2);
      }
      if (segments[segment] == null) {
        segments[segment] = new long[LINE_WORDS + (SEGMENT_PAGES << WORDS_BITS)];
      }
    }
    pages++;
    setParent(page, NONE);
    setOverflow(page, NONE);
    return page;
  }

  void release(int page) {
    setState(page, PageState.FREE);
    set(page, 3, firstFree & LOW);
    firstFree = page;
    pages--;
  }

  /** Slots in use. */
  int pages() {
    return pages;
  }

  /** All slots that were ever in use lie below. */
  int highWater() {
    return highWater;
  }

  private static int start(int page) {
    return LINE_WORDS + ((page & MASK) << WORDS_BITS);
  }

  private long get(int page, int word) {
    return segments[page >> SEGMENT_BITS][start(page) + word];
  }

  private void set(int page, int word, long value) {
    segments[page >> SEGMENT_BITS][start(page) + word] = value;
  }

  private int high(int page, int word) {
    return (int) (get(page, word) >>> 32);
  }

  private int low(int page, int word) {
    return (int) get(page, word);
  }

  private void setHigh(int page, int word, int value) {
    set(page, word, (long) value << 32 | (get(page, word) & LOW));
  }

  private void setLow(int page, int word, int value) {
    set(page, word, (get(page, word) & ~LOW) | (value & LOW));
  }

  private int bits(int page, int shift, int width) {
    return (int) (get(page, 6) >>> shift) & ((1 << width) - 1);
  }

  private void setBits(int page, int shift, int width, int value) {
    long mask = ((1L << width) - 1) << shift;
    set(page, 6, (get(page, 6) & ~mask) | ((long) value << shift & mask));
  }

  long keyHigh(int page) {
    return get(page, 0);
  }

  long keyLow(int page) {
    return get(page, 1);
  }

  /**
   * Reads the first halves of the keys of many pages and does nothing else, so that the reads
   * overlap.
   *
   * @param ofPages pages, or {@link #NONE} for a key of 0
   */
  void readKeys(int[] ofPages, long[] into, int count) {
    for (int i = 0; i < count; i++) {
      into[i] = ofPages[i] == NONE ? 0 : get(ofPages[i], 0);
    }
  }

  /** Reads the keys and links of the pages of rows of a block. */
  void read(FactBlock block, int from, int to) {
    for (int row = from; row < to; row++) {
      int page = block.page[row];
      long[] segment = segments[page >> SEGMENT_BITS];
      int start = start(page);
      long links = segment[start + 4];
      block.keyHigh[row] = segment[start];
      block.keyLow[row] = segment[start + 1];
      block.parent[row] = (int) (links >>> 32);
      block.children[row] = (int) links;
    }
  }

  int domain(int page) {
    return high(page, 2);
  }

  void setIdentity(int page, int domain, long keyHigh, long keyLow) {
    set(page, 0, keyHigh);
    set(page, 1, keyLow);
    setHigh(page, 2, domain);
  }

  boolean is(int page, int domain, long keyHigh, long keyLow) {
    long[] segment = segments[page >> SEGMENT_BITS];
    int start = start(page);
    return segment[start] == keyHigh
        && segment[start + 1] == keyLow
        && (int) (segment[start + 2] >>> 32) == domain;
  }

  int references(int page) {
    return low(page, 2);
  }

  /** Adds to the reference count and returns the new one. */
  int addReferences(int page, int delta) {
    int references = low(page, 2) + delta;
    setLow(page, 2, references);
    return references;
  }

  int previous(int page) {
    return high(page, 3);
  }

  int next(int page) {
    return low(page, 3);
  }

  void setPrevious(int page, int previous) {
    setHigh(page, 3, previous);
  }

  void setNext(int page, int next) {
    setLow(page, 3, next);
  }

  int claimedRanks(int page) {
    return high(page, 3);
  }

  void setClaimedRanks(int page, int ranks) {
    setHigh(page, 3, ranks);
  }

  int claims(int page) {
    return low(page, 3);
  }

  void setClaims(int page, int block) {
    setLow(page, 3, block);
  }

  int parent(int page) {
    return high(page, 4);
  }

  void setParent(int page, int parent) {
    setHigh(page, 4, parent);
  }

  int children(int page) {
    return low(page, 4);
  }

  /** Adds to the number of children and returns the new one. */
  int addChildren(int page, int delta) {
    int children = low(page, 4) + delta;
    setLow(page, 4, children);
    return children;
  }

  long firstRun(int page) {
    return get(page, 5);
  }

  void setFirstRun(int page, long run) {
    set(page, 5, run);
  }

  int overflow(int page) {
    return high(page, 6);
  }

  void setOverflow(int page, int block) {
    setHigh(page, 6, block);
  }

  PageState state(int page) {
    return PageState.of(bits(page, 0, 4));
  }

  void setState(int page, PageState state) {
    setBits(page, 0, 4, state.code);
  }

  RetentionClass retention(int page) {
    return RetentionClass.of(bits(page, 4, 4));
  }

  void setRetention(int page, RetentionClass retention) {
    setBits(page, 4, 4, retention.code);
  }

  int ranks(int page) {
    return bits(page, 8, 8);
  }

  void setRanks(int page, int ranks) {
    setBits(page, 8, 8, ranks);
  }

  int nodeSet(int page) {
    return bits(page, 16, 8);
  }

  void setNodeSet(int page, int nodeSet) {
    setBits(page, 16, 8, nodeSet);
  }

  boolean listed(int page) {
    return (get(page, 6) & LISTED) != 0;
  }

  void setListed(int page, boolean listed) {
    set(page, 6, listed ? get(page, 6) | LISTED : get(page, 6) & ~LISTED);
  }

  /** Whether it was read ahead of its use and neither restored nor given up since. */
  boolean speculated(int page) {
    return (get(page, 6) & SPECULATED) != 0;
  }

  void setSpeculated(int page, boolean speculated) {
    set(page, 6, speculated ? get(page, 6) | SPECULATED : get(page, 6) & ~SPECULATED);
  }

  /** Whether its publisher said that no page comes before it on its chain. */
  boolean first(int page) {
    return (get(page, 6) & FIRST) != 0;
  }

  void setFirst(int page) {
    set(page, 6, get(page, 6) | FIRST);
  }

  long lastUse(int page) {
    return get(page, 7);
  }

  void setLastUse(int page, long lastUse) {
    set(page, 7, lastUse);
  }

  int copiedRanks(int page) {
    return high(page, 7);
  }

  void setCopiedRanks(int page, int ranks) {
    setHigh(page, 7, ranks);
  }

  int committedRanks(int page) {
    return low(page, 7);
  }

  void setCommittedRanks(int page, int ranks) {
    setLow(page, 7, ranks);
  }
}
