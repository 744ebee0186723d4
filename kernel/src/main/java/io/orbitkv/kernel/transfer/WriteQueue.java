package io.orbitkv.kernel.transfer;

import io.orbitkv.kernel.table.LongLongMap;
import io.orbitkv.kernel.table.LongMap;
import io.orbitkv.kernel.table.MaxHeap;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Pages that wait to be written, in the order in which they came. Pages that one publish offered
 * one after another are a segment, one record for all of them; segments that hang together are a
 * chain, which may branch. A chain is shortened from its deepest page, which none of the others
 * follows. Dispatcher.
 *
 * <p>A page costs a logarithm of the number of chains and segments when it comes, goes or is
 * dropped; nothing is ever searched.
 */
final class WriteQueue {
  private static final int FIRST_PAGES = 8;
  private static final int INDEX_BITS = 24;
  private static final long INDEX_MASK = (1L << INDEX_BITS) - 1;

  private final MaxHeap<Chain> chains = new MaxHeap<>();
  private final LongMap<Segment> segments = new LongMap<>();
  // Where the pages are that wait or are being written, by page number.
  private final LongLongMap places = new LongLongMap();
  private @Nullable Segment oldest;
  private @Nullable Segment youngest;
  private long lastId;
  private int pages;
  private long bytes;

  /** Pages that hang together. Alive as long as a segment of it is. */
  static final class Chain extends MaxHeap.Element {
    private final long id;
    private final MaxHeap<Segment> segments = new MaxHeap<>();
    private long bytes;

    private Chain(long id) {
      this.id = id;
    }

    /** Bytes that wait. */
    long bytes() {
      return bytes;
    }

    /** Depth of its deepest page that waits; -1 for none. */
    int deepest() {
      Segment deepest = segments.peek();
      return deepest == null ? -1 : deepest.depth(deepest.end - 1);
    }

    @Override
    protected long weight() {
      return bytes;
    }

    @Override
    protected long age() {
      return id;
    }
  }

  /** Pages of one publish that follow one another. Those from {@code next} to {@code end} wait. */
  static final class Segment extends MaxHeap.Element {
    private final long id;
    private final Chain chain;
    private final int firstDepth;
    private final Kind kind;
    private final WriteBatch batch;
    private int[] numbers = new int[FIRST_PAGES];
    private long[] keys = new long[2 * FIRST_PAGES];
    private int next;
    private int end;
    private int running;
    private @Nullable Segment older;
    private @Nullable Segment younger;

    private Segment(long id, Chain chain, int firstDepth, Kind kind, WriteBatch batch) {
      this.id = id;
      this.chain = chain;
      this.firstDepth = firstDepth;
      this.kind = kind;
      this.batch = batch;
    }

    Chain chain() {
      return chain;
    }

    Kind kind() {
      return kind;
    }

    WriteBatch batch() {
      return batch;
    }

    int depth(int index) {
      return firstDepth + index;
    }

    int number(int index) {
      return numbers[index];
    }

    long keyHigh(int index) {
      return keys[2 * index];
    }

    long keyLow(int index) {
      return keys[2 * index + 1];
    }

    /** Whether a page can be appended that follows this one. */
    boolean endsWith(int number) {
      return next < end && numbers[end - 1] == number && end < INDEX_MASK;
    }

    @Override
    protected long weight() {
      return depth(end - 1);
    }

    @Override
    protected long age() {
      return id;
    }
  }

  /**
   * What the pages of a segment have in common.
   *
   * @param domain key space
   * @param bytes of the runs of a page
   * @param slotBytes payload by rank
   */
  record Kind(int domain, long bytes, long[] slotBytes) {}

  // ---- what is there ---------------------------------------------------------------------------

  /** Pages that wait. */
  int pages() {
    return pages;
  }

  /** Bytes of their runs. */
  long bytes() {
    return bytes;
  }

  /** The chain with most bytes that wait, or null. */
  @Nullable Chain largest() {
    return chains.peek();
  }

  /** The segment whose turn it is, or null. */
  @Nullable Segment oldest() {
    return oldest;
  }

  /** The segment of a page that waits or is being written, or null. */
  @Nullable Segment segmentOf(int number) {
    long place = places.get(number);
    return place == LongLongMap.ABSENT ? null : segments.get(place >> INDEX_BITS);
  }

  /** Place of a page in its segment. */
  int indexOf(int number) {
    return (int) (places.get(number) & INDEX_MASK);
  }

  /** Index of the page of the segment whose turn it is. */
  static int next(Segment segment) {
    return segment.next;
  }

  // ---- coming and going ------------------------------------------------------------------------

