package io.orbitkv.manager.live;

import java.util.EnumMap;
import java.util.Map;

/** What one variant came to in one block. One thread at a time. */
@SuppressWarnings("EnumOrdinal") // Places of an array that nobody else sees.
final class ArmFigures {
  /** Eight buckets an octave of microseconds: a percentile is right to 9 %. */
  private static final int BUCKETS_AN_OCTAVE = 8;

  private static final int BUCKETS = 27 * BUCKETS_AN_OCTAVE;
  private static final double NANOS_A_MICROSECOND = 1_000;

  private final long[] sums = new long[Column.values().length];
  private final int[] waits = new int[BUCKETS];

  long get(Column column) {
    return sums[column.ordinal()];
  }

  void add(Column column, long amount) {
    sums[column.ordinal()] += amount;
  }

  void set(Column column, long value) {
    sums[column.ordinal()] = value;
  }

  /** A query has waited so long by now. */
  void waited(long nanos) {
    waits[bucket(nanos)]++;
  }

  /** It has waited longer than was told. */
  void waitedOn(long before, long nanos) {
    waits[bucket(before)]--;
    waits[bucket(nanos)]++;
  }

  static int bucket(long nanos) {
    double octaves = Math.log(Math.max(1, nanos / NANOS_A_MICROSECOND)) / Math.log(2);
    return Math.clamp((int) (octaves * BUCKETS_AN_OCTAVE), 0, BUCKETS - 1);
  }

  /** The upper end of a bucket, in nanoseconds. */
  static long bucketNanos(int bucket) {
    return Math.round(NANOS_A_MICROSECOND * Math.pow(2, (bucket + 1.0) / BUCKETS_AN_OCTAVE));
  }

  /** Queries by the upper end of their wait, in nanoseconds; buckets of none are left out. */
  Map<Long, Integer> waits() {
    Map<Long, Integer> counts = new java.util.TreeMap<>();
    for (int bucket = 0; bucket < BUCKETS; bucket++) {
      if (waits[bucket] != 0) {
        counts.put(bucketNanos(bucket), waits[bucket]);
      }
    }
    return counts;
  }

  /** The sums that are known. */
  Map<Column, Long> sums(boolean withKernel) {
    Map<Column, Long> known = new EnumMap<>(Column.class);
    for (Column column : Column.values()) {
      if (withKernel || !column.ofKernel()) {
        known.put(column, get(column));
      }
    }
    return known;
  }
}
