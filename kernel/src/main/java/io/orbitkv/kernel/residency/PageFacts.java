package io.orbitkv.kernel.residency;

import io.orbitkv.api.policy.Facts;
import io.orbitkv.api.policy.PageBatch.Origin;
import java.util.Arrays;

/**
 * What policies see of pages in host memory, in columns beside the page table: 32 bytes a page,
 * only while a policy is asked. Dispatcher.
 *
 * <p>The four words of a page:
 *
 * <pre>
 *   0  monotonic time of the last foreground use
 *   1  the policy's mark
 *   2  uses (32)             | pages before it + 1, 0 for not known yet (32)
 *   3  place among leaves (32) | insertions into the slot (16) | told (8) | origin (8)
 * </pre>
 *
 * A page is <i>told</i> when the present policy has heard of it, by its insertion or by its
 * adoption. What was told to a former policy is told no more, and its mark counts as 0.
 */
final class PageFacts {
  private static final int SEGMENT_BITS = 14;
  private static final int SEGMENT_PAGES = 1 << SEGMENT_BITS;
  private static final int MASK = SEGMENT_PAGES - 1;
  private static final int WORDS_BITS = 2;
  private static final long LOW = 0xFFFF_FFFFL;
  private static final int LAST_GENERATION = 0xFF;
  private static final Origin[] ORIGINS = Origin.values();

  private long[][] segments = new long[4][];
  private int generation = 1;

  /** Another policy: what the former one was told and has marked is void. */
  void begin() {
    if (generation == LAST_GENERATION) {
      forgetTold();
      generation = 0;
    }
    generation++;
  }

  private void forgetTold() {
    for (long[] segment : segments) {
      for (int at = at(0) + 3; segment != null && at < segment.length; at += 1 << WORDS_BITS) {
        segment[at] &= ~0xFF00L;
      }
    }
  }

  /** A page entered host memory; the policy has not heard of it. */
  @SuppressWarnings("EnumOrdinal") // A byte of a slot, never stored beyond the process.
  void inserted(int page, Origin origin, long lastUseNanos, int depth) {
    long[] segment = segment(page);
    int at = at(page);
    segment[at] = lastUseNanos;
    segment[at + 1] = 0;
    segment[at + 2] = (depth + 1) & LOW;
    long insertions = (segment[at + 3] + 0x1_0000L) & 0xFFFF_0000L;
    segment[at + 3] = (segment[at + 3] & ~LOW) | insertions | origin.ordinal();
  }

  /**
   * Foreground work uses pages now.
   *
   * @param from place of the first page
   * @param count at most {@link FactBlock#PAGES}
   * @param into gets the facts of those that the policy has heard of, in the same order
   */
  void use(int[] pages, int from, int count, long nowNanos, FactBlock into) {
    fetch(pages, from, count, into);
    int row = 0;
    for (int i = from; i < from + count; i++) {
      int page = pages[i];
      long[] segment = segment(page);
      int at = at(page);
      if (segment[at + 2] >>> 32 != LOW) {
        segment[at + 2] += 1L << 32;
      }
      segment[at] = nowNanos;
      put(into, row, page, segment, at);
      row += isTold(segment[at + 3]) ? 1 : 0;
    }
    into.size = row;
  }

  /**
   * Reads the facts of pages.
   *
   * @param from place of the first page
   * @param count at most {@link FactBlock#PAGES}
   */
  void read(int[] pages, int from, int count, FactBlock into) {
    fetch(pages, from, count, into);
    for (int row = 0; row < count; row++) {
      int page = pages[from + row];
      put(into, row, page, segment(page), at(page));
    }
    into.size = count;
  }

  /** Reads the last uses of pages and does nothing else, so that the reads overlap. */
  private void fetch(int[] pages, int from, int count, FactBlock into) {
    for (int i = 0; i < count; i++) {
      into.lastUseNanos[i] = segment(pages[from + i])[at(pages[from + i])];
    }
  }

  private void put(FactBlock into, int row, int page, long[] segment, int at) {
    long last = segment[at + 3];
    into.page[row] = page;
    into.lastUseNanos[row] = segment[at];
    into.uses[row] = segment[at + 2] >>> 32;
    into.depth[row] = (int) segment[at + 2] - 1;
    into.origin[row] = (byte) last;
    into.insertion[row] = (int) (last >>> 16) & 0xFFFF;
  }

