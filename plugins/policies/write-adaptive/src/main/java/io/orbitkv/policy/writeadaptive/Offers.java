package io.orbitkv.policy.writeadaptive;

import io.orbitkv.api.policy.ChainFacts;
import io.orbitkv.api.policy.Facts;
import io.orbitkv.api.policy.TierFacts;

/**
 * What is offered to a tier, by kind, and how far the bytes that may enter go. Kinds are in the
 * order in which they enter. Everything counts half after {@link #HALF_LIFE_SECONDS}.
 */
final class Offers {
  static double p(String k,double d){ return Double.parseDouble(System.getProperty(k,""+d)); }
  private static final int RETURNED_KINDS = 6;

  /** Kinds of new chains: four to an octave of bytes, from a mebibyte to a tebibyte. */
  private static final int NEW_KINDS = 4 * 20;

  private static final int KINDS = RETURNED_KINDS + NEW_KINDS;
  private static final double HALF_LIFE_SECONDS = p("half",300);
  private static final double NANOS_PER_SECOND = 1e9;
  private static final int INTERVAL = 32;
  private static final double RESERVE=p("reserve",60), TAU=p("tau",60);
  private static final boolean HASH=p("hash",1)>0;
  private static final double TRIALS=p("trials",1);
  private static final double NEWHASH=p("newhash",0), CUT=p("cut",0);
  private static final int MODE=(int)p("mode",1);

  private final double[] bytes = new double[KINDS];
  private final Conversations conversations = new Conversations();
  private double seconds;
  private double allowed;
  private boolean limited;
  private long lastNanos = Facts.UNKNOWN;
  private long lastLeft = Facts.UNKNOWN;
  private long admittedSince;
  private int questions;
  private double enters = Double.MAX_VALUE;
  private int kind;

  void offered(long nowNanos, ChainFacts chain, TierFacts target, double share) {
    if (lastNanos != Facts.UNKNOWN) {
      age((nowNanos - lastNanos) / NANOS_PER_SECOND);
    }
    lastNanos = nowNanos;
    allowance(target.writeBudgetLeft());
    kind = kind(chain, conversations.came(chain.unitHash(), nowNanos));
    bytes[kind] += chain.bytes();
    learn(share, target.writeBudgetLeft());
  }

  void admitted(long chainBytes) { admittedSince += chainBytes; }
  boolean limited() { return limited; }

  double secondsUntilFull(TierFacts target) {
    double rate = total() / Math.max(1, seconds);
    return target.capacityBytes() == Facts.UNKNOWN || rate == 0 ? 0 : target.capacityBytes() / rate;
  }

  boolean enters(ChainFacts chain) {
    double before = 0;
    for (int i = 0; i < kind; i++) before += bytes[i] * (i<RETURNED_KINDS && kind>=RETURNED_KINDS && limited ? TRIALS : 1);
    if (limited && kind >= RETURNED_KINDS && NEWHASH > 0) {
      double ret = 0, neu = 0;
      for (int i = 0; i < RETURNED_KINDS; i++) ret += bytes[i] * TRIALS;
      for (int i = RETURNED_KINDS; i < KINDS; i++) neu += bytes[i];
      double longer = 0; for (int i = kind + 1; i < KINDS; i++) longer += bytes[i];
      // the longest share of new bytes never enters
      if (longer < CUT * neu) return false;
      return ret + chain.unitHash() * neu <= enters;
    }
    return before + (!limited || HASH? chain.unitHash():0) * bytes[kind] <= enters;
  }

  private void age(double passed) {
    double kept = StrictMath.pow(0.5, passed / HALF_LIFE_SECONDS);
    for (int i = 0; i < KINDS; i++) bytes[i] *= kept;
    seconds = seconds * kept + passed;
    allowed *= kept;
  }

  private void allowance(long left) {
    if (left != Facts.UNKNOWN && lastLeft != Facts.UNKNOWN) {
      allowed += Math.max(0, left - lastLeft + admittedSince);
    }
    lastLeft = left;
    admittedSince = 0;
  }

  private void learn(double share, long left) {
    enters = share * total();
    limited = false;
    if (left != Facts.UNKNOWN) {
      double rate = allowed / Math.max(1, seconds);
      double spend = Math.max(0, rate + (left - rate * RESERVE) / TAU);
      limited = true;
      enters = spend * Math.max(1,seconds);
    }
  }

  private double total() {
    double total = 0;
    for (double one : bytes) total += one;
    return total;
  }

  private static int kind(ChainFacts chain, int times) {
    if (MODE == 0) {
      if (chain.uses() > 0) return chain.uses() >= 8 ? 0 : chain.uses() >= 4 ? 1 : (int) (5 - chain.uses());
    } else if (MODE == 2) {
      if (chain.uses() > 0) return chain.uses() >= 8 ? 0 : 1;
    } else if (MODE == 3) {
      if (chain.uses() > 0) return 0;
    } else if (MODE == 4) {
      if (chain.uses() > 0) return chain.uses() >= 8 ? 0 : chain.uses() >=2 ? 1 : 2;
    } else {
      if (chain.uses() >= 8) return 0;
      int t = (int)Math.max(times, chain.uses() + 1);
      if (t >= 8) return 1;
      if (t >= 4) return 2;
      if (t == 3) return 3;
      if (t == 2) return chain.uses() > 0 ? 4 : 5;
    }
    double prompt = chain.bytes() * (1 + chain.depth() / (double) Math.max(1, chain.pages()));
    double octaves = StrictMath.log(Math.max(1, prompt / (1 << 20))) / StrictMath.log(2);
    return RETURNED_KINDS + Math.min(NEW_KINDS - 1, (int) (4 * octaves));
  }
}
