package io.orbitkv.cudacopy;

import java.lang.System.Logger.Level;

/**
 * Ends the process when nobody can say any more whether a GPU still writes to host memory: whatever
 * went on would give away pages under a running copy.
 */
class ProcessEnd {
  /** Status of a process that ended so. */
  static final int STATUS = 86;

  private final System.Logger log;

  ProcessEnd(System.Logger log) {
    this.log = log;
  }

  /** Any thread. Does not return, but for tests. */
  void now(String message) {
    log.log(
        Level.ERROR,
        message
            + "; the process ends with status "
            + STATUS
            + ", because pages under a running copy must not be used again; start it anew once"
            + " nvidia-smi shows the GPU as healthy");
    // Not exit: shutdown hooks would hand out and write what may change under them.
    Runtime.getRuntime().halt(STATUS);
  }
}
