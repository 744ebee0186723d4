package io.orbitkv.policy.writeadaptive;

import io.orbitkv.api.backing.BackingUsage;
import io.orbitkv.api.policy.ChainFacts;
import io.orbitkv.api.policy.Facts;
import io.orbitkv.api.policy.TierFacts;

/**
 * What is offered to a tier, by kind, and how far the bytes that may enter go. Kinds are in the
 * order in which they enter. Everything counts half after {@link #HALF_LIFE_SECONDS}.
 *
 * <p>Under a write allowance what may be spent in a second is what comes in, more while the
 * allowance that is left is above {@link #RESERVE_SECONDS} of it, and less while it is below: so it
 * is all spent in the end, and what nobody can foresee finds a reserve.
 */
final class Offers {
  /** Kinds of chains that somebody came back to. */
  private static final int RETURNED_KINDS = 5;

  /** Kinds of new chains: four to an octave of bytes, from a mebibyte to a tebibyte. */
  private static final int NEW_KINDS = 4 * 20;

  private static final int RETURNED_TWICE = RETURNED_KINDS - 2;
  private static final int RETURNED_ONCE = RETURNED_KINDS - 1;

  /** Of those that came back once. */
  private static final double AS_A_RULE = 0.5;

  private static final int KINDS = RETURNED_KINDS + NEW_KINDS;
  private static final double HALF_LIFE_SECONDS = 300;
  private static final double NANOS_PER_SECOND = 1e9;
  private static final double RESERVE_SECONDS = 30;

  /** In which a reserve is built up or spent. */
  private static final double EVEN_OUT_SECONDS = 30;

  /** Under a write allowance trials leave so much of what returns ask for on the average. */
  private static final double ROOM_FOR_RETURNS = 1.3;

  private final double[] bytes = new double[KINDS];
  private double seconds;
  private double allowed;
  private boolean limited;
  private long lastNanos = Facts.UNKNOWN;
  private long lastLeft = Facts.UNKNOWN;
  private long admittedSince;
  private int kind;
  private double room = Double.MAX_VALUE;

  /** A chain is offered. */
  void offered(long nowNanos, ChainFacts chain, TierFacts target, double share) {
    if (lastNanos != Facts.UNKNOWN) {
      age((nowNanos - lastNanos) / NANOS_PER_SECOND);
    }
    lastNanos = nowNanos;
    long left = target.writeBudgetLeft();
    allowance(left);
    kind = kind(chain);
    bytes[kind] += chain.bytes();
    limited = left >= 0 && left != BackingUsage.UNLIMITED;
    room = limited ? spend(left) : share * total();
  }

  /** It enters. */
  void admitted(long chainBytes) {
    admittedSince += chainBytes;
  }

  /** Whether a write allowance and not the share is what limits. */
  boolean limited() {
    return limited;
  }

  /** How long the tier keeps pages when everything enters. */
  double secondsUntilFull(TierFacts target) {
    double rate = total() / Math.max(1, seconds);
    return target.capacityBytes() == Facts.UNKNOWN || rate == 0 ? 0 : target.capacityBytes() / rate;
  }

  /** Whether the chain that was offered last enters under pressure. */
  boolean enters(ChainFacts chain) {
    if (limited && kind < RETURNED_KINDS && returnsTellNothing()) {
      return true;
    }
    double returns = 0;
    for (int i = 0; i < Math.min(kind, RETURNED_KINDS); i++) {
      returns += bytes[i];
    }
    if (kind < RETURNED_KINDS) {
      // Without an allowance the share has to be met by drawing; with one what is left tells.
      return returns + (limited ? 0 : chain.unitHash() * bytes[kind]) <= room;
    }
    double shorter = 0;
    double all = 0;
    for (int i = RETURNED_KINDS; i < KINDS; i++) {
      all += bytes[i];
      shorter += i < kind ? bytes[i] : 0;
    }
    if (!limited) {
      return returns + shorter + chain.unitHash() * bytes[kind] <= room;
    }
    // Whoever gives an allowance may have prompts of which length tells nothing, and more room than
    // short ones take: half of it goes to short ones, half to conversations drawn from all.
    double each = (room - ROOM_FOR_RETURNS * returns) / 2;
    return shorter + chain.unitHash() * bytes[kind] <= each || chain.unitHash() * all <= each;
  }

  /**
   * Whether who came back once comes back again as a rule. Then more returns tell little more, and
   * to keep the allowance for those that have more of them loses what comes meanwhile: first come,
   * first served.
   */
  private boolean returnsTellNothing() {
    return bytes[RETURNED_TWICE] > AS_A_RULE * bytes[RETURNED_ONCE];
  }

  private void age(double passed) {
    double kept = StrictMath.pow(0.5, passed / HALF_LIFE_SECONDS);
    for (int i = 0; i < KINDS; i++) {
      bytes[i] *= kept;
    }
    seconds = seconds * kept + passed;
    allowed *= kept;
  }

  /** What came in is what is left now, less what was left before, and what entered since. */
  private void allowance(long left) {
    if (left != Facts.UNKNOWN && lastLeft != Facts.UNKNOWN) {
      allowed += Math.max(0, left - lastLeft + admittedSince);
    }
    lastLeft = left;
    admittedSince = 0;
  }

  /** Bytes that may be spent in the time that is remembered. */
  private double spend(long left) {
    double span = Math.max(1, seconds);
    double rate = allowed / span;
    double aSecond = rate + (left - RESERVE_SECONDS * rate) / EVEN_OUT_SECONDS;
    return span * Math.max(0, aSecond);
  }

  private double total() {
    double total = 0;
    for (double one : bytes) {
      total += one;
    }
    return total;
  }

  private static int kind(ChainFacts chain) {
    if (chain.uses() > 0) {
      return chain.uses() >= 8 ? 0 : chain.uses() >= 4 ? 1 : (int) (RETURNED_KINDS - chain.uses());
    }
    // The whole prompt counts, with what of it is there already.
    double prompt = chain.bytes() * (1 + chain.depth() / (double) Math.max(1, chain.pages()));
    double octaves = StrictMath.log(Math.max(1, prompt / (1 << 20))) / StrictMath.log(2);
    return RETURNED_KINDS + Math.min(NEW_KINDS - 1, (int) (4 * octaves));
  }
}
