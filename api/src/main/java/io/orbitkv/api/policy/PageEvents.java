package io.orbitkv.api.policy;

/** A batch of events of pages, in the order in which they happened. */
public interface PageEvents {
  /** What happened. */
  enum Kind {
    /** The page entered the tier. */
    INSERTED,
    /** A foreground request used it. */
    USED,
    /** It left the tier. */
    REMOVED
  }

  /** The pages, entry by entry. */
  PageBatch pages();

  /** What happened to page {@code i}. */
  Kind kind(int i);

  /** Monotonic time of event {@code i}. */
  long nanoTime(int i);
}
