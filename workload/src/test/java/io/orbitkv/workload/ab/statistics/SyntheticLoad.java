package io.orbitkv.workload.ab.statistics;

import java.util.Arrays;
import java.util.Random;

/**
 * An hour of requests as they are: the load drifts (autocorrelated over minutes), conversations
 * differ, and single requests have heavy tails.
 */
final class SyntheticLoad {
  static final double SECONDS = 3_600;
  private static final int CONVERSATIONS = 400;
  private static final int REQUESTS = 1_600;

  private final Random random;
  private final double[] level = new double[60];

  SyntheticLoad(long seed) {
    this.random = new Random(seed);
    double now = 0;
    for (int minute = 0; minute < level.length; minute++) {
      now = 0.7 * now + 0.25 * random.nextGaussian();
      level[minute] = now;
    }
  }

  /** An arm that meets this load with conversations of its own; slower by {@code effect}. */
  Arm arm(double effect, long firstConversation) {
    double[] ofConversation = new double[CONVERSATIONS];
    Arrays.setAll(ofConversation, _ -> 0.5 * random.nextGaussian());
    double[] seconds = new double[REQUESTS];
    double[] values = new double[REQUESTS];
    long[] roots = new long[REQUESTS];
    for (int i = 0; i < REQUESTS; i++) {
      seconds[i] = random.nextDouble() * SECONDS;
      int conversation = random.nextInt(CONVERSATIONS);
      roots[i] = firstConversation + conversation;
      double log =
          level[(int) (seconds[i] / 60)] + ofConversation[conversation] + random.nextGaussian();
      values[i] = Math.exp(log + effect);
    }
    return new Arm(seconds, values, roots);
  }

  record Arm(double[] seconds, double[] values, long[] roots) {}
}
