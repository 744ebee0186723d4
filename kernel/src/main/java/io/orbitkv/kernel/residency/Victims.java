package io.orbitkv.kernel.residency;

import io.orbitkv.kernel.policy.PageColumns;

/**
 * Pages that a policy gave up, worst first, and pages that took the place of one. One is used only
 * while it is still what it was then: a leaf that nobody refers to and that was not used since.
 * Dispatcher.
 */
final class Victims {
  private final PageTable table;
  private final NodeSets nodeSets;
  private final int[] pages;
  private final long[] uses;
  private final long[] ranks;
  private final int[] order;
  private int next;
  private int end;

  /** Place of the page that was asked for last. */
  private int turn;

  /**
   * @param most pages of a question
   */
  Victims(PageTable table, NodeSets nodeSets, int most) {
    this.table = table;
    this.nodeSets = nodeSets;
    pages = new int[most];
    uses = new long[most];
    ranks = new long[most];
    order = new int[most];
  }

  /** No page is given up any more. */
  void clear() {
    next = 0;
    end = 0;
  }

  /** The lowest quarter of pages that were scored takes the place of what is left. */
  void replace(ColumnPool.Batch scored) {
    PageColumns columns = scored.columns();
    int size = columns.size();
    for (int i = 0; i < size; i++) {
      pages[i] = columns.handle(i);
      uses[i] = scored.use[i];
      ranks[i] = columns.scores()[i];
      order[i] = i;
    }
    sort(size);
    next = 0;
    end = (size + 3) / 4;
  }

  /** Pages that are left, valid or not. */
  int left() {
    return end - next;
  }

  /** Page number of an entry that is left, by its distance from the next one. */
  int page(int distance) {
    return pages[order[next + distance]];
  }

  boolean isValid(int distance) {
    return isValidEntry(order[next + distance]);
  }

  private boolean isValidEntry(int entry) {
    int page = pages[entry];
    return page != PageTable.NONE && table.listed(page) && table.lastUse(page) == uses[entry];
  }

  /** The worst page that may lie on a node, or {@link PageTable#NONE}. It stays. */
  int peek(int node) {
    while (next < end && !isValidEntry(order[next])) {
      next++;
    }
    for (int i = next; i < end; i++) {
      int entry = order[i];
      if (isValidEntry(entry) && nodeSets.mayLieOn(table.nodeSet(pages[entry]), node)) {
        turn = i;
        return pages[entry];
      }
    }
    return PageTable.NONE;
  }

  /** A leaf takes the place of the page that was asked for last, which was evicted. */
  void follow(int page) {
    int entry = order[turn];
    pages[entry] = page;
    uses[entry] = table.lastUse(page);
  }

  // ---- order -----------------------------------------------------------------------------------

  /** Heap sort: primitive, in place, and never slow. */
  private void sort(int size) {
    for (int i = size / 2 - 1; i >= 0; i--) {
      sink(i, size);
    }
    for (int last = size - 1; last > 0; last--) {
      int largest = order[0];
      order[0] = order[last];
      order[last] = largest;
      sink(0, last);
    }
  }

  private void sink(int from, int size) {
    int entry = order[from];
    int hole = from;
    for (int child = 2 * hole + 1; child < size; child = 2 * hole + 1) {
      if (child + 1 < size && before(order[child], order[child + 1])) {
        child++;
      }
      if (!before(entry, order[child])) {
        break;
      }
      order[hole] = order[child];
      hole = child;
    }
    order[hole] = entry;
  }

  /** By score, then by last use. */
  private boolean before(int one, int other) {
    return ranks[one] != ranks[other] ? ranks[one] < ranks[other] : uses[one] < uses[other];
  }
}
