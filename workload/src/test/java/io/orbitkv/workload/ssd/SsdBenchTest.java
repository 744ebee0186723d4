package io.orbitkv.workload.ssd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orbitkv.api.backing.BackingStatus;
import io.orbitkv.testkit.simulation.BackingScript;
import io.orbitkv.testkit.simulation.DeterministicBackingTier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class SsdBenchTest {
  private static final long MEBIBYTE = 1L << 20;

  @TempDir Path folder;

  @Test
  void run_tierInMemory_hasFourRowsOfEachEngineAndComparesPages()
      throws IOException, InterruptedException {
    List<String> opened = new ArrayList<>();

    SsdBenchResult result =
        new SsdBench(
                options(List.of(65_536L, 131_072L), List.of("one", "two"), 2),
                (store, chunks) -> {
                  opened.add(store.engine());
                  return new DeterministicBackingTier(
                      store.capacityBytes(),
                      64,
                      BackingScript.SUCCEED,
                      Thread.ofPlatform().daemon().factory());
                })
            .run();

    // The first fills the file; the order is reversed in the second round.
    assertThat(opened)
        .containsExactly("one", "one", "two", "one", "two", "two", "one", "two", "one");
    JsonNode json = JsonMapper.shared().readTree(result.json());
    assertThat(json.path("rows")).hasSize(24);
    JsonNode row = json.path("rows").path(0);
    assertThat(row.path("engine").asString("")).isEqualTo("one");
    assertThat(row.path("page_bytes").asLong()).isEqualTo(65_536);
    assertThat(row.path("competing_writes").asBoolean()).isFalse();
    assertThat(row.path("read_gb_s").asDouble()).isPositive();
    assertThat(row.path("write_gb_s").asDouble()).isPositive();
    assertThat(row.has("ratio_read")).isFalse();
    JsonNode mixed = json.path("rows").path(3);
    assertThat(mixed.path("load").asString("")).isEqualTo("half");
    assertThat(mixed.path("competing_writes").asBoolean()).isTrue();
    assertThat(mixed.path("p99_with_writes_ratio").asDouble()).isPositive();
    assertThat(json.path("verified_pages").asLong()).isPositive();
    assertThat(json.path("wrong_bytes").asLong()).isZero();
    assertThat(result.sound()).isTrue();
    assertThat(result.table()).contains("64kb", "half + writes", "0 wrong bytes");
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void run_tierThatLies_isNotSound() throws IOException, InterruptedException {
    SsdBenchResult result =
        new SsdBench(
                options(List.of(65_536L), List.of("one"), 1),
                (store, chunks) ->
                    new LyingTier(
                        new DeterministicBackingTier(
                            store.capacityBytes(),
                            64,
                            BackingScript.SUCCEED,
                            Thread.ofPlatform().daemon().factory()),
                        BackingStatus.DONE))
            .run();

    assertThat(result.wrongBytes()).isPositive();
    assertThat(result.sound()).isFalse();
  }

  @Test
  void run_severalFiles_measuresEachAloneAndAllTogether() throws IOException, InterruptedException {
    List<Path> files = List.of(folder.resolve("left"), folder.resolve("right"));
    List<String> opened = new ArrayList<>();

    SsdBenchResult result =
        new SsdBench(
                options(
                    files, List.of(65_536L), List.of("one"), 1, List.of(SsdVariant.PLAIN), null),
                (store, chunks) -> {
                  opened.add(store.files().size() + " " + store.capacityBytes() / MEBIBYTE);
                  return memory(store);
                })
            .run();

    // All are written once; then each alone, then both, with as many bytes in each.
    assertThat(opened).containsExactly("2 128", "1 64", "1 64", "2 128");
    assertThat(result.rows())
        .extracting(SsdBenchRow::files)
        .contains(files.subList(0, 1), files.subList(1, 2), files);
    assertThat(result.disks()).hasSize(1);
    JsonNode json = JsonMapper.shared().readTree(result.json());
    assertThat(json.path("files")).hasSize(2);
    assertThat(json.path("disks")).hasSize(1);
    assertThat(json.path("rows").path(17).path("files")).hasSize(2);
    assertThat(result.table()).contains("all files", "one disk", files.getFirst().toString());
  }

  @Test
  void options_filesThatDoNotGoTogether_areRefused() {
    Path file = folder.resolve("one");
    List<SsdVariant> plain = List.of(SsdVariant.PLAIN);

    assertThatThrownBy(
            () -> options(List.of(file, file), List.of(65_536L), List.of("one"), 1, plain, null))
        .hasMessageContaining("names one file twice");
    assertThatThrownBy(() -> options(List.of(), List.of(65_536L), List.of("one"), 1, plain, null))
        .hasMessageContaining("--file");
  }

  @Test
  void run_variants_eachHasItsSettingsAndItsRows() throws IOException, InterruptedException {
    List<Map<String, String>> opened = new ArrayList<>();
    List<SsdVariant> variants =
        List.of(SsdVariant.parse("as-is"), SsdVariant.parse("gap:write-yield=20ms,write-share=30"));

    SsdBenchResult result =
        new SsdBench(
                options(
                    List.of(folder.resolve("store")),
                    List.of(65_536L),
                    List.of("one"),
                    1,
                    variants,
                    null),
                (store, chunks) -> {
                  opened.add(store.settings());
                  return memory(store);
                })
            .run();

    assertThat(opened)
        .containsExactly(Map.of(), Map.of(), Map.of("write-yield", "20ms", "write-share", "30"));
    assertThat(result.rows()).extracting(SsdBenchRow::engine).containsOnly("one as-is", "one gap");
  }

  @Test
  void variant_thatIsNone_isRefusedWithItsForm() {
    for (String wrong : List.of("", ":a=b", "gap:", "gap:a", "gap:=b", "a=b")) {
      assertThatThrownBy(() -> SsdVariant.parse(wrong))
          .as(wrong)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("--variant [" + wrong + "]");
    }
    SsdVariant twice = SsdVariant.parse("gap");
    assertThatThrownBy(() ->
            options(
                List.of(folder.resolve("store")),
                List.of(65_536L),
                List.of("one"),
                1,
                List.of(twice, twice),
                null))
        .hasMessageContaining("two --variant have one name");
  }

  @Test
  void run_withOperationsOut_hasALineForEveryOperationOfThePhasesAlone()
      throws IOException, InterruptedException {
    Path operations = folder.resolve("ops.csv");

    SsdBenchResult _ =
        new SsdBench(
                options(
                    List.of(folder.resolve("store")),
                    List.of(65_536L),
                    List.of("one"),
                    1,
                    List.of(SsdVariant.parse("gap")),
                    operations),
                (store, chunks) -> memory(store))
            .run();

    List<String> lines = Files.readAllLines(operations);
    assertThat(lines.getFirst())
        .isEqualTo("round,subject,page_bytes,phase,kind,due_ns,offered_ns,reported_ns,status");
    List<String[]> fields = lines.stream().skip(1).map(line -> line.split(",", -1)).toList();
    assertThat(fields)
        .isNotEmpty()
        .allSatisfy(line -> {
          assertThat(line).hasSize(9).startsWith("1", "one gap", "65536");
          assertThat(Long.parseLong(line[5])).isLessThanOrEqualTo(Long.parseLong(line[6]));
          assertThat(Long.parseLong(line[6])).isLessThanOrEqualTo(Long.parseLong(line[7]));
        });
    assertThat(fields)
        .extracting(line -> line[3])
        .contains("write", "read", "both", "half_read", "half_both", "drained_read", "drained_both")
        .doesNotContain("");
    assertThat(fields).extracting(line -> line[4]).containsOnly("read", "write");
    Files.delete(operations);
  }

  private static DeterministicBackingTier memory(TierSource.Store store) {
    return new DeterministicBackingTier(
        store.capacityBytes(), 64, BackingScript.SUCCEED, Thread.ofPlatform().daemon().factory());
  }

  @Test
  void result_ofSeveralRounds_hasMediansAndMediansOfRatiosWithinARound() {
    SsdBenchResult.Collector collector =
        new SsdBenchResult.Collector(options(List.of(MEBIBYTE), List.of("io-uring"), 3));
    List<Path> files = List.of(folder.resolve("store"));
    collector.fioVersion("fio-3.33");
    for (double speed : new double[] {1, 4, 2}) {
      // The disk drifts; the tier keeps nine tenths of what it gives.
      collector.add(MEBIBYTE, "io-uring", files, run(0.9 * speed * 1e9, 2_000, 3_000));
      collector.add(MEBIBYTE, SsdBench.FIO, files, run(speed * 1e9, 1_000, 4_000));
    }

    SsdBenchResult result = collector.result();

    assertThat(result.rows()).hasSize(12);
    SsdBenchRow alone = result.rows().getFirst();
    assertThat(alone.readBytesPerSecond()).isEqualTo(1.8e9);
    assertThat(alone.ratioRead()).isEqualTo(0.9);
    assertThat(alone.ratioWrite()).isEqualTo(0.9);
    assertThat(alone.ratioP99()).isEqualTo(2);
    assertThat(alone.ratioP99WithWrites()).isZero();
    SsdBenchRow mixed = result.rows().get(3);
    assertThat(mixed.load()).isEqualTo(SsdBenchRow.Load.HALF);
    assertThat(mixed.ratioP99WithWrites()).isEqualTo(1.5);
    assertThat(mixed.ratioP99()).isEqualTo(0.75);
    assertThat(result.json()).contains("\"fio\" : \"fio-3.33\"", "\"p99_ratio\" : 0.75");
  }

  @Test
  void file_thatIsThere_isRefusedUnlessItMayBeOverwritten() throws IOException {
    Path file = Files.writeString(folder.resolve("there"), "of somebody");

    assertThatThrownBy(() -> BenchFile.of(file, MEBIBYTE, false, false))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("[" + file + "] exists")
        .hasMessageContaining("--overwrite");
    BenchFile.of(file, MEBIBYTE, true, false).close();
    assertThat(file).exists();
  }

  @Test
  void file_thatDoesNotFit_isRefusedWithWhatIsFree() {
    assertThatThrownBy(() -> BenchFile.of(folder.resolve("new"), 1L << 60, false, false))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("free: make it smaller");
    assertThatThrownBy(() -> BenchFile.of(folder, MEBIBYTE, false, false))
        .hasMessageContaining("is a folder");
    assertThatThrownBy(() -> BenchFile.of(folder.resolve("no/file"), MEBIBYTE, false, false))
        .hasMessageContaining("folder does not exist");
  }

  @Test
  void file_thatWasMade_isRemovedUnlessItIsToStay() throws IOException {
    Path file = folder.resolve("made");
    for (boolean keep : new boolean[] {false, true}) {
      try (BenchFile bench = BenchFile.of(file, MEBIBYTE, false, keep)) {
        Files.write(file, new byte[] {1, 2, 3});
        bench.forgetStore();
        assertThat(Files.readAllBytes(file)).startsWith(0, 0, 0).hasSize((int) MEBIBYTE);
      }
      assertThat(Files.exists(file)).isEqualTo(keep);
    }
  }

  private static SsdRun run(double bytesPerSecond, double aloneMicros, double mixedMicros) {
    Map<Phase, LoadResult> phases = new EnumMap<>(Phase.class);
    for (Phase phase : Phase.values()) {
      double p99 = phase.name().endsWith("BOTH") ? mixedMicros : aloneMicros;
      LoadResult.Side side =
          new LoadResult.Side(bytesPerSecond / MEBIBYTE, bytesPerSecond, p99 / 2, p99, p99, 100);
      phases.put(phase, new LoadResult(1, side, side, Map.of(), 0, 0));
    }
    return new SsdRun(phases, Map.of(), 16, 0);
  }

  private SsdBenchOptions options(List<Long> pages, List<String> engines, int rounds) {
    return options(
        List.of(folder.resolve("store")), pages, engines, rounds, List.of(SsdVariant.PLAIN), null);
  }

  private static SsdBenchOptions options(
      List<Path> files,
      List<Long> pages,
      List<String> engines,
      int rounds,
      List<SsdVariant> variants,
      @Nullable Path operations) {
    return new SsdBenchOptions(
        files,
        64 * MEBIBYTE,
        pages,
        engines,
        variants,
        Set.of(SsdBenchRow.Load.values()),
        rounds,
        Duration.ofMillis(200),
        Duration.ofMillis(5),
        4,
        16 * MEBIBYTE,
        20,
        true,
        false,
        false,
        1,
        null,
        operations);
  }
}
