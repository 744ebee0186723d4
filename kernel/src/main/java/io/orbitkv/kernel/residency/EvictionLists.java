package io.orbitkv.kernel.residency;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The built-in LRU. The lists hold exactly the pages that may be evicted now: resident,
 * unreferenced and without resident children. So a chain shrinks from its tail, a page never goes
 * before its children, and an empty list proves that nothing is evictable. There is one list for
 * each retention class and set of NUMA nodes, oldest use first; a victim for a node is the oldest
 * head among the lists of the first class whose set has the node.
 *
 * <p>A page whose last child went is put where its own last use says, if that place lies among the
 * {@link #WALK} oldest, and counts as just used otherwise: an exact place could cost a walk over
 * the whole list.
 */
final class EvictionLists {
  static final int WALK = 32;

  private final PageTable table;
  private final NodeSets nodeSets;
  private int[] oldest = new int[0];
  private int[] youngest = new int[0];
  private @Nullable Leaves leaves;
  private long uses;
  private int listed;

  EvictionLists(PageTable table, NodeSets nodeSets) {
    this.table = table;
    this.nodeSets = nodeSets;
  }

  /** Hears of the pages that are listed from now on, and of those that are not any more. */
  void tell(@Nullable Leaves hearing) {
    leaves = hearing;
  }

  /** A new, largest value of the counter of uses. */
  long nextUse() {
    return ++uses;
  }

  /** Adds a page that was just used. */
  void addYoungest(int page) {
    int list = list(page);
    table.setLastUse(page, nextUse());
    insert(list, page, youngest[list], PageTable.NONE);
  }

  /** Adds a page by its last use. */
  void addByAge(int page) {
    int list = list(page);
    long use = table.lastUse(page);
    int next = oldest[list];
    for (int steps = 0; next != PageTable.NONE && table.lastUse(next) < use; steps++) {
      if (steps == WALK) {
        addYoungest(page);
        return;
      }
      next = table.next(next);
    }
    insert(list, page, next == PageTable.NONE ? youngest[list] : table.previous(next), next);
  }

  void remove(int page) {
    int list = list(page);
    int previous = table.previous(page);
    int next = table.next(page);
    if (previous == PageTable.NONE) {
      oldest[list] = next;
    } else {
      table.setNext(previous, next);
    }
    if (next == PageTable.NONE) {
      youngest[list] = previous;
    } else {
      table.setPrevious(next, previous);
    }
    table.setListed(page, false);
    listed--;
    if (leaves != null) {
      leaves.remove(page);
    }
  }

  /**
   * The next victim, or {@link PageTable#NONE}.
   *
   * @param node a NUMA node, or -1 for any
   */
  int victim(int node) {
    int sets = nodeSets.count();
    int classes = RetentionClass.COUNT;
    for (int retention = 0; retention < classes; retention++) {
      int victim = PageTable.NONE;
      for (int set = 0; set < sets; set++) {
        int list = set * classes + retention;
        if (list < oldest.length
            && oldest[list] != PageTable.NONE
            && nodeSets.mayLieOn(set, node)) {
          int page = oldest[list];
          if (victim == PageTable.NONE || table.lastUse(page) < table.lastUse(victim)) {
            victim = page;
          }
        }
      }
      if (victim != PageTable.NONE) {
        return victim;
      }
    }
    return PageTable.NONE;
  }

  int listed() {
    return listed;
  }

  /** Takes pages, in an order. */
  @FunctionalInterface
  interface Visitor {
    /** Whether the next one is wanted too. */
    boolean visit(int page);
  }

  /** The pages in the order in which they would be victims, the coldest of a class first. */
  void walk(Visitor visitor) {
    int sets = nodeSets.count();
    int[] heads = new int[sets];
    for (int retention = 0; retention < RetentionClass.COUNT; retention++) {
      for (int set = 0; set < sets; set++) {
        int list = set * RetentionClass.COUNT + retention;
        heads[set] = list < oldest.length ? oldest[list] : PageTable.NONE;
      }
      for (int set = coldest(heads); set >= 0; set = coldest(heads)) {
        if (!visitor.visit(heads[set])) {
          return;
        }
        heads[set] = table.next(heads[set]);
      }
    }
  }

  private int coldest(int[] heads) {
    int coldest = -1;
    for (int set = 0; set < heads.length; set++) {
      if (heads[set] != PageTable.NONE
          && (coldest < 0 || table.lastUse(heads[set]) < table.lastUse(heads[coldest]))) {
        coldest = set;
      }
    }
    return coldest;
  }

  /** Walks all lists and checks links and order; returns the number of pages met. */
  int verify() {
    int met = 0;
    for (int list = 0; list < oldest.length; list++) {
      int previous = PageTable.NONE;
      for (int page = oldest[list]; page != PageTable.NONE; page = table.next(page)) {
        if (!table.listed(page) || table.previous(page) != previous || list(page) != list) {
          throw new IllegalStateException(
              "eviction list [" + list + "] is torn at page [" + page + "]");
        }
        if (previous != PageTable.NONE && table.lastUse(previous) > table.lastUse(page)) {
          throw new IllegalStateException(
              "eviction list [" + list + "] is out of order at page [" + page + "]");
        }
        previous = page;
        met++;
      }
      if (youngest[list] != previous) {
        throw new IllegalStateException(
            "eviction list [" + list + "] does not end at its youngest page");
      }
    }
    return met;
  }

  private int list(int page) {
    int list = table.nodeSet(page) * RetentionClass.COUNT + table.retention(page).code;
    if (list >= oldest.length) {
      int former = oldest.length;
      oldest = Arrays.copyOf(oldest, list + 1);
      youngest = Arrays.copyOf(youngest, list + 1);
      Arrays.fill(oldest, former, list + 1, PageTable.NONE);
      Arrays.fill(youngest, former, list + 1, PageTable.NONE);
    }
    return list;
  }

  private void insert(int list, int page, int previous, int next) {
    table.setPrevious(page, previous);
    table.setNext(page, next);
    if (previous == PageTable.NONE) {
      oldest[list] = page;
    } else {
      table.setNext(previous, page);
    }
    if (next == PageTable.NONE) {
      youngest[list] = page;
    } else {
      table.setPrevious(next, page);
    }
    table.setListed(page, true);
    listed++;
    if (leaves != null) {
      leaves.add(page);
    }
  }
}
