package io.orbitkv.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
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
  void traceOut_isReplayed() {
    Path file = folder.resolve("run.jsonl");
    Invocation traced =
        Invocation.of("sim", "--seed", "5", "--steps", "300", "--trace-out", file.toString());
    assertThat(traced.status()).as(traced.err()).isZero();
    assertThat(Files.exists(file)).isTrue();
    Invocation replayed = Invocation.of("sim", "--replay", file.toString());
    assertThat(replayed.status()).isZero();
    assertThat(replayed.out()).contains("no invariant was violated");
  }
}
