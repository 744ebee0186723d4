package io.orbitkv.kernel.operation;

import io.orbitkv.kernel.instance.Instance;

/** Told of pages that foreground queries return. Dispatcher. */
public interface PageUse {
  /** Whether it wants to know. */
  boolean listens();

  /**
   * A foreground query returns a page.
   *
   * @param parentHigh first half of the key before it on its chain; both halves 0 for none
   * @param parentLow second half
   */
  void used(Instance instance, int group, int page, long parentHigh, long parentLow);
}
