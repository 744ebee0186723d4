package io.orbitkv.api.copy;

/** The terminal report of a plan. */
public sealed interface CopyOutcome {
  /** All bytes moved and the hardware is done with both sides. */
  record Done() implements CopyOutcome {}

  /**
   * Some bytes may not have moved, but the hardware is done: host runs and device pages may be
   * reused.
   *
   * @param message what failed and what to do about it
   */
  record Failed(String message) implements CopyOutcome {}

  /**
   * Nobody knows whether the hardware still works on the plan: its host runs are quarantined until
   * the process ends.
   *
   * @param message what failed
   */
  record Unknown(String message) implements CopyOutcome {}
}
