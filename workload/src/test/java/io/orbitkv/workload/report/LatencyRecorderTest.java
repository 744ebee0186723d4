package io.orbitkv.workload.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class LatencyRecorderTest {
  @Test
  void percentiles_ofKnownValues_areWithinThreeDigits() {
    LatencyRecorder recorder = new LatencyRecorder();
    for (int i = 1; i <= 1000; i++) {
      recorder.record(i * 1_000_000L);
    }

    Percentiles millis = recorder.percentiles(1e6);

    assertThat(millis.p50()).isCloseTo(500, within(1.0));
    assertThat(millis.p95()).isCloseTo(950, within(1.0));
    assertThat(millis.p99()).isCloseTo(990, within(1.0));
    assertThat(millis.samples()).isEqualTo(1000);
  }

  @Test
  void percentiles_withoutSamples_areZero() {
    assertThat(new LatencyRecorder().percentiles(1)).isEqualTo(Percentiles.NONE);
  }

  @Test
  void record_beyondAnHour_countsAsAnHour() {
    LatencyRecorder recorder = new LatencyRecorder();
    recorder.record(Long.MAX_VALUE);
    recorder.record(-1);

    assertThat(recorder.percentiles(1e9).p99()).isCloseTo(3600, within(5.0));
  }
}
