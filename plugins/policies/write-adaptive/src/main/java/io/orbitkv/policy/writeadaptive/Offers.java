package io.orbitkv.policy.writeadaptive;

import io.orbitkv.api.policy.ChainFacts;
import io.orbitkv.api.policy.Facts;
import io.orbitkv.api.policy.TierFacts;

/**
 * What is offered to a tier, by kind, and how far the bytes that may enter go. Kinds are in the
 * order in which they enter. Everything counts half after {@link #HALF_LIFE_SECONDS}.
 */
final class Offers {
  /** Kinds of chains that somebody came back to. */
  private static final int RETURNED_KINDS = 5;

  /** Kinds of new chains: four to an octave of bytes, from a mebibyte to a tebibyte. */
  private static final int NEW_KINDS = 4 * 20;

  private static final int KINDS = RETURNED_KINDS + NEW_KINDS;
  private static final double HALF_LIFE_SECONDS = 300;
  private static final double NANOS_PER_SECOND = 1e9;

  /** Questions between two looks at how far the bytes go. */
  private static final int INTERVAL = 32;

  /** So much of the allowance that was not used yet is spent in a second. */
  private static final double SPENT_A_SECOND = 1 / 600.0;

  /** Under a write allowance trials get so much of what returns leave. */
  private static final double TRIALS_OF_ALLOWANCE = 0.5;

  private final double[] bytes = new double[KINDS];
  private double seconds;
  private double allowed;
  private boolean limited;
  private long lastNanos = Facts.UNKNOWN;
  private long lastLeft = Facts.UNKNOWN;
  private long admittedSince;
  private int questions;
  private int lastKind = KINDS - 1;
  private double lastShare = 1;

  /** A chain is offered. */
  void offered(long nowNanos, ChainFacts chain, TierFacts target, double share) {
    if (lastNanos != Facts.UNKNOWN) {
      age((nowNanos - lastNanos) / NANOS_PER_SECOND);
    }
    lastNanos = nowNanos;
    long left = left(target);
    allowance(left);
    bytes[kind(chain)] += chain.bytes();
    if (questions++ % INTERVAL == 0) {
      learn(share, left);
    }
  }

  /** What may be written still; unknown where nothing limits it. */
  private static long left(TierFacts target) {
    return target.writeBudgetLeft() == Long.MAX_VALUE ? Facts.UNKNOWN : target.writeBudgetLeft();
  }

  /** It enters. */
  void admitted(long chainBytes) {
    admittedSince += chainBytes;
  }

  /** Whether the write allowance and not the share is what limits. */
  boolean limited() {
    return limited;
  }

  /** How long the tier keeps pages when everything enters. */
  double secondsUntilFull(TierFacts target) {
    double rate = total() / Math.max(1, seconds);
    return target.capacityBytes() == Facts.UNKNOWN || rate == 0 ? 0 : target.capacityBytes() / rate;
  }

  /** Whether a chain enters under pressure. */
  boolean enters(ChainFacts chain) {
    int kind = kind(chain);
    return kind < lastKind || (kind == lastKind && chain.unitHash() < lastShare);
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

  private void learn(double share, long left) {
    double room = share * total();
    limited = false;
    if (left != Facts.UNKNOWN) {
      double allowance = allowed + left * SPENT_A_SECOND * seconds;
      limited = allowance < total();
      // Who grants more than the share wants it used.
      room = limited ? allowance : room;
    }
    for (int kind = 0; kind < KINDS; kind++) {
      if (kind == RETURNED_KINDS && limited) {
        // What is not spent on trials now is there for the returns of a busier time.
        room *= TRIALS_OF_ALLOWANCE;
      }
      if (bytes[kind] > room) {
        lastKind = kind;
        lastShare = room / bytes[kind];
        return;
      }
      room -= bytes[kind];
    }
    lastKind = KINDS - 1;
    lastShare = 1;
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
