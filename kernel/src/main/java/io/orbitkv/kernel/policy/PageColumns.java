package io.orbitkv.kernel.policy;

import io.orbitkv.api.policy.PageBatch;
import io.orbitkv.api.policy.PageEvents;
import java.util.Arrays;

/**
 * Pages in columns: a batch of events, or of candidates with room for their scores. One thread at a
 * time: the kernel fills it, a policy's thread reads it and writes marks and scores, the kernel
 * takes it back. Made once, used again.
 */
public final class PageColumns implements PageBatch, PageEvents {
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
  private final Origin[] origin;
  private final long[] mark;
  private final Kind[] kind;
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
    origin = new Origin[capacity];
    mark = new long[capacity];
    kind = new Kind[capacity];
    nanoTime = new long[capacity];
    scores = new long[capacity];
    handle = new int[capacity];
    marked = new boolean[capacity];
    Arrays.fill(origin, Origin.PUBLISH);
    Arrays.fill(kind, Kind.INSERTED);
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
    origin[i] = pageOrigin;
    mark[i] = pageMark;
    marked[i] = false;
    scores[i] = 0;
    return i;
  }

  /** Makes entry {@code i} an event. */
  public void event(int i, Kind what, long atNanos) {
    kind[i] = what;
    nanoTime[i] = atNanos;
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
    return origin[i];
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
    return kind[i];
  }

  @Override
  public long nanoTime(int i) {
    return nanoTime[i];
  }
}
