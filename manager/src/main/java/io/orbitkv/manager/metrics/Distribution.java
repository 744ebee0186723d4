package io.orbitkv.manager.metrics;

/**
 * What a timer had seen at one moment. Its count is the sum over its buckets, so the two never
 * disagree.
 *
 * @param counts by bucket of {@link DurationEdges}; nobody changes them
 * @param count of all durations
 * @param totalNanos of all durations
 * @param maxNanos the longest
 */
record Distribution(long[] counts, long count, long totalNanos, long maxNanos) {
  /** Durations that were not longer than a shown edge. */
  long upTo(int shown) {
    long sum = 0;
    for (int bucket = 0; bucket <= DurationEdges.shownBucket(shown); bucket++) {
      sum += counts[bucket];
    }
    return sum;
  }

  /**
   * The duration that a part of all durations did not exceed: the upper edge of its bucket, at most
   * the longest duration; 0 when there was none.
   *
   * @param part above 0 and at most 1
   */
  long percentileNanos(double part) {
    long wanted = Math.max(1, (long) Math.ceil(part * count));
    long sum = 0;
    for (int bucket = 0; bucket < counts.length; bucket++) {
      sum += counts[bucket];
      if (count > 0 && sum >= wanted) {
        return bucket == counts.length - 1
            ? maxNanos
            : Math.min(maxNanos, DurationEdges.edgeNanos(bucket));
      }
    }
    return 0;
  }
}
