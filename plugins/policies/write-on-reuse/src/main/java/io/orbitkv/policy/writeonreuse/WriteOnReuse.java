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
 * Lets a chain enter once somebody came back to it: a foreground request was served from it, or the
 * same chain is saved a second time within the history. For disks that cannot take everything: on a
 * conversation trace it writes about a fifth of all bytes and keeps six to eight hits of ten.
 *
 * <p>What is no reuse: pages that repeat inside one batch, which come as one chain; and pages that
 * are saved while they still are in host memory, which never ask to enter host memory. Before a
 * backing tier the two look alike when nothing was asked at the border of host memory; where this
 * policy serves at both borders, the border of host memory alone counts saves.
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
  private final History memorySaves;

  /** Saves that asked to enter a backing tier. */
  private final History storeSaves;

  private boolean askedForMemory;

  /**
   * How much it remembers.
   *
   * @param history chains at each border
   */
  public record Settings(
      @Setting(
              def = "16384",
              min = "1",
              max = "1000000",
              doc = "chains that are remembered after a save")
          int history) {}

  WriteOnReuse(Settings settings, PolicyContext context) {
    memorySaves = context.history(settings.history());
    storeSaves = context.history(settings.history());
  }

  @Override
  public Admission admit(ChainFacts chain, TierFacts target) {
    if (chain.uses() > 0) {
      return ADMIT_RETURNED;
    }
    boolean again =
        target.kind() == TierKind.SSD ? againForStore(chain.id()) : againForMemory(chain.id());
    return again ? ADMIT_SAVED_AGAIN : DROP;
  }

  private boolean againForMemory(long chain) {
    askedForMemory = true;
    return memorySaves.touch(chain) > 1;
  }

  private boolean againForStore(long chain) {
    return askedForMemory ? memorySaves.count(chain) > 1 : storeSaves.touch(chain) > 1;
  }
}
