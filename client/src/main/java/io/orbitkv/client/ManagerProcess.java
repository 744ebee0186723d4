package io.orbitkv.client;

import io.orbitkv.wire.ProcessDeath;
import java.util.Optional;

/**
 * The process at the other end of a connection.
 *
 * @param known whether it was proven which process that is
 * @param process empty when it was gone as soon as it was known
 */
record ManagerProcess(boolean known, Optional<ProcessHandle> process) {
  /** Nothing can be proven of it. */
  static final ManagerProcess UNKNOWN = new ManagerProcess(false, Optional.empty());

  /**
   * The process whose status board was just opened: only that proves that the number means the same
   * process here as there. Whoever had the number before is thereby ruled out; whoever gets it
   * later is told from it by the time of the start, and in the worst case nothing is ever proven.
   */
  static ManagerProcess ofBoard(long pid) {
    return new ManagerProcess(true, ProcessHandle.of(pid));
  }

  /** Whether it is gone, with everything that it ran. */
  boolean provenDead() {
    return known && (process.isEmpty() || ProcessDeath.proven(process.get()));
  }
}
