package io.orbitkv.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Experiments on the model as people run them, with the policies that are shipped. */
class AbModelCommandsTest {
  @TempDir static Path folder;

  @BeforeAll
  static void install() throws IOException {
    List<String> folders = new ArrayList<>(List.of("dram-tier", "host-copy", "ssd-iouring"));
    folders.addAll(TestHome.policies());
    Path home = Files.createDirectory(folder.resolve("home"));
    TestHome.install(home, folders);
    TestHome.bundle(home, "w-tinylfu", "caffeine");
    String sizes =
        """
        memory: {pool-size: 4gb}
        ssd: {paths: [%s], capacity: 64gb}
        policies: {cutoff: none, admission: {dram: none, ssd: write-all}}
        """
            .formatted(folder.resolve("store"));
    Files.writeString(folder.resolve("A.yaml"), sizes);
    String experiment =
        sizes
            + """
            ab:
              variants: {A: {}, B: {admission: {dram: none, ssd: write-on-reuse}}}
              assign: {by: chain, isolation: ISOLATION, salt: 1}
              primary: {measure: prefix_hit_ratio, margin: 2%}
            """;
    Files.writeString(
        folder.resolve("partition.yaml"), experiment.replace("ISOLATION", "partition"));
    Files.writeString(folder.resolve("shared.yaml"), experiment.replace("ISOLATION", "shared"));
  }

  @AfterAll
  static void uninstall() {
    TestHome.uninstall();
  }

  @Test
  void calibrate_fewExperiments_findsWhatIsPlantedAndSaysThatTheyAreFew() {
    Invocation calibrate =
        run("ab calibrate --a {A} --generate --requests 1500 --experiments 10 --json");

    assertThat(calibrate.err()).isEmpty();
    assertThat(calibrate.status()).isZero();
    assertThat(calibrate.out())
        .contains("\"equal_experiments\" : 10,", "\"planted_experiments\" : 10,")
        .contains("\"planted_wrong_way\" : 0,", "\"enough_experiments\" : false");
    assertThat(number(calibrate, "planted_found_share")).isGreaterThanOrEqualTo(0.8);
    assertThat(number(calibrate, "equal_winners_share")).isLessThanOrEqualTo(0.3);
  }

  @Test
  void calibrate_sameSeed_givesTheSame() {
    String line = "ab calibrate --a {A} --generate --requests 1000 --experiments 2 --json";

    assertThat(run(line).out()).isEqualTo(run(line).out());
  }

  @Tag("full")
  @ParameterizedTest
  @ValueSource(strings = {"prefix_hit_ratio", "ttft.mean"})
  void calibrate_twoHundredExperiments_areRightAsOftenAsTheySay(String measure) {
    Invocation calibrate = run("ab calibrate --a {A} --generate --json --primary " + measure);

    assertThat(calibrate.status()).as(calibrate.out() + calibrate.err()).isZero();
    assertThat(calibrate.out()).contains("\"enough_experiments\" : true", "\"sound\" : true");
    assertThat(number(calibrate, "equal_winners_share")).isLessThanOrEqualTo(0.09);
    assertThat(number(calibrate, "planted_found_share")).isGreaterThanOrEqualTo(0.8);
  }

  @Test
  void spread_secondTouchAgainstWriteAll_hasTheSignOfEachAloneOverTenSalts() {
    Invocation spread = run("ab spread --config {partition} --generate --requests 3000 --json");

    assertThat(spread.err()).isEmpty();
    assertThat(spread.status()).isZero();
    assertThat(spread.out()).contains("\"same_sign\" : true", "\"salt\" : 1,", "\"salt\" : 10,");
    assertThat(number(spread, "alone_effect")).isNegative();
    assertThat(number(spread, "partition_effect_mean")).isNegative();
    assertThat(number(spread, "partition_effect_deviation")).isPositive();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          ab --simulate --config {shared} --generate                         | shared.yaml:6:3: ab.assign.isolation: [shared] misleads where variants differ in admission.ssd: both would use the pages that the other keeps
          ab --simulate --config {partition} --isolation shared --generate   | --isolation: [shared] misleads where variants differ in admission.ssd
          ab --simulate --config {partition} --isolation time --generate     | isolation [time] cannot be simulated
          ab spread --config {shared} --generate                             | [shared] misleads
          ab spread --config {partition} --generate --salts 1                | [1] salts: 2 to 1000
          ab spread --config {partition}                                     | either --trace FILE or --generate
          ab calibrate --a {A} --generate --experiments 1                    | [1] experiments: 2 to 10000
          ab calibrate --generate                                            | --a FILE
          ab calibrate --a {A} --generate --requests 200 --experiments 2 --primary wait.mean | measure [wait.mean] is not measured here
          """)
  void modelCommands_wrongUse_isOneLineThatSaysWhat(String line, String message) {
    Invocation invocation = run(line);

    assertThat(invocation.err()).contains(message);
    assertThat(invocation.status()).isEqualTo(2);
    assertThat(invocation.out()).isEmpty();
  }

  private static double number(Invocation invocation, String field) {
    String marker = "\"" + field + "\" : ";
    int start = invocation.out().indexOf(marker) + marker.length();
    assertThat(start).as(field).isGreaterThan(marker.length());
    int end = start;
    while (",\n".indexOf(invocation.out().charAt(end)) < 0) {
      end++;
    }
    return Double.parseDouble(invocation.out().substring(start, end));
  }

  private static Invocation run(String line) {
    String named = line.strip();
    for (String name : List.of("A", "partition", "shared")) {
      named = named.replace("{" + name + "}", folder.resolve(name + ".yaml").toString());
    }
    return Invocation.of(named.split("\\s+"));
  }
}
