package io.orbitkv.policy.writeall;

import io.orbitkv.api.policy.Admission;
import io.orbitkv.api.policy.AdmissionPolicy;
import io.orbitkv.api.policy.ChainFacts;
import io.orbitkv.api.policy.PolicyContext;
import io.orbitkv.api.policy.Reason;
import io.orbitkv.api.policy.TierFacts;

/**
 * Lets every page enter. For caches that hold the working set, and as the line that other admission
 * policies are measured against: on a conversation trace it has the most hits and asks for more
 * bytes a second than most disks can write.
 *
 * <p>The write policy {@code all} of the seed documents.
 */
final class WriteAll implements AdmissionPolicy {
  static final Reason EVERYTHING = Reason.of("everything");

  private static final Admission ADMIT = Admission.admit(EVERYTHING);

  /** Nothing can be set. */
  public record Settings() {}

  WriteAll(Settings settings, PolicyContext context) {}

  @Override
  public Admission admit(ChainFacts chain, TierFacts target) {
    return ADMIT;
  }
}
