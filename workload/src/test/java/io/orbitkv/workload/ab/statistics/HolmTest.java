package io.orbitkv.workload.ab.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class HolmTest {
  @Test
  void adjust_fourValues_stepsDownAndNeverDecreases() {
    // The example of p.adjust(method = "holm").
    assertThat(Holm.adjust(new double[] {0.01, 0.04, 0.03, 0.005}))
        .containsExactly(new double[] {0.03, 0.06, 0.06, 0.02}, within(1e-12));
  }

  @Test
  void adjust_largeValues_staysAtOne() {
    assertThat(Holm.adjust(new double[] {0.9, 0.8})).containsExactly(1, 1);
  }

  @Test
  void adjust_nothing_isNothing() {
    assertThat(Holm.adjust(new double[0])).isEmpty();
  }
}
