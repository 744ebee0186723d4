package io.orbitkv.policy.writeonreuse;

import io.orbitkv.api.policy.Admission;
import io.orbitkv.api.policy.AdmissionPolicy;
import io.orbitkv.api.policy.ChainFacts;
import io.orbitkv.api.policy.History;
import io.orbitkv.api.policy.PolicyContext;
import io.orbitkv.api.policy.Reason;
import io.orbitkv.api.policy.TierFacts;
import io.orbitkv.api.policy.TierKind;
import io.orbitkv.api.settings.Setting;

/**
 * Lets a chain enter once somebody came back to it: a foreground request was served from it or had
 * to compute it anew, or it asks to enter host memory a second time within the history. For disks
 * that cannot take everything: on a conversation trace it writes about a fifth of all bytes and
 * keeps six to eight hits of ten.
 *
 * <p>What is no reuse: pages that repeat inside one batch, which come as one chain; and pages that
 * are saved while they are in host memory, which ask at the border of the backing tier alone. So
 * saves are counted at the border of host memory only, and the border of the backing tier looks at
 * what was counted there.
 *
 * <p>The write policy {@code reuse} of the seed documents.
 */
final class WriteOnReuse implements AdmissionPolicy {
  static final Reason RETURNED = Reason.of("returned");
  static final Reason SAVED_AGAIN = Reason.of("saved-again");
  static final Reason UNPROVEN = Reason.of("unproven");

  private static final Admission ADMIT_RETURNED = Admission.admit(RETURNED);
  private static final Admission ADMIT_SAVED_AGAIN = Admission.admit(SAVED_AGAIN);
  private static final Admission DROP = Admission.drop(UNPROVEN);

  /** Saves that asked to enter host memory. */
  private final History saves;

  /**
   * How much it remembers.
   *
   * @param history chains
   */
  public record Settings(
      @Setting(
              def = "16384",
              min = "1",
              max = "1000000",
              doc = "chains that are remembered after they asked to enter host memory")
          int history) {}

  WriteOnReuse(Settings settings, PolicyContext context) {
    saves = context.history(settings.history());
  }

  @Override
  public Admission admit(ChainFacts chain, TierFacts target) {
    if (chain.uses() > 0) {
      return ADMIT_RETURNED;
    }
    boolean store = target.kind() == TierKind.SSD;
    int times = store ? saves.count(chain.id()) : saves.touch(chain.id());
    return times > 1 ? ADMIT_SAVED_AGAIN : DROP;
  }
}
