package io.orbitkv.model;

import java.util.Arrays;

/**
 * Leaves of a tier by their last use, coldest first: a binary heap that knows each page's place.
 */
final class LeafHeap {
  private static final int ABSENT = -1;

  private final long[] order;
  private final int[] place;
  private int[] heap = new int[1024];
  private int size;
  private int[] frontier = new int[64];
  private int frontierSize;

  /**
   * An empty heap.
   *
   * @param order time of the last use of each page, owned by the tier; a page in the heap changes
   *     only with {@link #moved}
   */
  LeafHeap(long[] order) {
    this.order = order;
    place = new int[order.length];
    Arrays.fill(place, ABSENT);
  }

  int size() {
    return size;
  }

  boolean contains(int page) {
    return place[page] != ABSENT;
  }

  int coldest() {
    return heap[0];
  }

  /** Leaf number {@code i} in no order that means anything. */
  int any(int i) {
    return heap[i];
  }

  void add(int page) {
    if (size == heap.length) {
      heap = Arrays.copyOf(heap, size * 2);
    }
    up(size++, page);
  }

  void remove(int page) {
    int hole = place[page];
    place[page] = ABSENT;
    int last = heap[--size];
    if (last != page) {
      down(hole, last);
      if (heap[hole] == last) {
        up(hole, last);
      }
    }
  }

  /** The page was used. */
  void moved(int page) {
    int at = place[page];
    down(at, page);
    if (heap[at] == page) {
      up(at, page);
    }
  }

  private void up(int from, int page) {
    int at = from;
    while (at > 0) {
      int above = (at - 1) / 2;
      if (order[heap[above]] <= order[page]) {
        break;
      }
      heap[at] = heap[above];
      place[heap[at]] = at;
      at = above;
    }
    heap[at] = page;
    place[page] = at;
  }

  private void down(int from, int page) {
    int at = from;
    while (true) {
      int below = 2 * at + 1;
      if (below >= size) {
        break;
      }
      if (below + 1 < size && order[heap[below + 1]] < order[heap[below]]) {
        below++;
      }
      if (order[heap[below]] >= order[page]) {
        break;
      }
      heap[at] = heap[below];
      place[heap[at]] = at;
      at = below;
    }
    heap[at] = page;
    place[page] = at;
  }

  /** Starts a walk over the leaves from the coldest on; the heap must not change meanwhile. */
  void startWalk() {
    frontierSize = 0;
    if (size > 0) {
      push(0);
    }
  }

  /** The next leaf of the walk, or {@link ModelTrace#NONE}. */
  int nextOfWalk() {
    if (frontierSize == 0) {
      return ModelTrace.NONE;
    }
    int at = frontier[0];
    int last = frontier[--frontierSize];
    int hole = 0;
    while (true) {
      int below = 2 * hole + 1;
      if (below >= frontierSize) {
        break;
      }
      if (below + 1 < frontierSize && key(frontier[below + 1]) < key(frontier[below])) {
        below++;
      }
      if (key(frontier[below]) >= key(last)) {
        break;
      }
      frontier[hole] = frontier[below];
      hole = below;
    }
    frontier[hole] = last;
    if (2 * at + 1 < size) {
      push(2 * at + 1);
    }
    if (2 * at + 2 < size) {
      push(2 * at + 2);
    }
    return heap[at];
  }

  private long key(int at) {
    return order[heap[at]];
  }

  private void push(int at) {
    if (frontierSize == frontier.length) {
      frontier = Arrays.copyOf(frontier, frontierSize * 2);
    }
    int hole = frontierSize++;
    while (hole > 0) {
      int above = (hole - 1) / 2;
      if (key(frontier[above]) <= key(at)) {
        break;
      }
      frontier[hole] = frontier[above];
      hole = above;
    }
    frontier[hole] = at;
  }
}
