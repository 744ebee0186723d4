package io.orbitkv.workload.ab.statistics;

import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/** A measure of an arm, from its requests and how often each is counted. */
public sealed interface RequestMeasure {
  /**
   * The measure when request {@code i} counts {@code weights[i]} times.
   *
   * @return not a number when nothing counts
   */
  double of(int[] weights);

  /** Number of requests. */
  int requests();

  /**
   * Sum of one column over the sum of another, such as hit pages over prompt pages.
   *
   * @param numerator of each request
   * @param denominator of each request
   */
  static RequestMeasure ratio(double[] numerator, double[] denominator) {
    return new Ratio(numerator.clone(), denominator.clone());
  }

  /** The sum of a column. */
  static RequestMeasure total(double[] values) {
    return new Total(values.clone());
  }

  /** The mean of a column. */
  static RequestMeasure mean(double[] values) {
    double[] ones = new double[values.length];
    Arrays.fill(ones, 1);
    return new Ratio(values.clone(), ones);
  }

  /**
   * A percentile of a column: the smallest value with at least that share of requests at or below
   * it.
   *
   * @param share above 0, at most 1
   */
  static RequestMeasure percentile(double[] values, double share) {
    int[] order =
        IntStream.range(0, values.length)
            .boxed()
            .sorted(Comparator.comparingDouble(index -> values[index]))
            .mapToInt(Integer::intValue)
            .toArray();
    return new Percentile(values.clone(), order, share);
  }

  /**
   * A percentile over whole blocks: each block counts how often a value was met.
   *
   * @param values in rising order
   * @param counts of each block, as many as there are values
   * @param share above 0, at most 1
   */
  static RequestMeasure percentile(double[] values, int[][] counts, double share) {
    int[][] copies = new int[counts.length][];
    Arrays.setAll(copies, index -> counts[index].clone());
    return new Histogram(values.clone(), copies, share);
  }

  /** Of sums. The arrays belong to the record. */
  @SuppressWarnings("ArrayRecordComponent") // Compared by nobody.
  record Ratio(double[] numerator, double[] denominator) implements RequestMeasure {
    @Override
    public double of(int[] weights) {
      double above = 0;
      double below = 0;
      for (int i = 0; i < weights.length; i++) {
        above += weights[i] * numerator[i];
        below += weights[i] * denominator[i];
      }
      return above / below;
    }

    @Override
    public int requests() {
      return numerator.length;
    }
  }

  /** Of one sum. The array belongs to the record. */
  @SuppressWarnings("ArrayRecordComponent") // Compared by nobody.
  record Total(double[] values) implements RequestMeasure {
    @Override
    public double of(int[] weights) {
      double sum = 0;
      for (int i = 0; i < weights.length; i++) {
        sum += weights[i] * values[i];
      }
      return sum;
    }

    @Override
    public int requests() {
      return values.length;
    }
  }

  /** Of one column, whose order is found once. The arrays belong to the record. */
  @SuppressWarnings("ArrayRecordComponent") // Compared by nobody.
  record Percentile(double[] values, int[] order, double share) implements RequestMeasure {
    @Override
    public double of(int[] weights) {
      long total = 0;
      for (int weight : weights) {
        total += weight;
      }
      long wanted = Math.max(1, (long) Math.ceil(share * total));
      long passed = 0;
      for (int index : order) {
        passed += weights[index];
        if (passed >= wanted) {
          return values[index];
        }
      }
      return Double.NaN;
    }

    @Override
    public int requests() {
      return values.length;
    }
  }

  /** Of counts. The arrays belong to the record. */
  @SuppressWarnings("ArrayRecordComponent") // Compared by nobody.
  record Histogram(double[] values, int[][] counts, double share) implements RequestMeasure {
    @Override
    public double of(int[] weights) {
      long[] sums = new long[values.length];
      long total = 0;
      for (int block = 0; block < counts.length; block++) {
        for (int i = 0; i < sums.length; i++) {
          long met = (long) weights[block] * counts[block][i];
          sums[i] += met;
          total += met;
        }
      }
      long wanted = Math.max(1, (long) Math.ceil(share * total));
      long passed = 0;
      for (int i = 0; i < sums.length; i++) {
        passed += sums[i];
        if (passed >= wanted) {
          return values[i];
        }
      }
      return Double.NaN;
    }

    @Override
    public int requests() {
      return counts.length;
    }
  }
}
