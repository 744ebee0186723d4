package io.orbitkv.kernel.residency;

import java.util.Arrays;

/**
 * The pages that may be evicted now, in no order, so that one can be drawn by chance. Only while a
 * policy is asked. Dispatcher.
 */
final class Leaves {
  private final PageFacts facts;
  private int[] pages = new int[1024];
  private int count;

  Leaves(PageFacts facts) {
    this.facts = facts;
  }

  /** Adding a page twice changes nothing. */
  void add(int page) {
    if (contains(page)) {
      return;
    }
    if (count == pages.length) {
      pages = Arrays.copyOf(pages, count + (count >> 1));
    }
    pages[count] = page;
    facts.setLeafPlace(page, count++);
  }

  /** Removing a page that is not there changes nothing. */
  void remove(int page) {
    if (contains(page)) {
      int place = facts.leafPlace(page);
      int last = pages[--count];
      pages[place] = last;
      facts.setLeafPlace(last, place);
    }
  }

  boolean contains(int page) {
    int place = facts.leafPlace(page);
    return place < count && pages[place] == page;
  }

  int count() {
    return count;
  }

  int get(int place) {
    return pages[place];
  }
}
