package io.orbitkv.manager.dispatch;

import java.util.List;

/**
 * What one policy has done in one slot since an epoch began, at one moment. Immutable. Every
 * question is counted once: asked = answered + late + failed + open.
 *
 * @param slot key of the slot
 * @param policy name of what serves, or served, in it
 * @param settings of the policy in canonical form; empty when it has none
 * @param variant of an experiment, or {@code none}
 * @param epoch in which it began to serve there
 * @param state {@code built-in}, {@code starting}, {@code running}, {@code failed}, {@code
 *     abandoned}, {@code draining} or {@code closed}
 * @param serves whether it is asked now
 * @param leaked whether its thread is stuck, so that its classes stay loaded
 * @param asked questions
 * @param answered in time and with sense
 * @param late answered after their deadline, or not at all: the default stood
 * @param failed answered with an exception or with nonsense: the default stood
 * @param facts told, those that were dropped among them
 * @param droppedFacts facts that found the mailbox full, or nobody behind it
 * @param decisions how the questions that are not open any more were decided
 */
public record PolicyFigures(
    String slot,
    String policy,
    String settings,
    String variant,
    long epoch,
    String state,
    boolean serves,
    boolean leaked,
    long asked,
    long answered,
    long late,
    long failed,
    long facts,
    long droppedFacts,
    List<Decisions> decisions) {
  /** The state of a slot that the kernel serves by itself. */
  public static final String BUILT_IN = "built-in";

  /** Copies the list. */
  public PolicyFigures {
    decisions = List.copyOf(decisions);
  }

  /** A slot that the kernel serves by itself. */
  public static PolicyFigures builtIn(String slot, String policy, String variant, long epoch) {
    return new PolicyFigures(
        slot, policy, "", variant, epoch, BUILT_IN, true, false, 0, 0, 0, 0, 0, 0, List.of());
  }

  /** Questions without an answer so far. */
  public long open() {
    return asked - answered - late - failed;
  }

  /**
   * Decisions of one kind.
   *
   * @param choice what was chosen
   * @param reason why, or what stood in the way of the policy's own choice
   * @param byDefault whether the default stood in for the policy
   * @param count how many
   */
  public record Decisions(String choice, String reason, boolean byDefault, long count) {}
}
