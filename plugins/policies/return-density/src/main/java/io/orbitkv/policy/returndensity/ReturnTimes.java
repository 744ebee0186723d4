package io.orbitkv.policy.returndensity;

import java.util.Arrays;

/**
 * After what time conversations return, by kind, and what a page is worth at an age.
 *
 * <p>Times fall into steps, four to an octave. For each step the chance of a return within it,
 * given that there was none before, is estimated from conversations that returned in it and those
 * that were still open behind it (Kaplan and Meier's way: a conversation that may still return
 * counts up to its age). A kind's chance leans on that of all kinds together with the weight of
 * {@link #POOLED} conversations.
 */
final class ReturnTimes {
  /** Shorter pauses are none. */
  static final double SHORTEST_SECONDS = 0.25;

  private static final int STEPS_PER_OCTAVE = 4;

  /** Up to nine hours. */
  private static final int STEPS = 17 * STEPS_PER_OCTAVE;

  private static final double POOLED = 30;

  /** What is believed before anything is seen: a return in two of a hundred, in each step. */
  private static final double PRIOR_CHANCE = 0.02;

  private static final double PRIOR = 10;

  /** Returns faster than this share of all returns are quick. */
  private static final double QUICK_SHARE = 0.25;

  private static final double SCALE = 1e12;

  private final double memory;
  private final double[][] returned = new double[Conversations.KINDS][STEPS];
  private final double[][] lost = new double[Conversations.KINDS][STEPS];
  private final double[][] open = new double[Conversations.KINDS][STEPS];
  private final long[][] value = new long[Conversations.KINDS][STEPS];
  private final double[] edges = new double[STEPS + 1];
  private double quickSeconds;

  /**
   * Nothing is known yet.
   *
   * @param memory requests after which what was learned counts half
   */
  ReturnTimes(double memory) {
    this.memory = memory;
    for (int step = 1; step <= STEPS; step++) {
      edges[step] = SHORTEST_SECONDS * StrictMath.pow(2, (step - 1) / (double) STEPS_PER_OCTAVE);
    }
    fit();
  }

  /** A conversation returned after a pause. */
  void returned(int kind, double seconds) {
    returned[kind][step(seconds)]++;
  }

  /** A conversation is forgotten that had not returned for so long. */
  void lost(int kind, double seconds) {
    lost[kind][step(seconds)]++;
  }

  /** Whether a pause is short among those that were seen. */
  boolean quick(double seconds) {
    return seconds < quickSeconds;
  }

  /** What a page is worth: expected returns a second, scaled. */
  long value(int kind, double seconds) {
    return value[kind][step(seconds)];
  }

  /** Begins to learn: what was seen before {@code requests} further ones counts less. */
  void startFit(long requests) {
    double kept = StrictMath.pow(0.5, requests / memory);
    for (int kind = 0; kind < Conversations.KINDS; kind++) {
      for (int step = 0; step < STEPS; step++) {
        returned[kind][step] *= kept;
        lost[kind][step] *= kept;
      }
      Arrays.fill(open[kind], 0);
    }
  }

  /** A conversation that has not returned for so long. */
  void open(int kind, double seconds) {
    open[kind][step(seconds)]++;
  }

  /** Learns from what was seen and what is open. */
  void fit() {
    double[][] atRisk = new double[Conversations.KINDS][];
    for (int kind = 0; kind < Conversations.KINDS; kind++) {
      atRisk[kind] = atRisk(kind);
    }
    double[] all = new double[STEPS];
    double returns = 0;
    for (int step = 0; step < STEPS; step++) {
      double returnedHere = 0;
      double atRiskHere = 0;
      for (int kind = 0; kind < Conversations.KINDS; kind++) {
        returnedHere += returned[kind][step];
        atRiskHere += atRisk[kind][step];
      }
      all[step] = (returnedHere + PRIOR * PRIOR_CHANCE) / (atRiskHere + PRIOR);
      returns += returnedHere;
    }
    for (int kind = 0; kind < Conversations.SHARED; kind++) {
      double[] chance = new double[STEPS];
      for (int step = 0; step < STEPS; step++) {
        chance[step] = (returned[kind][step] + POOLED * all[step]) / (atRisk[kind][step] + POOLED);
      }
      values(chance, value[kind]);
    }
    // What everybody shares is worth at least what the best of those who share it is.
    for (int step = 0; step < STEPS; step++) {
      long best = 0;
      for (int kind = 0; kind < Conversations.SHARED; kind++) {
        best = Math.max(best, value[kind][step]);
      }
      value[Conversations.SHARED][step] = best;
    }
    quickSeconds = quickest(returns * QUICK_SHARE);
  }

  /** Conversations that were open in each step; those that ended their watch in it count half. */
  private double[] atRisk(int kind) {
    double[] atRisk = new double[STEPS];
    double longer = 0;
    for (int step = STEPS - 1; step >= 0; step--) {
      double watched = open[kind][step] + lost[kind][step];
      atRisk[step] = longer + returned[kind][step] + watched / 2;
      longer += returned[kind][step] + watched;
    }
    return atRisk;
  }

  /** For each age the best ratio of returns to time over all horizons. */
  private void values(double[] chance, long[] into) {
    for (int age = 0; age < STEPS; age++) {
      double open = 1;
      double returns = 0;
      double time = 0;
      double best = 0;
      for (int step = age; step < STEPS; step++) {
        double width = edges[step + 1] - edges[step];
        returns += open * chance[step];
        time += open * width * (1 - chance[step] / 2);
        open *= 1 - chance[step];
        best = Math.max(best, returns / time);
      }
      into[age] = (long) (SCALE * best);
    }
  }

  private double quickest(double count) {
    double returns = 0;
    for (int step = 0; step < STEPS; step++) {
      for (int kind = 0; kind < Conversations.KINDS; kind++) {
        returns += returned[kind][step];
      }
      if (returns > count) {
        return edges[step];
      }
    }
    return 0;
  }

  private int step(double seconds) {
    int low = 0;
    int high = STEPS - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (edges[middle] <= seconds) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }
}
