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
  private static final int REQUESTS = 12;

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
    assertThat(Pattern.compile("\"read_gb_s\"").matcher(bench.out()).results()).hasSize(24);
    assertThat(number(bench, "verified_pages")).isPositive();
    assertThat(number(bench, "wrong_bytes")).isZero();
    assertThat(bench.out()).contains("\"direct\" : true");
  }

  @Test
  void ssd_twoFiles_bothCarryTheLoad() throws IOException {
    Path left = folder.resolve("left");
    Path right = folder.resolve("right");
    Path operations = folder.resolve("operations.csv");
    Path requests = folder.resolve("requests.csv");
    Invocation bench =
        Invocation.of(
            "bench",
            "ssd",
            "--file",
            left.toString(),
            "--file",
            right.toString(),
            "--size",
            "64mb",
            "--page-sizes",
            "256kb",
            "--engines",
            "auto",
            "--variant",
            "plain:write-yield=0ms,owner-checks=1mb",
            "--loads",
            "half",
            "--seconds",
            "0.2",
            "--warm-up",
            "0.05",
            "--depth",
            "8",
            "--memory",
            "64mb",
            "--ops-out",
            operations.toString(),
            "--set",
            "request-log=" + requests,
            "--keep",
            "--json");

    assertThat(bench.err()).isEmpty();
    assertThat(bench.status()).isZero();
    assertThat(number(bench, "wrong_bytes")).isZero();
    // Half, without and with writes, of each file alone and of both.
    assertThat(Pattern.compile("\"engine\" : \"auto plain\"").matcher(bench.out()).results())
        .hasSize(6);
    assertThat(Pattern.compile("\"load\" : \"half\"").matcher(bench.out()).results()).hasSize(6);
    assertThat(bench.out()).contains("\"disks\" : [");
    assertThat(Files.readAllLines(operations)).hasSizeGreaterThan(1);
    List<String> lines = Files.readAllLines(requests);
    assertThat(lines.getFirst())
        .isEqualTo("kind,offset,bytes,transfers,arrival_ns,issued_ns,ended_ns,result,path");
    assertThat(lines.stream().skip(1))
        .allSatisfy(line -> assertThat(line).matches("(read|write|sync)(,-?\\d+){7},.*"))
        .anyMatch(line -> line.startsWith("read,"))
        .anyMatch(line -> line.startsWith("write,"))
        .anyMatch(line -> line.startsWith("sync,"));
    // Both while the files are written once, each alone, and both: the stores write their logs in
    // turn.
    List<List<String>> turns = byPath(lines.subList(1, lines.size()));
    assertThat(turns).hasSize(6);
    assertThat(turns.get(4).getFirst()).endsWith("," + left);
    assertThat(turns.get(5).getFirst()).endsWith("," + right);
    long inLeft = reads(turns.get(4));
    long inRight = reads(turns.get(5));
    assertThat(Math.min(inLeft, inRight)).isGreaterThan(Math.max(inLeft, inRight) / 2);
    for (Path file : List.of(left, right, operations, requests)) {
      Files.delete(file);
    }
  }

  @Test
  void ssd_filesThatCannotBeMeasuredSo_areRefused() {
    String file = folder.resolve("store").toString();

    assertThat(ssd("--file", file).err()).contains("--file names one file twice");
    assertThat(ssd("--file", file + "2", "--fio").err()).contains("--fio is compared on one file");
    assertThat(ssd("--file", file + "2", "--kill-loop", "1").err())
        .contains("--kill-loop and --startup take one --file");
    assertThat(ssd("--loads", "third").err()).contains("--loads [third] is none of full, half");
    assertThat(ssd("--variant", "a=b").err()).contains("--variant [a=b] is not NAME");
    assertThat(ssd("--size", "64mb", "--page-sizes", "64kb", "--variant", "x:no-such=1").err())
        .contains("plugin-settings.ssd-iouring.no-such");
  }

  @Test
  void replay_overAnEmptyPool_restoresAsManyBytesAsItReadsFromTheStore() throws IOException {
    // No two prompts have anything in common, so no page is found in memory.
    Path trace = folder.resolve("trace.jsonl");
    StringBuilder lines = new StringBuilder();
    for (int request = 0; request < REQUESTS; request++) {
      int first = 4 * request;
      lines
          .append("{\"timestamp\": ")
          .append(request)
          .append(", \"input_length\": 2048, \"output_length\": 1, \"hash_ids\": [")
          .append(first + ", " + (first + 1) + ", " + (first + 2) + ", " + (first + 3))
          .append("]}\n");
    }
    Files.writeString(trace, lines);

    Invocation replay =
        Invocation.of(
            "replay",
            "--trace",
            trace.toString(),
            "--bytes-per-token",
            "256",
            "--pool-size",
            "64mb",
            "--ssd-path",
            folder.resolve("store").toString(),
            "--ssd-size",
            "256mb",
            "--restart",
            "--json");

    assertThat(replay.err()).isEmpty();
    assertThat(replay.status()).isZero();
    int second = replay.out().indexOf("\"after_restart\"");
    assertThat(second).isPositive();
    String before = replay.out().substring(0, second);
    String after = replay.out().substring(second);
    assertThat(number(before, "restored_bytes")).isZero();
    assertThat(number(before, "ssd_read_bytes")).isZero();
    assertThat(number(after, "restored_pages")).isEqualTo(number(before, "published_pages"));
    assertThat(number(after, "restored_bytes")).isPositive();
    assertThat(number(after, "ssd_read_bytes")).isEqualTo(number(after, "restored_bytes"));
    assertThat(number(after, "published_pages")).isZero();
    assertThat(number(after, "wrong_bytes")).isZero();
    Files.delete(trace);
    Files.deleteIfExists(folder.resolve("store"));
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

  /** Lines one after the other that are of one path. */
  private static List<List<String>> byPath(List<String> lines) {
    List<List<String>> turns = new ArrayList<>();
    String path = "";
    for (String line : lines) {
      String own = line.substring(line.lastIndexOf(','));
      if (!own.equals(path)) {
        turns.add(new ArrayList<>());
        path = own;
      }
      turns.getLast().add(line);
    }
    return turns;
  }

  private static long reads(List<String> lines) {
    return lines.stream().filter(line -> line.startsWith("read,")).count();
  }

  private static long number(Invocation bench, String field) {
    return number(bench.out(), field);
  }

  private static long number(String report, String field) {
    Matcher matcher = Pattern.compile("\"" + field + "\" : (\\d+)").matcher(report);
    assertThat(matcher.find()).as(field).isTrue();
    return Long.parseLong(matcher.group(1));
  }
}