  /** A segment without pages. */
  Segment begin(@Nullable Chain chain, int depth, Kind kind, WriteBatch batch) {
    Chain owner = chain == null ? new Chain(++lastId) : chain;
    Segment segment = new Segment(++lastId, owner, depth, kind, batch);
    segments.put(segment.id, segment);
    segment.older = youngest;
    if (youngest == null) {
      oldest = segment;
    } else {
      youngest.younger = segment;
    }
    youngest = segment;
    return segment;
  }

  /** A page waits, last of its segment. */
  void append(Segment segment, int number, long keyHigh, long keyLow) {
    int index = segment.end;
    if (index == segment.numbers.length) {
      segment.numbers = Arrays.copyOf(segment.numbers, 2 * index);
      segment.keys = Arrays.copyOf(segment.keys, 4 * index);
    }
    segment.numbers[index] = number;
    segment.keys[2 * index] = keyHigh;
    segment.keys[2 * index + 1] = keyLow;
    segment.end++;
    segment.batch.add(1);
    places.put(number, segment.id << INDEX_BITS | index);
    count(segment, 1);
  }

  /** The next page of the oldest segment is being written from now on. */
  void take(Segment segment) {
    segment.next++;
    segment.running++;
    count(segment, -1);
  }

  /** The next page of the oldest segment is not to be written. */
  void skip(Segment segment) {
    forget(segment, segment.next);
    segment.next++;
    segment.batch.add(-1);
    count(segment, -1);
    endIfEmpty(segment);
  }

  /** A page is not being written any more. */
  void written(Segment segment, int index) {
    forget(segment, index);
    segment.running--;
    segment.batch.add(-1);
    endIfEmpty(segment);
  }

  /** The deepest page of a chain that has one does not wait any more. */
  void dropDeepest(Chain chain) {
    Segment segment = chain.segments.peek();
    if (segment == null) {
      throw new IllegalStateException("chain [" + chain.id + "] has no page that waits");
    }
    segment.end--;
    forget(segment, segment.end);
    segment.batch.add(-1);
    count(segment, -1);
    endIfEmpty(segment);
  }

  private void forget(Segment segment, int index) {
    int number = segment.numbers[index];
    if (places.get(number) == (segment.id << INDEX_BITS | index)) {
      places.remove(number);
    }
  }

  private void count(Segment segment, int sign) {
    Chain chain = segment.chain;
    pages += sign;
    bytes += sign * segment.kind.bytes;
    chain.bytes += sign * segment.kind.bytes;
    relist(chain.segments, segment, segment.next < segment.end);
    relist(chains, chain, chain.bytes > 0);
    if (segment.next == segment.end) {
      leaveLine(segment);
    }
  }

  private static <E extends MaxHeap.Element> void relist(
      MaxHeap<E> heap, E element, boolean belongs) {
    if (!belongs) {
      if (element.listed()) {
        heap.remove(element);
      }
    } else if (element.listed()) {
      heap.changed(element);
    } else {
      heap.add(element);
    }
  }

  private void leaveLine(Segment segment) {
    Segment older = segment.older;
    Segment younger = segment.younger;
    if (older == null) {
      oldest = younger;
    } else {
      older.younger = younger;
    }
    if (younger == null) {
      youngest = older;
    } else {
      younger.older = older;
    }
    segment.older = null;
    segment.younger = null;
  }

  private void endIfEmpty(Segment segment) {
    if (segment.next == segment.end && segment.running == 0) {
      segments.remove(segment.id);
    }
  }

  // ---- books -----------------------------------------------------------------------------------

  /**
   * Counts everything anew.
   *
   * @throws IllegalStateException when it does not agree with the books
   */
  void verify() {
    int waiting = 0;
    long waitingBytes = 0;
    int running = 0;
    for (Segment segment = oldest; segment != null; segment = segment.younger) {
      waiting += segment.end - segment.next;
      waitingBytes += (segment.end - segment.next) * segment.kind.bytes;
      if (segment.next >= segment.end || !segment.listed() || !segment.chain.listed()) {
        throw new IllegalStateException("segment [" + segment.id + "] waits without pages");
      }
    }
    for (Segment segment : segments.values()) {
      running += segment.running;
    }
    if (waiting != pages || waitingBytes != bytes || places.size() > pages + running) {
      throw new IllegalStateException(
          "["
              + waiting
              + "] pages of ["
              + waitingBytes
              + "] bytes wait to be written, booked are ["
              + pages
              + "] of ["
              + bytes
              + "]; known are the places of ["
              + places.size()
              + "]");
    }
  }
}
