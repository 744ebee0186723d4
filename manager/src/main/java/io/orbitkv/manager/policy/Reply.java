package io.orbitkv.manager.policy;

/**
 * The one answer to a question.
 *
 * @param value what stands: the policy's answer, or the default
 * @param outcome whose it is
 * @param nanos that the policy's call took; 0 when it did not return in time
 */
record Reply<A>(A value, Outcome outcome, long nanos) {
  /** Whose answer it is. */
  enum Outcome {
    /** The policy's, in time and with sense. */
    ANSWERED,
    /** The default's: the policy was late, or not there to be asked. */
    LATE,
    /** The default's: the policy threw, or answered nonsense. */
    FAILED
  }

  boolean byDefault() {
    return outcome != Outcome.ANSWERED;
  }
}
