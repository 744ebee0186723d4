package io.orbitkv.workload.ab.statistics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class RequestMeasureTest {
  @Test
  void ratio_weighted_isThatOfTheRepeatedRequests() {
    RequestMeasure hits = RequestMeasure.ratio(new double[] {1, 0, 4}, new double[] {2, 5, 4});

    assertThat(hits.of(new int[] {1, 1, 1})).isEqualTo(5.0 / 11);
    assertThat(hits.of(new int[] {2, 0, 1})).isEqualTo(6.0 / 8);
    assertThat(hits.of(new int[] {0, 0, 0})).isNaN();
  }

  @Test
  void percentile_weighted_isThatOfTheRepeatedRequests() {
    double[] values = {5, 1, 3, 2, 4};
    RequestMeasure median = RequestMeasure.percentile(values, 0.5);

    assertThat(median.of(new int[] {1, 1, 1, 1, 1})).isEqualTo(3);
    assertThat(median.of(new int[] {4, 1, 1, 1, 1})).isEqualTo(4);
    assertThat(median.of(new int[] {0, 3, 1, 1, 0})).isEqualTo(1);
    assertThat(median.of(new int[5])).isNaN();
  }

  @Test
  void percentile_ofAHundred_isTheNinetyFifth() {
    double[] values = new double[100];
    Arrays.setAll(values, index -> 100 - index);
    int[] ones = new int[100];
    Arrays.fill(ones, 1);

    assertThat(RequestMeasure.percentile(values, 0.95).of(ones)).isEqualTo(95);
    assertThat(RequestMeasure.percentile(values, 1).of(ones)).isEqualTo(100);
  }
}
