package io.orbitkv.workload.ab.statistics;

/**
 * A confidence interval of an effect, on the scale of the effect. Never of width zero.
 *
 * @param low its lower end
 * @param high its upper end, above {@code low}
 */
public record Interval(double low, double high) {
  /**
   * Checks that it has a width.
   *
   * @throws IllegalArgumentException when it has none: that would be certainty from data
   */
  public Interval {
    if (!(low < high)) {
      throw new IllegalArgumentException(
          "interval [" + low + ", " + high + "] has no width: no data give certainty");
    }
  }

  /** Whether no effect at all is outside of it. */
  public boolean excludesZero() {
    return low > 0 || high < 0;
  }

  /** Whether all of it is between {@code from} and {@code to}. */
  public boolean within(double from, double to) {
    return low >= from && high <= to;
  }

  /** Its width. */
  public double width() {
    return high - low;
  }
}
