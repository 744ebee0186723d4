package io.orbitkv.manager.policy;

/**
 * A policy slot at one moment. Every question is counted once: asked = answered + late + failed +
 * the ones that wait.
 *
 * @param slot key of the slot
 * @param policy name of what serves in it
 * @param state {@code built-in}, {@code starting}, {@code running}, {@code failed}, {@code
 *     abandoned} or {@code closed}
 * @param asked questions
 * @param answered in time and with sense
 * @param late answered after their deadline, or not at all: the default stood
 * @param failed answered with an exception or with nonsense: the default stood
 * @param droppedFacts facts that found the mailbox full, or nobody behind it
 */
public record PolicyStatus(
    String slot,
    String policy,
    String state,
    long asked,
    long answered,
    long late,
    long failed,
    long droppedFacts) {
  /** A slot that the kernel serves by itself. */
  public static PolicyStatus builtIn(String slot, String policy) {
    return new PolicyStatus(slot, policy, "built-in", 0, 0, 0, 0, 0);
  }
}
