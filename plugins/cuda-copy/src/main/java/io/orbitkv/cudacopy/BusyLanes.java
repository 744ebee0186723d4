package io.orbitkv.cudacopy;

import java.util.concurrent.atomic.AtomicInteger;

/** How many lanes of a GPU have work on it. Any thread. */
final class BusyLanes {
  private final AtomicInteger count = new AtomicInteger();

  /** A lane gets work. */
  void enter() {
    count.incrementAndGet();
  }

  /** A lane has none any more. */
  void leave() {
    count.decrementAndGet();
  }

  /**
   * Whether a lane other than the asking one has work.
   *
   * @param self whether the asking one has
   */
  boolean others(boolean self) {
    return count.get() > (self ? 1 : 0);
  }
}
