package io.orbitkv.kernel.policy;

import io.orbitkv.api.policy.PageBatch;
import io.orbitkv.api.policy.PageEvents;
import java.util.Arrays;

/**
 * Pages in columns: a batch of events, or of candidates with room for their scores. One thread at a
 * time: the kernel fills it, a policy's thread reads it and writes marks and scores, the kernel
 * takes it back. Made once, used again.
 */
@SuppressWarnings("EnumOrdinal") // Codes in memory of this process, never stored beyond it.
public final class PageColumns implements PageBatch, PageEvents {
  private static final Origin[] ORIGINS = Origin.values();
  private static final Kind[] KINDS = Kind.values();

  private final int capacity;
  private final Home home;
  private int size;
  private final long[] id;
  private final long[] parent;
  private final int[] depth;
  private final int[] children;
  private final long[] bytes;
  private final long[] lastUseNanos;
  private final long[] uses;
  // Codes, since storing a reference costs more than a fact is worth.
  private final byte[] origin;
  private final long[] mark;
  private final byte[] kind;
  private final long[] nanoTime;
  private final long[] scores;
  private final int[] handle;
  private final boolean[] marked;

  /** Where used columns go. Any thread. */
  @FunctionalInterface
  public interface Home {
    /** The columns are free to be filled again. */
    void back(PageColumns columns);
  }

  /**
   * Empty columns.
   *
   * @param capacity most pages
   * @param home where {@link #recycle} brings them
   */
  public PageColumns(int capacity, Home home) {
    this.capacity = capacity;
    this.home = home;
    id = new long[capacity];
    parent = new long[capacity];
    depth = new int[capacity];
    children = new int[capacity];
    bytes = new long[capacity];
    lastUseNanos = new long[capacity];
    uses = new long[capacity];
    origin = new byte[capacity];
    mark = new long[capacity];
    kind = new byte[capacity];
    nanoTime = new long[capacity];
    scores = new long[capacity];
    handle = new int[capacity];
    marked = new boolean[capacity];
  }

  /** Empties the columns. */
  public void clear() {
    size = 0;
  }

  /** Whether no further page fits. */
  public boolean full() {
    return size == capacity;
  }

  /** Gives the columns back; the caller does not touch them again. Any thread. */
  public void recycle() {
    home.back(this);
  }

  /**
   * Adds a page.
   *
   * @param pageHandle the kernel's own name of the page
   * @return its entry
   */
  public int add(
      int pageHandle,
      long pageId,
      long parentId,
      int pageDepth,
      int pageChildren,
      long pageBytes,
      long pageLastUseNanos,
      long pageUses,
      Origin pageOrigin,
      long pageMark) {
    int i = size++;
    handle[i] = pageHandle;
    id[i] = pageId;
    parent[i] = parentId;
    depth[i] = pageDepth;
    children[i] = pageChildren;
    bytes[i] = pageBytes;
    lastUseNanos[i] = pageLastUseNanos;
    uses[i] = pageUses;
    origin[i] = (byte) pageOrigin.ordinal();
    mark[i] = pageMark;
    marked[i] = false;
    scores[i] = 0;
    return i;
  }

  /**
   * Adds pages, whose facts are in columns already.
   *
   * @param from their first row in each of the columns
   * @param count pages, which must fit
   * @param origins ordinals of {@link Origin}
   * @return the first entry
   */
  public int addAll(
      int from,
      int count,
      int[] handles,
      long[] ids,
      long[] parents,
      int[] depths,
      int[] childCounts,
      long[] pageBytes,
      long[] lastUses,
      long[] useCounts,
      byte[] origins,
      long[] marks) {
    int i = size;
    System.arraycopy(handles, from, handle, i, count);
    System.arraycopy(ids, from, id, i, count);
    System.arraycopy(parents, from, parent, i, count);
    System.arraycopy(depths, from, depth, i, count);
    System.arraycopy(childCounts, from, children, i, count);
    System.arraycopy(pageBytes, from, bytes, i, count);
    System.arraycopy(lastUses, from, lastUseNanos, i, count);
    System.arraycopy(useCounts, from, uses, i, count);
    System.arraycopy(origins, from, origin, i, count);
    System.arraycopy(marks, from, mark, i, count);
    Arrays.fill(marked, i, i + count, false);
    Arrays.fill(scores, i, i + count, 0);
    size = i + count;
    return i;
  }

  /** How many further pages fit. */
  public int room() {
    return capacity - size;
  }

  /** Makes entries from {@code i} on events of one kind and time. */
  public void events(int i, int count, Kind what, long atNanos) {
    Arrays.fill(kind, i, i + count, (byte) what.ordinal());
    Arrays.fill(nanoTime, i, i + count, atNanos);
  }

  /** The kernel's own name of page {@code i}. */
  public int handle(int i) {
    return handle[i];
  }

  /** The scores, entry {@code i} for page {@code i}; longer than {@link #size}. */
  public long[] scores() {
    return scores;
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public long id(int i) {
    return id[i];
  }

  @Override
  public long parent(int i) {
    return parent[i];
  }

  @Override
  public int depth(int i) {
    return depth[i];
  }

  @Override
  public int children(int i) {
    return children[i];
  }

  @Override
  public long bytes(int i) {
    return bytes[i];
  }

  @Override
  public long lastUseNanos(int i) {
    return lastUseNanos[i];
  }

  @Override
  public long uses(int i) {
    return uses[i];
  }

  @Override
  public Origin origin(int i) {
    return ORIGINS[origin[i]];
  }

  @Override
  public long mark(int i) {
    return mark[i];
  }

  @Override
  public void setMark(int i, long value) {
    mark[i] = value;
    marked[i] = true;
  }

  /** Whether the policy has set the value of page {@code i}. */
  public boolean marked(int i) {
    return marked[i];
  }

  @Override
  public PageBatch pages() {
    return this;
  }

  @Override
  public Kind kind(int i) {
    return KINDS[kind[i]];
  }

  @Override
  public long nanoTime(int i) {
    return nanoTime[i];
  }
}
