package io.orbitkv.api.policy;

/**
 * A batch of pages in columns, owned and recycled by the caller. Entry {@code i} of all accessors
 * is one page.
 *
 * <p>Each page carries one {@code long} that belongs to the policy instance ({@link #mark}, {@link
 * #setMark}).
 */
public interface PageBatch {
  /** Number of pages. */
  int size();

  /** Identity of the page: the same for equal pages everywhere. */
  long id(int i);

  /** Identity of the page before it, or {@link Facts#UNKNOWN} for the first of a chain. */
  long parent(int i);

  /** Pages before it in its chain. */
  int depth(int i);

  /** Resident pages that continue it. */
  int children(int i);

  /** Bytes that it takes in the tier. */
  long bytes(int i);

  /** Monotonic time of the last foreground use, or {@link Facts#UNKNOWN}. */
  long lastUseNanos(int i);

  /** Foreground uses so far. */
  long uses(int i);

  /** How it came into the tier. */
  Origin origin(int i);

  /** The policy's own value for the page, 0 at first. */
  long mark(int i);

  /** Sets the policy's own value for the page. */
  void setMark(int i, long value);

  /** How a page came into a tier. */
  enum Origin {
    /** Published by an engine. */
    PUBLISH,
    /** Read for a demand. */
    DEMAND,
    /** Read for a preparation. */
    PREPARATION,
    /** Read for warming. */
    WARMING,
    /** Found at start. */
    RECOVERED
  }
}
