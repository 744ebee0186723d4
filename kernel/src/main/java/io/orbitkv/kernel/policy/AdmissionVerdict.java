package io.orbitkv.kernel.policy;

/** What is to happen to pages that could enter a tier. */
public enum AdmissionVerdict {
  /** They enter. */
  ADMIT,
  /** Ask again at their next touch, or after a delay. */
  LATER,
  /** They do not enter. */
  DROP
}
