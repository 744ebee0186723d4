package io.orbitkv.cuda;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Copies that are handed to the driver in one call: arrays of targets, sources and sizes in native
 * memory, filled again and again. One thread.
 */
public final class CopyBatch {
  private final int capacity;
  private final MemorySegment targets;
  private final MemorySegment sources;
  private final MemorySegment sizes;
  private final MemorySegment failedIndex;
  private int count;
  private long bytes;

  /**
   * @param arena that the arrays live in
   * @param capacity most copies
   */
  public CopyBatch(Arena arena, int capacity) {
    this.capacity = capacity;
    targets = arena.allocate(ValueLayout.JAVA_LONG, capacity);
    sources = arena.allocate(ValueLayout.JAVA_LONG, capacity);
    sizes = arena.allocate(ValueLayout.JAVA_LONG, capacity);
    failedIndex = arena.allocate(ValueLayout.JAVA_LONG);
  }

  /** Forgets what was added. */
  public void clear() {
    count = 0;
    bytes = 0;
  }

  /**
   * Adds a copy.
   *
   * @return false when there is no place: the batch must be submitted first
   */
  public boolean add(long target, long source, long length) {
    if (count == capacity) {
      return false;
    }
    targets.setAtIndex(ValueLayout.JAVA_LONG, count, target);
    sources.setAtIndex(ValueLayout.JAVA_LONG, count, source);
    sizes.setAtIndex(ValueLayout.JAVA_LONG, count, length);
    count++;
    bytes += length;
    return true;
  }

  /** Number of copies. */
  public int count() {
    return count;
  }

  /** Bytes of all copies. */
  public long bytes() {
    return bytes;
  }

  /** Target address of a copy. */
  public long target(int i) {
    return targets.getAtIndex(ValueLayout.JAVA_LONG, i);
  }

  /** Source address of a copy. */
  public long source(int i) {
    return sources.getAtIndex(ValueLayout.JAVA_LONG, i);
  }

  /** Bytes of a copy. */
  public long size(int i) {
    return sizes.getAtIndex(ValueLayout.JAVA_LONG, i);
  }

  long targetsAddress() {
    return targets.address();
  }

  long sourcesAddress() {
    return sources.address();
  }

  long sizesAddress() {
    return sizes.address();
  }

  long failedIndexAddress() {
    return failedIndex.address();
  }
}
