package io.orbitkv.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.workload.replay.ReplayOptions;
import io.orbitkv.workload.replay.ReplayResult;
import io.orbitkv.workload.replay.StoreFigures;
import io.orbitkv.workload.report.Percentiles;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class VerdictTest {
  private final StringWriter said = new StringWriter();
  private final PrintWriter err = new PrintWriter(said, true);

  @Test
  void replay_soundResult_isWellAndSilent() {
    assertThat(ReplayRunner.verdict(result(25, 25, 0, 5, false), err)).isZero();
    assertThat(said.toString()).isEmpty();
  }

  @Test
  void replay_failedCopyOrPageNotCompared_failsAndSaysWhich() {
    assertThat(ReplayRunner.verdict(result(25, 25, 2, 5, false), err)).isEqualTo(1);
    assertThat(said.toString()).contains("not sound").contains("2 copies failed");
    assertThat(ReplayRunner.verdict(result(25, 22, 0, 5, false), err)).isEqualTo(1);
    assertThat(said.toString()).contains("3 restored pages not compared");
  }

  @Test
  void demo_nothingRestoredOrNothingEvicted_failsAndSaysWhy() {
    assertThat(Demo.verdict(result(25, 25, 0, 5, false), err)).isZero();
    assertThat(said.toString()).isEmpty();
    assertThat(Demo.verdict(result(0, 0, 0, 5, false), err)).isEqualTo(1);
    assertThat(said.toString()).contains("the demo shows nothing: 0 pages restored and 5 evicted");
    assertThat(Demo.verdict(result(25, 25, 0, 0, false), err)).isEqualTo(1);
    assertThat(said.toString()).contains("25 pages restored and 0 evicted");
  }

  @Test
  void demo_stoppedEarly_isNotExpectedToShowEverything() {
    assertThat(Demo.verdict(result(0, 0, 0, 0, true), err)).isZero();
  }

  private static ReplayResult result(
      long restored, long verified, long copyFailures, long evicted, boolean partial) {
    return new ReplayResult(
        "generated",
        1,
        new ReplayOptions(64, 256, 4, 1 << 20, 4, 0, 1000),
        partial,
        10,
        0,
        100,
        30,
        restored,
        70 - restored,
        40,
        3,
        2,
        16384,
        verified,
        12,
        0,
        0,
        copyFailures,
        0,
        Percentiles.NONE,
        Percentiles.NONE,
        Percentiles.NONE,
        0,
        77,
        0,
        0,
        evicted,
        1,
        StoreFigures.NONE,
        2_000_000_000);
  }
}
