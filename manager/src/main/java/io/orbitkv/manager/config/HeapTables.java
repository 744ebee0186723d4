package io.orbitkv.manager.config;

/**
 * What the Java heap holds of a pool and of the store behind it: the table of its pages and the
 * index of stored pages, which are made smaller where the heap is small, and the memory tier's tags
 * of its runs, which are not.
 *
 * @param maxPages pages that the table may hold
 * @param tableBytes of a full table
 * @param maxStoredPages pages of the backing tier that can be found; 0 without one
 * @param storedBytes of a full index of them
 * @param tagBytes of the tier's tags
 */
record HeapTables(
    int maxPages, long tableBytes, int maxStoredPages, long storedBytes, long tagBytes) {
  /** The smallest run that a page can have, and so what bounds the number of pages in a pool. */
  private static final long SMALLEST_RUN_BYTES = 4096;

  private static final int FEWEST_PAGES = 1024;
  private static final int MOST_PAGES = 1 << 24;
  private static final int MOST_STORED_PAGES = 1 << 28;
  // A slot of the table and its place in the index of keys.
  private static final long PAGE_BYTES = 64 + 16;
  // The key of a stored page, in a table that is half full at least.
  private static final long STORED_PAGE_BYTES = 48;
  // A tag of four bytes for each granule of 4 KiB.
  private static final long POOL_BYTES_A_TAG_BYTE = 1024;
  // A third each for the tables, for the tags and for everything else.
  private static final int PARTS_OF_HEAP = 3;

  /**
   * What a pool takes, and a store that is not larger than the heap has room to know.
   *
   * @param storeBytes capacity of the backing tier, {@link Long#MAX_VALUE} where nobody knows it; 0
   *     without one. Its index gets half of the tables' part, and what the table of pages leaves
   */
  static HeapTables of(long poolBytes, long heapBytes, long storeBytes) {
    long partBytes = heapBytes / PARTS_OF_HEAP;
    long tableBytes = storeBytes > 0 ? partBytes / 2 : partBytes;
    int pages =
        Math.clamp(
            Math.min(poolBytes / SMALLEST_RUN_BYTES, tableBytes / PAGE_BYTES),
            FEWEST_PAGES,
            MOST_PAGES);
    long leftBytes = Math.max(0, partBytes - pages * PAGE_BYTES);
    int stored =
        storeBytes <= 0
            ? 0
            : Math.clamp(
                Math.min(storeBytes / SMALLEST_RUN_BYTES, leftBytes / STORED_PAGE_BYTES),
                FEWEST_PAGES,
                MOST_STORED_PAGES);
    return new HeapTables(
        pages,
        pages * PAGE_BYTES,
        stored,
        stored * STORED_PAGE_BYTES,
        poolBytes / POOL_BYTES_A_TAG_BYTE);
  }

  long bytes() {
    return tableBytes + storedBytes + tagBytes;
  }

  boolean fit(long heapBytes) {
    return tagBytes <= heapBytes / PARTS_OF_HEAP;
  }

  /** A heap in which the tags fit without taking all of their part. */
  long roomyHeapBytes() {
    return (PARTS_OF_HEAP + 1) * tagBytes;
  }

  /** A heap whose index has room for every page of a store, if they are so large. */
  static long heapBytesFor(long storeBytes, long pageBytes) {
    return 2 * PARTS_OF_HEAP * STORED_PAGE_BYTES * (storeBytes / pageBytes + 1);
  }

  /** The largest pool whose tags fit. */
  static long mostPoolBytes(long heapBytes) {
    return heapBytes / PARTS_OF_HEAP * POOL_BYTES_A_TAG_BYTE;
  }
}
