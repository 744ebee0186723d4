package io.orbitkv.api.policy;

import java.time.Duration;

/** The answer of an {@link AdmissionPolicy}. */
public sealed interface Admission {
  /** Why. */
  Reason reason();

  /** The pages enter. */
  record Admit(Reason reason) implements Admission {}

  /**
   * Ask again at the next touch, or after the delay; at most three times.
   *
   * @param delay {@link Duration#ZERO} for at the next touch only
   */
  record Later(Reason reason, Duration delay) implements Admission {}

  /** The pages do not enter. */
  record Drop(Reason reason) implements Admission {}

  /** The pages enter. */
  static Admission admit(Reason reason) {
    return new Admit(reason);
  }

  /** Ask again. */
  static Admission later(Reason reason, Duration delay) {
    return new Later(reason, delay);
  }

  /** The pages do not enter. */
  static Admission drop(Reason reason) {
    return new Drop(reason);
  }
}
