package io.orbitkv.manager.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.policy.Facts;
import org.junit.jupiter.api.Test;

class TierMeterTest {
  private static final long MILLISECOND = 1_000_000;

  private final TierMeter meter = new TierMeter();

  @Test
  void nothingMeasured_isUnknown() {
    assertThat(meter.bytesPerSecond()).isEqualTo(Facts.UNKNOWN);
    assertThat(meter.latencyNanos()).isEqualTo(Facts.UNKNOWN);
  }

  @Test
  void operationsAtOnce_countTheTimeOnce() {
    meter.submitted(1, 1_000_000, 0);
    meter.submitted(2, 1_000_000, 0);
    meter.reported(1, true, 10 * MILLISECOND);
    meter.reported(2, true, 20 * MILLISECOND);

    assertThat(meter.bytesPerSecond()).isEqualTo(100_000_000);
    // 10 ms, then a fifth of the way to 20 ms.
    assertThat(meter.latencyNanos()).isEqualTo(12 * MILLISECOND);
  }

  @Test
  void idleTime_countsNothing() {
    meter.submitted(1, 500_000, 0);
    meter.reported(1, true, 5 * MILLISECOND);
    assertThat(meter.bytesPerSecond()).isEqualTo(Facts.UNKNOWN);
    meter.submitted(2, 500_000, 5_000 * MILLISECOND);
    meter.reported(2, true, 5_005 * MILLISECOND);

    assertThat(meter.bytesPerSecond()).isEqualTo(100_000_000);
  }

  @Test
  void newestSample_countsAFifth() {
    meter.submitted(1, 1_000_000, 0);
    meter.reported(1, true, 10 * MILLISECOND);
    meter.submitted(2, 2_000_000, 10 * MILLISECOND);
    meter.reported(2, true, 20 * MILLISECOND);

    assertThat(meter.bytesPerSecond()).isEqualTo(120_000_000);
  }

  @Test
  void failedOperation_movedNoBytes() {
    meter.submitted(1, 1_000_000, 0);
    meter.reported(1, false, 10 * MILLISECOND);
    meter.reported(9, true, 11 * MILLISECOND);

    assertThat(meter.bytesPerSecond()).isEqualTo(Facts.UNKNOWN);
    assertThat(meter.latencyNanos()).isEqualTo(Facts.UNKNOWN);
  }
}
