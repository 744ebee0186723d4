package io.orbitkv.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AbCommandTest {
  @TempDir static Path folder;

  @BeforeAll
  static void install() throws IOException {
    TestHome.install(Files.createDirectory(folder.resolve("home")));
    Files.writeString(folder.resolve("A.yaml"), "memory: {pool-size: 16mb}\n");
    Files.writeString(folder.resolve("B.yaml"), "memory: {pool-size: 32mb}\n");
    Files.writeString(
        folder.resolve("shared.yaml"),
        """
        memory: {pool-size: 16mb}
        ab:
          variants: {A: {}, B: {retention: {dram: segmented-lru}}}
          assign: {isolation: shared}
        """);
    Files.writeString(
        folder.resolve("guard.yaml"),
        """
        ab:
          variants: {A: {}, B: {}}
          guards:
            throughput: +1%
        """);
  }

  @AfterAll
  static void uninstall() {
    TestHome.uninstall();
  }

  @Test
  void configCheck_ofAnExperiment_namesMissingPoliciesAndMeasuresWithTheirPlaces()
      throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("unknown.yaml"),
            """
            ab:
              variants: {A: {}, B: {warming: unheard-of}}
              primary: {measure: ttft.men, margin: 2}
              guards: {throughput: +1%}
            """);

    Invocation check = Invocation.of("config", "check", file.toString());

    assertThat(check.status()).isEqualTo(2);
    assertThat(check.err())
        .contains("unknown.yaml:2:34: ab.variants.B.warming: no plugin offers the policy")
        .contains("unknown.yaml:3:22: ab.primary.measure: [ttft.men] is not a measure")
        .contains("ab.primary.margin: [2] is not a relative change")
        .contains("unknown.yaml:4:12: ab.guards.throughput: guard throughput [+1%] has the wrong");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          ab --generate                                        | either --config FILE with a section ab
          ab --generate --a {A}                                | --a FILE and --b FILE
          ab --a {A} --b {A}                                   | either --trace FILE or --generate
          ab --a {A} --b {B} --generate                        | B.yaml:1:10: memory.pool-size: is [32mb], and [16mb]
          ab --config {A} --generate                           | has no section ab
          ab --config {shared} --generate                      | shared.yaml:4:3: ab.assign.isolation: [shared] misleads
          ab --config {guard} --generate                       | guard.yaml:4:5: ab.guards.throughput: guard throughput [+1%] has the wrong sign
          ab --a {A} --b {A} --generate --pairs 1              | --pairs [1]
          ab --a {A} --b {A} --generate --require C            | --require [C] must be A, B or equivalent
          ab --a {A} --b {A} --generate --primary ttft         | [ttft] is not a measure
          ab --a {A} --b {A} --generate --margin 2             | [2] is not a relative change
          ab --a {A} --b {A} --generate --guard ttft.p95       | --guard [ttft.p95]
          ab --a {A} --b {A} --generate --warm-requests 5      | --warm-requests belongs to --start warm
          ab --a {A} --b {A} --generate --isolation partition  | belong to --simulate
          ab --a {A} --b {A} --generate --simulate --isolation shared | isolation [shared] cannot be simulated
          ab plan --a {A} --generate --effect 3                | [3] is not a relative change
          """)
  void ab_wrongUse_isOneLineThatSaysWhat(String line, String message) {
    Invocation invocation = Invocation.of(arguments(line));

    assertThat(invocation.err()).contains(message);
    assertThat(invocation.status()).isEqualTo(2);
    assertThat(invocation.out()).isEmpty();
  }

  @Test
  void ab_twoPairsOfOneConfiguration_runsThemAndShowsEffectsWithoutAVerdict() throws IOException {
    Path html = folder.resolve("report.html");
    Path csv = folder.resolve("runs.csv");
    Invocation ab =
        Invocation.of(
            arguments(
                "ab --a {A} --b {A} --generate --requests 24 --pairs 2 --bytes-per-token 64"
                    + " --start warm --warm-requests 8 --html "
                    + html
                    + " --csv "
                    + csv
                    + " --json"));

    assertThat(ab.err()).isEmpty();
    assertThat(ab.status()).isZero();
    assertThat(ab.out())
        .contains("\"verdict\" : \"none\"", "[2] pairs count", "\"measure\" : \"ttft.mean\"")
        .contains("\"voids\" : [ ]", "A/A experiment", "modelled in part")
        .contains("\"requests\" : \"16\"");
    assertThat(ab.out().lines().filter(line -> line.contains("\"arm\" : "))).hasSize(6);
    assertThat(Files.readString(html)).contains("No verdict", "Order of runs");
    assertThat(Files.readAllLines(csv)).hasSize(7);
  }

  @Test
  void ab_requiredVerdictThatIsNotThere_failsAndSaysWhy() {
    Invocation ab =
        Invocation.of(
            arguments(
                "ab --simulate --a {A} --b {A} --generate --requests 200 --require B --quiet"));

    assertThat(ab.out()).contains("verdict");
    assertThat(ab.err()).contains("--require asks for [B]");
    assertThat(ab.status()).isEqualTo(1);
  }

  @Test
  void ab_simulated_namesReferencesAndVariants() {
    Invocation ab =
        Invocation.of(arguments("ab --simulate --a {A} --b {A} --generate --requests 300 --json"));

    assertThat(ab.err()).isEmpty();
    for (String name :
        List.of(
            "lru", "clairvoyant", "infinite", "verdict", "prefix_hit_ratio", "ssd_written_bytes")) {
      assertThat(ab.out()).contains("\"" + name + "\" : ");
    }
    assertThat(ab.out()).contains("All times are modelled");
  }

  private static String[] arguments(String line) {
    String named = line.strip();
    for (String name : List.of("A", "B", "shared", "guard")) {
      named = named.replace("{" + name + "}", folder.resolve(name + ".yaml").toString());
    }
    return named.split("\\s+");
  }
}
