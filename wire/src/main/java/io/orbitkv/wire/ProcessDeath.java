package io.orbitkv.wire;

/** Proof that another process is gone. Any thread. */
public final class ProcessDeath {
  private ProcessDeath() {}

  /**
   * Whether a process has ended with all its threads. True as well while its parent has not fetched
   * its end: its number is still taken then, but nothing of it runs. False when nothing is proven.
   *
   * @param process as it was found while it certainly ran; the time of its start tells it from a
   *     later process with its number
   */
  public static boolean proven(ProcessHandle process) {
    if (!process.isAlive()) {
      return true;
    }
    int descriptor = LibC.openProcess(process.pid());
    if (descriptor < 0) {
      return !process.isAlive();
    }
    try {
      // In this order: the number still belongs to the process, so the descriptor does too.
      return !process.isAlive() || LibC.readable(descriptor);
    } finally {
      LibC.closeDescriptor(descriptor);
    }
  }
}
