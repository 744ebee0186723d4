package io.orbitkv.kernel.transfer;

/** Pages that were queued between two requests to wait for writes. Dispatcher. */
final class WriteBatch {
  private long pending;

  /** Pages came, or ended. */
  void add(int count) {
    pending += count;
  }

  /** Pages that neither are written nor were given up. */
  long pending() {
    return pending;
  }
}
