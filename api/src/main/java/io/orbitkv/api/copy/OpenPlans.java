package io.orbitkv.api.copy;

/**
 * How many plans use a device memory, from submission to just before their terminal report. A
 * memory closes at zero only. Any thread.
 */
public final class OpenPlans {
  private int plans;
  private boolean closed;

  /** None yet. */
  public OpenPlans() {}

  /** Counts a plan in; false when the memory is closed. */
  public synchronized boolean add() {
    if (closed) {
      return false;
    }
    plans++;
    return true;
  }

  /** Counts a plan out. */
  public synchronized void remove() {
    plans--;
  }

  /**
   * Lets no further plan in.
   *
   * @return false when that was so already
   * @throws IllegalStateException when a plan has not reported: the memory must stay
   */
  public synchronized boolean close() {
    if (plans != 0) {
      throw new IllegalStateException(
          "device memory is closed under [" + plans + "] plans: close it after their reports");
    }
    boolean first = !closed;
    closed = true;
    return first;
  }
}
