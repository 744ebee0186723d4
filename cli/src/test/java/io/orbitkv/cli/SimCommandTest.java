package io.orbitkv.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SimCommandTest {
  @TempDir Path folder;

  @Test
  void json_hasTheSameDigestTwiceAndNoViolation() {
    String[] command = {"sim", "--seeds", "1..3", "--steps", "600", "--threads", "2", "--json"};
    Invocation first = Invocation.of(command);
    Invocation second = Invocation.of(command);
    assertThat(first.status()).as(first.err()).isZero();
    assertThat(first.out()).isEqualTo(second.out());
    assertThat(first.out())
        .contains("\"seeds\" : 3,", "\"violations\" : 0,", "\"copy_failed\" :")
        .containsPattern("\"steps\" : [1-9]\\d{3}")
        .containsPattern("\"distinct_states\" : [1-9]")
        .containsPattern("\"total-budget\" : [1-9]")
        .containsPattern("\"digest\" : \"[0-9a-f]{16}\"");
  }

  @Test
  void text_saysWhatWasDone() {
    Invocation run = Invocation.of("sim", "--seed", "7", "--steps", "400", "--scenario", "dense");
    assertThat(run.status()).as(run.err()).isZero();
    assertThat(run.out()).contains("1 from 7, scenario dense").containsPattern("violations +0");
  }

  @Test
  void listInvariants_namesEachWithItsSource() {
    Invocation list = Invocation.of("sim", "--list-invariants");
    assertThat(list.status()).isZero();
    assertThat(list.out().lines())
        .hasSizeGreaterThan(40)
        .allMatch(line -> line.matches("[a-z-]+ +.*"));
    assertThat(list.out()).contains("total-budget").doesNotContain("artificial");
  }

  @Test
  void listInvariants_json_isOneObject() {
    Invocation list = Invocation.of("sim", "--list-invariants", "--json");
    assertThat(list.status()).isZero();
    assertThat(list.out())
        .startsWith("{")
        .endsWith("}\n")
        .contains("\"invariants\" : [", "\"name\" : \"total-budget\"", "\"source\" : \"A7\"")
        .doesNotContain("artificial");
  }

  @Test
  void simulation_whoseOwnerIsKilled_ends() throws IOException, InterruptedException {
    Process owner = new ProcessBuilder("cat").start();
    Process simulation = start("--exit-with-parent", Long.toString(owner.pid()));
    try {
      assertThat(simulation.isAlive()).isTrue();
      owner.destroyForcibly().waitFor();

      assertThat(simulation.waitFor(Duration.ofSeconds(60))).isTrue();
      assertThat(simulation.exitValue()).isEqualTo(1);
      assertThat(start("--exit-with-parent", Long.toString(owner.pid())).waitFor()).isEqualTo(1);
    } finally {
      owner.destroyForcibly();
      simulation.destroyForcibly();
    }
  }

  private Process start(String... options) throws IOException {
    List<String> command = new ArrayList<>(TestHome.command(folder, "sim"));
    command.addAll(List.of("--seeds", "1..100000000", "--quiet"));
    command.addAll(List.of(options));
    return new ProcessBuilder(command)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .redirectError(ProcessBuilder.Redirect.DISCARD)
        .start();
  }

  @Test
  void traceOut_isReplayed() {
    Path file = folder.resolve("run.jsonl");
    Invocation traced =
        Invocation.of(
            "sim",
            "--seed",
            "5",
            "--threads",
            "200",
            "--steps",
            "300",
            "--trace-out",
            file.toString());
    assertThat(traced.status()).as(traced.err()).isZero();
    assertThat(Files.exists(file)).isTrue();
    Invocation replayed = Invocation.of("sim", "--replay", file.toString());
    assertThat(replayed.status()).isZero();
    assertThat(replayed.out()).contains("no invariant was violated");
    Invocation json = Invocation.of("sim", "--replay", file.toString(), "--json");
    assertThat(json.out()).startsWith("{").contains("\"violations\" : 0");
  }
}
