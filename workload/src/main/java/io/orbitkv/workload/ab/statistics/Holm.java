package io.orbitkv.workload.ab.statistics;

import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * Holm's step-down correction: of many measures that are looked at, the chance that any is called
 * different by luck stays what it is for one.
 */
public final class Holm {
  private Holm() {}

  /** Adjusted p values, in the order of {@code pValues}. */
  public static double[] adjust(double[] pValues) {
    int count = pValues.length;
    int[] order =
        IntStream.range(0, count)
            .boxed()
            .sorted(Comparator.comparingDouble(index -> pValues[index]))
            .mapToInt(Integer::intValue)
            .toArray();
    double[] adjusted = new double[count];
    double largest = 0;
    for (int rank = 0; rank < count; rank++) {
      largest = Math.max(largest, Math.min(1, pValues[order[rank]] * (count - rank)));
      adjusted[order[rank]] = largest;
    }
    return adjusted;
  }
}
