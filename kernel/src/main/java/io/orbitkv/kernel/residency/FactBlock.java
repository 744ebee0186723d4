package io.orbitkv.kernel.residency;

import io.orbitkv.api.policy.Facts;
import io.orbitkv.kernel.policy.PageIds;

/**
 * What policies are told of some pages, gathered in columns. Each table is read for all of the
 * pages in a loop that decides nothing, so that the reads of memory overlap; a page takes one line
 * of the page table and one of the facts, and the page before it is mostly the one that was
 * gathered before. Made once, filled again and again. Dispatcher.
 */
final class FactBlock {
  /** Most pages. As many reads as a processor has under way, and still in its nearest cache. */
  static final int PAGES = 32;

  /** Pages that are here. */
  int size;

  // By PageFacts.
  final int[] page = new int[PAGES];
  final long[] lastUseNanos = new long[PAGES];
  final long[] uses = new long[PAGES];

  /** Pages before it, or -1 for not known yet. */
  final int[] depth = new int[PAGES];

  final long[] mark = new long[PAGES];
  final byte[] origin = new byte[PAGES];
  final int[] insertion = new int[PAGES];

  // By PageTable.
  final long[] keyHigh = new long[PAGES];
  final long[] keyLow = new long[PAGES];

  /** The page before it, or {@link PageTable#NONE}. */
  final int[] parent = new int[PAGES];

  final int[] children = new int[PAGES];

  // From these.
  private final long[] id = new long[PAGES];
  private final long[] parentId = new long[PAGES];
  private final long[] bytes = new long[PAGES];

  /** The page that was last in the block before, and its name. */
  private int formerPage = PageTable.NONE;

  private long formerId;

  /** What follows has nothing to do with what was here: page numbers may mean other pages now. */
  void begin() {
    size = 0;
    formerPage = PageTable.NONE;
  }

  /**
   * Completes rows, whose facts are here. Each row once, in order.
   *
   * @param from the first row
   * @param to the row after the last one
   */
  void complete(int from, int to, PageTable table, PageMemory memory, PageFacts facts) {
    table.read(this, from, to);
    facts.readMarks(this, from, to);
    for (int row = from; row < to; row++) {
      id[row] = PageIds.of(keyHigh[row], keyLow[row]);
    }
    for (int row = from; row < to; row++) {
      bytes[row] = memory.bytes(page[row]);
    }
    for (int row = from; row < to; row++) {
      parentId[row] = idOf(parent[row], table);
      formerPage = page[row];
      formerId = id[row];
    }
    for (int row = from; row < to; row++) {
      if (depth[row] < 0) {
        depth[row] = facts.depth(page[row], table);
      }
    }
  }

  private long idOf(int parentPage, PageTable table) {
    if (parentPage == PageTable.NONE) {
      return Facts.UNKNOWN;
    }
    return parentPage == formerPage
        ? formerId
        : PageIds.of(table.keyHigh(parentPage), table.keyLow(parentPage));
  }

  /**
   * Copies complete rows behind the pages that are in a batch.
   *
   * @param from the first row
   * @param to the row after the last one
   * @return their first entry
   */
  int addTo(ColumnPool.Batch batch, int from, int to) {
    int count = to - from;
    int entry =
        batch
            .columns()
            .addAll(
                from,
                count,
                page,
                id,
                parentId,
                depth,
                children,
                bytes,
                lastUseNanos,
                uses,
                origin,
                mark);
    System.arraycopy(insertion, from, batch.insertion, entry, count);
    return entry;
  }
}
