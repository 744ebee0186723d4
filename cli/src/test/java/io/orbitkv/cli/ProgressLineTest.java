package io.orbitkv.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.workload.replay.ReplayProgress;
import org.junit.jupiter.api.Test;

class ProgressLineTest {
  @Test
  void text_knownTotal_showsBarAndTimeLeft() {
    ReplayProgress half = new ReplayProgress(500, 1_000, 250, 2_000_000_000, 1_000_000_000);

    assertThat(ProgressLine.text(half, 1_000))
        .isEqualTo("[############............] 500 requests, 25.0 % restored, 2.00 GB/s, 1 s left");
  }

  @Test
  void text_unknownTotal_showsFiguresOnly() {
    assertThat(ProgressLine.text(new ReplayProgress(0, 0, 0, 0, 0), 0))
        .isEqualTo("0 requests, 0.0 % restored, 0.00 GB/s");
  }

  @Test
  void text_moreThanTotal_staysInsideTheBar() {
    assertThat(ProgressLine.text(new ReplayProgress(30, 1, 0, 0, 1), 10))
        .startsWith("[" + "#".repeat(24) + "]");
  }
}
