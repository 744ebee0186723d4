package io.orbitkv.api.lease;

/**
 * The byte limits of queries in one partition. Speculation (preparation and warming) may hold a
 * quarter of each.
 *
 * @param totalBytes over all instances
 * @param instanceBytes of one instance, at most {@code totalBytes}
 */
public record BudgetLimits(long totalBytes, long instanceBytes) {
  /** Speculation may hold the total divided by this. */
  public static final int SPECULATIVE_DIVISOR = 4;

  /**
   * @throws IllegalArgumentException when 0 &lt; instance &lt;= total does not hold
   */
  public BudgetLimits {
    if (instanceBytes <= 0 || instanceBytes > totalBytes) {
      throw new IllegalArgumentException(
          "instance budget ["
              + instanceBytes
              + "] must be positive and at most the total budget ["
              + totalBytes
              + "]");
    }
  }

  /** Speculative share of the total. */
  public long speculativeTotalBytes() {
    return totalBytes / SPECULATIVE_DIVISOR;
  }

  /** Speculative share of one instance. */
  public long speculativeInstanceBytes() {
    return instanceBytes / SPECULATIVE_DIVISOR;
  }
}