  /** Reads the marks of rows of a block. A mark may change when other columns come back. */
  void readMarks(FactBlock block, int from, int to) {
    for (int row = from; row < to; row++) {
      long[] segment = segment(block.page[row]);
      int at = at(block.page[row]);
      block.mark[row] = isTold(segment[at + 3]) ? segment[at + 1] : 0;
    }
  }

  private boolean isTold(long last) {
    return ((int) (last >>> 8) & 0xFF) == generation;
  }

  /** Adds a page to columns; returns its entry. */
  int add(
      ColumnPool.Batch batch,
      int page,
      long id,
      long parentId,
      int depth,
      int children,
      long bytes) {
    long[] segment = segment(page);
    int at = at(page);
    long last = segment[at + 3];
    boolean told = isTold(last);
    int entry =
        batch
            .columns()
            .add(
                page,
                id,
                parentId,
                depth,
                children,
                bytes,
                segment[at],
                segment[at + 2] >>> 32,
                ORIGINS[(int) last & 0xFF],
                told ? segment[at + 1] : 0);
    batch.insertion[entry] = (int) (last >>> 16) & 0xFFFF;
    return entry;
  }

  void setLastUseNanos(int page, long nanos) {
    segment(page)[at(page)] = nanos;
  }

  long lastUseNanos(int page) {
    return segment(page)[at(page)];
  }

  /**
   * Whether two pages were used last at the same time, and as often. Of pages that came when nobody
   * asked nobody knows.
   */
  boolean usedAlike(int one, int other) {
    return lastUseNanos(one) == lastUseNanos(other)
        && lastUseNanos(one) != Facts.UNKNOWN
        && uses(one) == uses(other);
  }

  private long uses(int page) {
    return segment(page)[at(page) + 2] >>> 32;
  }

  /** Pages before it; found by its links the first time, for all pages before it too. */
  int depth(int page, PageTable table) {
    int top = page;
    int above = 0;
    while (knownDepth(top) < 0 && table.parent(top) != PageTable.NONE) {
      top = table.parent(top);
      above++;
    }
    int depth = Math.max(0, knownDepth(top)) + above;
    int next = page;
    for (int each = depth; each > depth - above; each--) {
      setDepth(next, each);
      next = table.parent(next);
    }
    return depth;
  }

  private int knownDepth(int page) {
    return (int) segment(page)[at(page) + 2] - 1;
  }

  void setDepth(int page, int depth) {
    long[] segment = segment(page);
    int at = at(page) + 2;
    segment[at] = (segment[at] & ~LOW) | ((depth + 1) & LOW);
  }

  void setMark(int page, long mark) {
    segment(page)[at(page) + 1] = mark;
  }

  boolean isTold(int page) {
    return isTold(segment(page)[at(page) + 3]);
  }

  /** The policy hears of the page now. */
  void tell(int page) {
    long[] segment = segment(page);
    int at = at(page);
    segment[at + 1] = 0;
    segment[at + 3] = (segment[at + 3] & ~0xFF00L) | (long) generation << 8;
  }

  /** Tells the pages of a slot apart: another number for each insertion. */
  int insertion(int page) {
    return (int) (segment(page)[at(page) + 3] >>> 16) & 0xFFFF;
  }

  int leafPlace(int page) {
    return (int) (segment(page)[at(page) + 3] >>> 32);
  }

  void setLeafPlace(int page, int place) {
    long[] segment = segment(page);
    int at = at(page) + 3;
    segment[at] = (long) place << 32 | (segment[at] & LOW);
  }

  private static int at(int page) {
    return PageTable.LINE_WORDS + ((page & MASK) << WORDS_BITS);
  }

  private long[] segment(int page) {
    int segment = page >> SEGMENT_BITS;
    if (segment >= segments.length) {
      segments = Arrays.copyOf(segments, Math.max(segment + 1, segments.length * 2));
    }
    long[] words = segments[segment];
    if (words == null) {
      words = newSegment();
      segments[segment] = words;
    }
    return words;
  }

  /** Of pages that came when nobody asked nobody knows when they were used last. */
  private static long[] newSegment() {
    long[] words = new long[PageTable.LINE_WORDS + (SEGMENT_PAGES << WORDS_BITS)];
    for (int at = at(0); at < words.length; at += 1 << WORDS_BITS) {
      words[at] = Facts.UNKNOWN;
    }
    return words;
  }
}
