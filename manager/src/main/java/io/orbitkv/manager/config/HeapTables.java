package io.orbitkv.manager.config;

/**
 * What the Java heap holds of a pool: the table of its pages, which is made smaller where the heap
 * is small, and the memory tier's tags of its runs, which are not.
 *
 * @param maxPages pages that the table may hold
 * @param tableBytes of a full table
 * @param tagBytes of the tier's tags
 */
record HeapTables(int maxPages, long tableBytes, long tagBytes) {
  /** The smallest run that a page can have, and so what bounds the number of pages in a pool. */
  private static final long SMALLEST_RUN_BYTES = 4096;

  private static final int FEWEST_PAGES = 1024;
  private static final int MOST_PAGES = 1 << 24;
  // A slot of the table and its place in the index of keys.
  private static final long PAGE_BYTES = 64 + 16;
  // The key of a stored page, in a table that is a third full at least.
  private static final long STORED_PAGE_BYTES = 72;
  // A tag of four bytes for each granule of 4 KiB.
  private static final long POOL_BYTES_A_TAG_BYTE = 1024;
  // A third each for the table, for the tags and for everything else.
  private static final int PARTS_OF_HEAP = 3;

  /**
   * What a pool takes.
   *
   * @param backed whether there is a backing tier, of which as many pages are remembered
   */
  static HeapTables of(long poolBytes, long heapBytes, boolean backed) {
    long pageBytes = PAGE_BYTES + (backed ? STORED_PAGE_BYTES : 0);
    long most = Math.min(MOST_PAGES, heapBytes / PARTS_OF_HEAP / pageBytes);
    int pages = (int) Math.max(FEWEST_PAGES, Math.min(poolBytes / SMALLEST_RUN_BYTES, most));
    return new HeapTables(pages, pages * pageBytes, poolBytes / POOL_BYTES_A_TAG_BYTE);
  }

  long bytes() {
    return tableBytes + tagBytes;
  }

  boolean fit(long heapBytes) {
    return tagBytes <= heapBytes / PARTS_OF_HEAP;
  }

  /** A heap in which the tags fit without taking all of their part. */
  long roomyHeapBytes() {
    return (PARTS_OF_HEAP + 1) * tagBytes;
  }

  /** The largest pool whose tags fit. */
  static long mostPoolBytes(long heapBytes) {
    return heapBytes / PARTS_OF_HEAP * POOL_BYTES_A_TAG_BYTE;
  }
}
