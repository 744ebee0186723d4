package io.orbitkv.workload.ssd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class FioTest {
  private static final Fio.Target TARGET =
      new Fio.Target(
          Path.of("/somewhere/bench"),
          (64L << 20) + 4096,
          1L << 20,
          32,
          true,
          Duration.ofMillis(500),
          Duration.ofSeconds(3));

  @Test
  void command_reads_namesFileBlockAndDepth() {
    assertThat(Fio.command("fio", TARGET, new Fio.Job(Fio.Mode.RANDREAD, 0, 0, 20, false)))
        .startsWith("fio")
        .contains(
            "--filename=/somewhere/bench",
            "--ioengine=io_uring",
            "--direct=1",
            "--rw=randread",
            "--bs=1048576",
            "--iodepth=32",
            "--size=67108864",
            "--ramp_time=500ms",
            "--runtime=3000ms")
        .noneMatch(argument -> argument.startsWith("--rate="))
        .noneMatch(argument -> argument.startsWith("--rwmix"));
  }

  @Test
  void command_mixedAtARate_hasShareAndLimits() {
    assertThat(Fio.command("fio", TARGET, new Fio.Job(Fio.Mode.RANDRW, 4e8, 1e8, 20, false)))
        .contains("--rw=randrw", "--rwmixwrite=20", "--rate=400000000,100000000");
  }

  @Test
  void command_mixedApart_isAJobForEachDirection() {
    assertThat(Fio.command("fio", TARGET, new Fio.Job(Fio.Mode.RANDRW, 4e8, 1e8, 20, true)))
        .containsSubsequence(
            "--rate=400000000,100000000",
            "--name=reads",
            "--rw=randread",
            "--name=writes",
            "--rw=randwrite")
        .noneMatch(argument -> argument.startsWith("--rwmix"));
  }

  @Test
  void parse_ofTwoJobs_takesReadsOfTheFirstAndWritesOfTheLast() throws IOException {
    String report =
        """
        {"jobs": [
          {"job_runtime": 1000,
           "read": {"bw_bytes": 8, "iops": 2, "lat_ns": {"N": 7, "percentile": {"99.000000": 9000}}},
           "write": {"lat_ns": {"N": 0}}},
          {"job_runtime": 1000, "read": {"lat_ns": {"N": 0}},
           "write": {"bw_bytes": 4, "iops": 1, "lat_ns": {"N": 3, "percentile": {"99.000000": 5000}}}}]}
        """;

    LoadResult result = Fio.parse(report);

    assertThat(result.reads().p99Micros()).isEqualTo(9);
    assertThat(result.writes().p99Micros()).isEqualTo(5);
  }

  @Test
  void parse_ofItsReport_hasBothSides() throws IOException {
    String report =
        """
        fio: a warning
        {"jobs": [{"job_runtime": 3002,
          "read": {"bw_bytes": 2000000, "iops": 2.5,
            "lat_ns": {"N": 7, "percentile": {"50.000000": 1500, "99.000000": 9000}}},
          "write": {"bw_bytes": 0, "iops": 0.0, "lat_ns": {"N": 0}}}]}
        """;

    LoadResult result = Fio.parse(report);

    assertThat(result.seconds()).isEqualTo(3.002);
    assertThat(result.reads()).isEqualTo(new LoadResult.Side(2.5, 2e6, 1.5, 9, 9, 7));
    assertThat(result.writes()).isEqualTo(LoadResult.Side.NONE);
  }

  @Test
  void parse_ofSomethingElse_isRefused() {
    assertThatThrownBy(() -> Fio.parse("no report")).hasMessageContaining("cannot be read");
    assertThatThrownBy(() -> Fio.parse("{}")).hasMessageContaining("cannot be read");
  }

  @Test
  void find_programThatIsNotThere_saysWhatToDo() {
    assertThatThrownBy(() -> Fio.find("/no/such/fio"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("[/no/such/fio]")
        .hasMessageContaining("install it");
  }

  @Test
  void find_programThatFails_tellsItsStatus() {
    assertThatThrownBy(() -> Fio.find("/bin/false"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("status 1");
  }
}
