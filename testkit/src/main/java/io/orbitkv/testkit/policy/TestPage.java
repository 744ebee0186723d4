package io.orbitkv.testkit.policy;

import io.orbitkv.api.policy.Facts;
import io.orbitkv.api.policy.PageBatch.Origin;

/**
 * One page of a test, with facts that make sense until changed: the first of a chain, 1 MiB,
 * published, never used. Test thread.
 */
public final class TestPage {
  private final long id;
  private long parent = Facts.UNKNOWN;
  private int depth;
  private int children;
  private long bytes = 1 << 20;
  private long lastUseNanos = Facts.UNKNOWN;
  private long uses;
  private Origin origin = Origin.PUBLISH;
  private long mark;

  private TestPage(long id) {
    this.id = id;
  }

  /** The first page of a chain. */
  public static TestPage of(long id) {
    return new TestPage(id);
  }

  /** The page follows another. */
  public TestPage after(TestPage before) {
    parent = before.id;
    depth = before.depth + 1;
    before.children++;
    return this;
  }

  /** The page before it, or {@link Facts#UNKNOWN}. */
  public TestPage parent(long value) {
    parent = value;
    return this;
  }

  /** Pages before it. */
  public TestPage depth(int value) {
    depth = value;
    return this;
  }

  /** Resident pages that continue it. */
  public TestPage children(int value) {
    children = value;
    return this;
  }

  /** What it takes. */
  public TestPage bytes(long value) {
    bytes = value;
    return this;
  }

  /** Monotonic time of its last foreground use, or {@link Facts#UNKNOWN}. */
  public TestPage lastUseNanos(long value) {
    lastUseNanos = value;
    return this;
  }

  /** Foreground uses so far. */
  public TestPage uses(long value) {
    uses = value;
    return this;
  }

  /** How it came into the tier. */
  public TestPage origin(Origin value) {
    origin = value;
    return this;
  }

  /** The policy's own value. */
  public TestPage mark(long value) {
    mark = value;
    return this;
  }

  /** Its identity. */
  public long id() {
    return id;
  }

  /** The policy's own value. */
  public long mark() {
    return mark;
  }

  void used(long nanoTime) {
    lastUseNanos = nanoTime;
    uses++;
  }

  long parent() {
    return parent;
  }

  int depth() {
    return depth;
  }

  int children() {
    return children;
  }

  long bytes() {
    return bytes;
  }

  long lastUseNanos() {
    return lastUseNanos;
  }

  long uses() {
    return uses;
  }

  Origin origin() {
    return origin;
  }
}
