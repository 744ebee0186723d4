package io.orbitkv.api.policy;

/** Decides whether a chain's pages enter a tier. */
public non-sealed interface AdmissionPolicy extends Policy {
  /** Policy thread. A chain's pages could enter {@code target}. */
  Admission admit(ChainFacts chain, TierFacts target);
}
