package io.orbitkv.manager.numa;

/** Binds ranges of memory to a node. */
@FunctionalInterface
interface MemoryBinder {
  /**
   * Any thread. Asks the system to place the pages of a range, not touched yet, on {@code node}.
   */
  Outcome bind(long address, long bytes, int node);

  /** What the system said. */
  sealed interface Outcome {
    /** The range is bound. */
    record Bound() implements Outcome {}

    /** Binding is not there or not allowed; the range works all the same. */
    record NotPermitted(String reason) implements Outcome {}

    /** The range or the node is wrong. */
    record Refused(String reason) implements Outcome {}
  }
}
