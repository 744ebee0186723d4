package io.orbitkv.model;

import io.orbitkv.api.policy.PageBatch;
import io.orbitkv.api.policy.PageEvents;

/** Pages of a tier in columns, filled and read by the thread of the run. */
final class Columns implements PageBatch, PageEvents {
  private final ModelTier tier;
  private int size;
  private final int[] page;
  private final Kind[] kind;
  private final long[] nanoTime;
  private final long[] lastUseNanos;
  private final int[] uses;
  private final int[] children;
  final long[] scores;

  Columns(ModelTier tier, int capacity) {
    this.tier = tier;
    page = new int[capacity];
    kind = new Kind[capacity];
    nanoTime = new long[capacity];
    lastUseNanos = new long[capacity];
    uses = new int[capacity];
    children = new int[capacity];
    scores = new long[capacity];
  }

  void clear() {
    size = 0;
  }

  boolean full() {
    return size == page.length;
  }

  /** Adds a page with its facts of this moment. */
  void add(int newPage, Kind what, long atNanos) {
    int i = size++;
    page[i] = newPage;
    kind[i] = what;
    nanoTime[i] = atNanos;
    lastUseNanos[i] = tier.lastUseNanos(newPage);
    uses[i] = tier.uses(newPage);
    children[i] = tier.children(newPage);
    scores[i] = 0;
  }

  int page(int i) {
    return page[i];
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public long id(int i) {
    return tier.trace().id(page[i]);
  }

  @Override
  public long parent(int i) {
    int parent = tier.trace().parent(page[i]);
    return parent == ModelTrace.NONE
        ? io.orbitkv.api.policy.Facts.UNKNOWN
        : tier.trace().id(parent);
  }

  @Override
  public int depth(int i) {
    return tier.trace().depth(page[i]);
  }

  @Override
  public int children(int i) {
    return children[i];
  }

  @Override
  public long bytes(int i) {
    return tier.pageBytes();
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
    return tier.origin(page[i]);
  }

  @Override
  public long mark(int i) {
    return tier.mark(page[i]);
  }

  @Override
  public void setMark(int i, long value) {
    tier.setMark(page[i], value);
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
