package io.orbitkv.workload.ab.statistics;

/** Student t on the differences of pairs. */
public final class PairedT {
  private PairedT() {}

  /**
   * The mean of the differences with its error.
   *
   * @throws IllegalArgumentException for fewer than two: one has no spread
   */
  public static Estimate of(double[] differences) {
    int pairs = differences.length;
    if (pairs < 2) {
      throw new IllegalArgumentException("[" + pairs + "] pairs: an estimate needs two");
    }
    return new Estimate(
        mean(differences),
        deviation(differences) / Math.sqrt(pairs),
        pairs - 1.0,
        "Student t of " + pairs + " pairs");
  }

  /** The mean of at least one value. */
  public static double mean(double[] values) {
    double sum = 0;
    for (double value : values) {
      sum += value;
    }
    return sum / values.length;
  }

  /** The sample's standard deviation, of at least two values. */
  public static double deviation(double[] values) {
    double mean = mean(values);
    double squares = 0;
    for (double value : values) {
      squares += (value - mean) * (value - mean);
    }
    return Math.sqrt(squares / (values.length - 1));
  }
}
