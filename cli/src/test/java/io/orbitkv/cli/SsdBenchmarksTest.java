package io.orbitkv.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Short runs on the real tier: that it runs, is right, and leaves nothing behind. */
class SsdBenchmarksTest {
  @TempDir static Path home;

  // Not in the temporary folder, which may be memory that knows no direct access.
  private Path folder = Path.of("");

  @BeforeAll
  static void install() throws IOException {
    TestHome.install(home, List.of("dram-tier", "host-copy", "ssd-iouring"));
  }

  @AfterAll
  static void uninstall() {
    TestHome.uninstall();
  }

  @BeforeEach
  void makeFolder() throws IOException {
    Path target = Path.of(System.getProperty("basedir", "."), "target").toAbsolutePath();
    folder = Files.createTempDirectory(Files.createDirectories(target), "ssd-bench-");
  }

  @AfterEach
  void nothingIsLeft() throws IOException {
    try (var left = Files.list(folder)) {
      assertThat(left).isEmpty();
    }
    Files.delete(folder);
  }

  @Test
  void ssd_shortRunOfTheRealTier_hasRowsAndNoWrongByte() {
    Invocation bench =
        ssd(
            "--size",
            "128mb",
            "--page-sizes",
            "128kb,1mb",
            "--engines",
            "auto,threads",
            "--seconds",
            "0.2",
            "--warm-up",
            "0.05",
            "--depth",
            "8",
            "--memory",
            "64mb",
            "--json");

    assertThat(bench.err()).isEmpty();
    assertThat(bench.status()).isZero();
    assertThat(Pattern.compile("\"read_gb_s\"").matcher(bench.out()).results()).hasSize(16);
    assertThat(number(bench, "verified_pages")).isPositive();
    assertThat(number(bench, "wrong_bytes")).isZero();
    assertThat(bench.out()).contains("\"direct\" : true");
  }

  @Test
  void ssd_settingThatTheTierDoesNotHave_isRefusedByName() {
    Invocation bench = ssd("--size", "128mb", "--page-sizes", "1mb", "--set", "no-such=1");

    assertThat(bench.err()).contains("plugin-settings.ssd-iouring.no-such");
    assertThat(bench.status()).isEqualTo(2);
  }

  @Test
  void ssd_killLoop_findsNothingWrong() {
    Invocation bench = ssd("--kill-loop", "1", "--size", "256mb", "--seconds", "0.5", "--json");

    assertThat(bench.err()).isEmpty();
    assertThat(bench.status()).isZero();
    assertThat(number(bench, "kills")).isPositive();
    assertThat(number(bench, "published_pages")).isPositive();
    assertThat(number(bench, "wrong_bytes")).isZero();
    assertThat(number(bench, "unpublished_pages")).isZero();
    assertThat(number(bench, "lost_pages")).isZero();
  }

  @Test
  void ssd_startup_findsEveryPageAfterEachStart() {
    Invocation bench = ssd("--startup", "2000", "--rounds", "1", "--json");

    assertThat(bench.err()).isEmpty();
    assertThat(bench.status()).isZero();
    assertThat(bench.out()).contains("\"complete\" : true");
    assertThat(number(bench, "pages")).isEqualTo(3000);
  }

  private Invocation ssd(String... options) {
    List<String> arguments =
        new ArrayList<>(List.of("bench", "ssd", "--file", folder.resolve("store").toString()));
    arguments.addAll(List.of(options));
    return Invocation.of(arguments.toArray(String[]::new));
  }

  private static long number(Invocation bench, String field) {
    Matcher matcher = Pattern.compile("\"" + field + "\" : (\\d+)").matcher(bench.out());
    assertThat(matcher.find()).as(field).isTrue();
    return Long.parseLong(matcher.group(1));
  }
}
