package io.orbitkv.workload.engine;

/** What happens between the steps of a request: its query with the restore, and each publish. */
@FunctionalInterface
public interface Steps {
  /**
   * Nothing: the next step begins at once, and requests find what earlier ones left in the device.
   */
  Steps FREE = () -> {};

  /**
   * Called after each step. Blocks until the next one may begin.
   *
   * @throws InterruptedException when interrupted
   */
  void between() throws InterruptedException;
}
