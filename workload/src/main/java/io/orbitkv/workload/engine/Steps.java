package io.orbitkv.workload.engine;

/** What happens between the steps of a request: its query with the restore, and each publish. */
public interface Steps {
  /** Nothing: the next step begins at once, and the device keeps what requests had. */
  Steps FREE =
      new Steps() {
        @Override
        public void between() {}

        @Override
        public boolean deviceKeeps() {
          return true;
        }
      };

  /**
   * Called after each step. Blocks until the next one may begin.
   *
   * @throws InterruptedException when interrupted
   */
  void between() throws InterruptedException;

  /** Whether the device keeps pages of a request for later ones. */
  default boolean deviceKeeps() {
    return false;
  }
}
