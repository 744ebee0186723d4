package io.orbitkv.policy.writeadaptive;

import io.orbitkv.api.policy.Admission;
import io.orbitkv.api.policy.AdmissionPolicy;
import io.orbitkv.api.policy.ChainFacts;
import io.orbitkv.api.policy.PolicyContext;
import io.orbitkv.api.policy.Reason;
import io.orbitkv.api.policy.TierFacts;
import io.orbitkv.api.policy.TierKind;
import io.orbitkv.api.settings.Setting;
import java.time.Duration;

/**
 * Lets everything enter while a tier keeps what it takes long enough, and under pressure what will
 * most likely be asked for again, within a share of the bytes offered and within the tier's write
 * allowance.
 *
 * <p>There is pressure when the tier, taking everything, would be full of new pages within the
 * horizon. Then chains enter in this order, as far as the bytes go:
 *
 * <ol>
 *   <li>chains that somebody came back to, those with most returns first: a conversation that
 *       returned three times returns again twice as often as one that returned once. Under a write
 *       allowance, where most of those that came back once come back again, all of them alike,
 *       first come, first served;
 *   <li>new chains, short ones first: a few very long prompts that nobody continues are a third of
 *       all bytes. Under a write allowance half of the room goes to them, and for the other half
 *       whole conversations are drawn from all lengths.
 * </ol>
 *
 * <p>Host memory that would be full within its horizon is smaller than what is in use at a time.
 * Taking everything it keeps nothing until it is asked for again, and every copy holds up the
 * engine; so it takes what fits beside what is there, and then a small share, of which much is
 * kept.
 *
 * <p>Of the kind at which the bytes run out whole conversations enter, by the hash that all chains
 * of a conversation share: a chain with holes is of no use, and what drops single pages at random,
 * as a full queue does, ruins all chains alike. How far the bytes go is learned from what is
 * offered ({@link Offers}).
 *
 * <p>Replayable: no chance, no clock but the context's.
 */
final class WriteAdaptive implements AdmissionPolicy {
  static final Reason ROOM = Reason.of("room");
  static final Reason RETURNED = Reason.of("returned");
  static final Reason TRIAL = Reason.of("trial");
  static final Reason BUDGET = Reason.of("budget");
  static final Reason UNPROVEN = Reason.of("unproven");

  private static final Admission ADMIT_ROOM = Admission.admit(ROOM);
  private static final Admission ADMIT_RETURNED = Admission.admit(RETURNED);
  private static final Admission ADMIT_TRIAL = Admission.admit(TRIAL);
  private static final Admission DROP_BUDGET = Admission.drop(BUDGET);
  private static final Admission DROP_UNPROVEN = Admission.drop(UNPROVEN);

  /** Of a chain that enters although its tail may not fit into the allowance. */
  private static final double LEAST_OF_CHAIN = 0.1;

  private final Settings settings;
  private final PolicyContext context;
  private final Offers memory;
  private final Offers store;

  /**
   * When there is pressure, and what enters then.
   *
   * @param share of the bytes offered to a backing tier, in percent
   * @param memoryShare of the bytes offered to host memory, in percent
   * @param horizon of a backing tier
   * @param memoryHorizon of host memory
   */
  public record Settings(
      @Setting(
              def = "32",
              min = "1",
              max = "100",
              doc = "share of the bytes offered to a backing tier that enters under pressure")
          int share,
      @Setting(
              def = "5",
              min = "1",
              max = "100",
              doc = "share of the bytes offered to host memory that enters under pressure")
          int memoryShare,
      @Setting(
              def = "1h",
              min = "1s",
              max = "720h",
              doc = "a backing tier that keeps pages so long takes everything")
          Duration horizon,
      @Setting(
              def = "5s",
              min = "1ms",
              max = "720h",
              doc = "host memory that keeps pages so long takes everything")
          Duration memoryHorizon) {}

  WriteAdaptive(Settings settings, PolicyContext context) {
    this.settings = settings;
    this.context = context;
    memory = new Offers();
    store = new Offers();
  }

  @Override
  public Admission admit(ChainFacts chain, TierFacts target) {
    boolean toStore = target.kind() == TierKind.SSD;
    Offers offers = toStore ? store : memory;
    Duration horizon = toStore ? settings.horizon() : settings.memoryHorizon();
    int share = toStore ? settings.share() : settings.memoryShare();
    offers.offered(context.nanoTime(), chain, target, share / 100.0);
    Admission answer = answer(chain, target, offers, horizon);
    if (answer instanceof Admission.Admit) {
      offers.admitted(chain.bytes());
    }
    return answer;
  }

  private static Admission answer(
      ChainFacts chain, TierFacts target, Offers offers, Duration horizon) {
    // The head of a chain is of use by itself: what does not fit is its tail.
    if (target.writeBudgetLeft() >= 0
        && target.writeBudgetLeft() < LEAST_OF_CHAIN * chain.bytes()) {
      return DROP_BUDGET;
    }
    boolean memoryHasRoom = target.kind() == TierKind.DRAM && target.freeBytes() >= chain.bytes();
    if (memoryHasRoom
        || (!offers.limited() && offers.secondsUntilFull(target) >= horizon.toMillis() / 1e3)) {
      return ADMIT_ROOM;
    }
    if (!offers.enters(chain)) {
      return DROP_UNPROVEN;
    }
    return chain.uses() > 0 ? ADMIT_RETURNED : ADMIT_TRIAL;
  }
}
