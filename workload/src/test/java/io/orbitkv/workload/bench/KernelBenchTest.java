package io.orbitkv.workload.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orbitkv.workload.report.Percentiles;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class KernelBenchTest {
  @Test
  void run_fewPages_reportsEveryFigureOfEveryRow() throws InterruptedException {
    List<String> progress = new ArrayList<>();

    String text = new KernelBench(List.of(2_048, 4_000), 1, 4_096, progress::add).run().json();

    JsonNode json = JsonMapper.shared().readTree(text);
    assertThat(json.path("rows")).hasSize(2);
    assertThat(json.path("rows").path(0).path("pages").asInt()).isEqualTo(2_048);
    assertThat(json.path("pages").asInt()).isEqualTo(4_000);
    for (String figure :
        List.of(
            "ops_per_s",
            "ns_per_page",
            "bytes_allocated_per_op",
            "turnover_ns_per_page",
            "publish_evict_ns_per_page")) {
      assertThat(json.path(figure).asDouble()).as(figure).isPositive();
    }
    assertThat(json.path("step_us").path("p99").asDouble()).isPositive();
    assertThat(json.path("gc_pause_max_ms").isNumber()).isTrue();
    assertThat(progress).contains("4,000 pages: turning over");
  }

  @Test
  void run_withRetention_evictsAndAnswersAsWithout() throws InterruptedException {
    String text =
        new KernelBench(List.of(2_048), 1, 4_096, progress -> {}).withRetention().run().json();

    JsonNode json = JsonMapper.shared().readTree(text);
    assertThat(json.path("retention").asBoolean()).isTrue();
    assertThat(json.path("publish_evict_ns_per_page").asDouble()).isPositive();
  }

  @Test
  void json_severalRows_hasTheFiguresOfTheLargestAtItsTop() {
    JsonNode json =
        JsonMapper.shared()
            .readTree(new KernelBenchResult(5, false, List.of(row(2_000_000), row(10_000))).json());

    assertThat(json.path("pages").asInt()).isEqualTo(2_000_000);
    assertThat(json.path("ops_per_s").asInt()).isEqualTo(4_000_000);
  }

  @Test
  void chains_anyNumberOfPages_areHalfShortAndHalfLongWithDifferentKeys() {
    PageChains chains = new PageChains(10_000);
    Set<Long> keys = new HashSet<>();
    int pages = 0;
    int inLong = 0;
    for (int chain : chains.shuffled(new SplittableRandom(1))) {
      int length = chains.length(chain);
      pages += length;
      inLong += length == PageChains.LONG ? length : 0;
      long[] ofChain = PageChains.keys(0, chain, 0, length);
      for (long half : ofChain) {
        keys.add(half);
      }
      assertThat(PageChains.parent(0, chain, 1).high()).isEqualTo(ofChain[0]);
    }

    assertThat(pages).isEqualTo(chains.pages()).isEqualTo(10_000);
    assertThat(inLong).isBetween(4_000, 5_000);
    assertThat(keys).hasSize(2 * pages);
  }

  @Test
  void pages_outsideWhatIsMeasured_areRefused() {
    assertThatThrownBy(() -> KernelBench.requireValid(List.of(), 1)).hasMessageContaining("no num");
    assertThatThrownBy(() -> KernelBench.requireValid(List.of(5), 1)).hasMessageContaining("[5]");
    assertThatThrownBy(() -> KernelBench.requireValid(List.of(5_000), 0))
        .hasMessageContaining("rounds [0]");
  }

  private static KernelBenchRow row(int pages) {
    return new KernelBenchRow(
        pages, 2.0 * pages, 100, 700, 3000, new Percentiles(1, 2, 3, 4), 900, 800, 0.1);
  }
}
