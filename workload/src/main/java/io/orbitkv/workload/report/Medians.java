package io.orbitkv.workload.report;

import java.util.Arrays;

/** What is told of several rounds. */
public final class Medians {
  private Medians() {}

  /** The median of at least one value. */
  public static double of(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }
}
