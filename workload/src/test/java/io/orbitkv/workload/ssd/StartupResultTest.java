package io.orbitkv.workload.ssd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class StartupResultTest {
  @Test
  void json_severalStarts_hasMediansAndWhetherAllPagesWereFound() {
    List<StartupBench.Start> clean = List.of(start(3, 10), start(1, 10), start(2, 10));

    StartupResult result =
        new StartupResult(options(10), 10, 1.5, clean, clean, clean, List.of(start(5, 10)));

    JsonNode json = JsonMapper.shared().readTree(result.json());
    assertThat(json.path("clean_start_seconds").asDouble()).isEqualTo(2);
    assertThat(json.path("manager_killed_start_seconds").asDouble()).isEqualTo(5);
    assertThat(json.path("clean_starts")).hasSize(3);
    assertThat(json.path("complete").asBoolean()).isTrue();
    assertThat(result.table()).contains("2.000 s, median of 3", "all found each time");
  }

  @Test
  void complete_startThatFoundFewer_isFalse() {
    List<StartupBench.Start> some = List.of(start(1, 9));

    StartupResult result =
        new StartupResult(options(10), 10, 1.5, List.of(), List.of(), List.of(), some);

    assertThat(result.complete()).isFalse();
    assertThat(result.table()).contains("NOT all found");
  }

  @Test
  void options_fileThatCannotHoldThePages_areRefusedWithWhatIsNeeded() {
    assertThatThrownBy(
            () -> new StartupBench.Options(Path.of("file"), 1L << 27, 1_000, 1, false, false))
        .hasMessageContaining("does not hold 1000 pages");
    assertThatThrownBy(() -> options(0)).hasMessageContaining("--startup [0]");
  }

  private static StartupBench.Options options(int pages) {
    return new StartupBench.Options(
        Path.of("file"), StartupBench.bytesFor(pages, 3), pages, 3, false, false);
  }

  private static StartupBench.Start start(double seconds, long pages) {
    return new StartupBench.Start(seconds, 0.5, pages, 10);
  }
}
