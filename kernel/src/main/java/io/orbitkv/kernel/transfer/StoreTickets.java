package io.orbitkv.kernel.transfer;

/** Names of what is asked of the backing tier as a whole. Dispatcher. */
public final class StoreTickets {
  private long last;
  private int open;

  /** Nothing is asked yet. */
  public StoreTickets() {}

  /** A new name, of a request that was not reported. */
  long open() {
    open++;
    return ++last;
  }

  /** A request was reported. */
  void close() {
    open--;
  }

  /** Requests that were not reported. */
  public int running() {
    return open;
  }
}
