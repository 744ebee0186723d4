package org.example.comeback;

import io.orbitkv.api.policy.Admission;
import io.orbitkv.api.policy.AdmissionPolicy;
import io.orbitkv.api.policy.ChainFacts;
import io.orbitkv.api.policy.Facts;
import io.orbitkv.api.policy.History;
import io.orbitkv.api.policy.PolicyContext;
import io.orbitkv.api.policy.Reason;
import io.orbitkv.api.policy.TierFacts;
import io.orbitkv.api.settings.Setting;

/** Writes a chain once somebody returned to it, and a share of new chains on trial. */
public final class Comeback implements AdmissionPolicy {
  static final Reason BUDGET = Reason.of("budget");
  static final Reason RETURNED = Reason.of("returned");
  static final Reason TRIAL = Reason.of("trial");
  static final Reason UNPROVEN = Reason.of("unproven");

  private final Settings settings;
  private final History seen;

  /**
   * What can be set.
   *
   * @param trial share of new chains
   * @param history chains remembered
   */
  public record Settings(
      @Setting(def = "0.25", min = "0", max = "1", doc = "share of new chains") double trial,
      @Setting(def = "16384", min = "1", max = "1000000", doc = "chains remembered") int history) {}

  /** An instance for the slots that name it with these settings. */
  public Comeback(Settings settings, PolicyContext context) {
    this.settings = settings;
    this.seen = context.history(settings.history());
  }

  @Override
  public Admission admit(ChainFacts chain, TierFacts target) {
    boolean limited = target.writeBudgetLeft() != Facts.UNKNOWN;
    if (limited && target.writeBudgetLeft() < chain.bytes()) {
      return Admission.drop(BUDGET);
    }
    if (chain.uses() > 0 || seen.touch(chain.id()) > 1) {
      return Admission.admit(RETURNED);
    }
    // The hash is that of the conversation: all of it is on trial, or nothing.
    return chain.unitHash() < settings.trial() ? Admission.admit(TRIAL) : Admission.drop(UNPROVEN);
  }
}
