package io.orbitkv.ssd.store;

/** First in, first out, without boxes. */
final class LongQueue {
  private long[] ring = new long[64];
  private int first;
  private int size;

  void add(long value) {
    if (size == ring.length) {
      long[] larger = new long[ring.length * 2];
      for (int i = 0; i < size; i++) {
        larger[i] = get(i);
      }
      ring = larger;
      first = 0;
    }
    ring[first + size & ring.length - 1] = value;
    size++;
  }

  long get(int index) {
    return ring[first + index & ring.length - 1];
  }

  void drop(int count) {
    first = first + count & ring.length - 1;
    size -= count;
  }

  int size() {
    return size;
  }
}
