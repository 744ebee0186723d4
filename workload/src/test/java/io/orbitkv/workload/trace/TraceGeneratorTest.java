package io.orbitkv.workload.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TraceGeneratorTest {
  @Test
  void next_sameSeed_givesTheSameTrace() {
    GeneratorSettings settings = GeneratorSettings.conversations(42, 500);

    assertThat(all(settings)).isEqualTo(all(settings)).hasSize(500);
  }

  @Test
  void next_knownSeed_givesTheTraceThatItAlwaysGave() {
    List<TraceRequest> trace = all(GeneratorSettings.conversations(1, 3));

    assertThat(trace).extracting(TraceRequest::inputTokens).containsExactly(2490, 1408, 420);
  }

  @Test
  void next_otherSeed_givesAnotherTrace() {
    assertThat(all(GeneratorSettings.conversations(1, 50)))
        .isNotEqualTo(all(GeneratorSettings.conversations(2, 50)));
  }

  @Test
  void next_arrivalsDoNotDecreaseAndPromptsStayInsideTheLimit() {
    GeneratorSettings settings = GeneratorSettings.conversations(7, 2_000);

    long last = 0;
    for (TraceRequest request : all(settings)) {
      assertThat(request.arrivalNanos()).isGreaterThanOrEqualTo(last);
      assertThat(request.inputTokens()).isBetween(1, settings.maxInputTokens());
      last = request.arrivalNanos();
    }
  }

  @Test
  void next_idsAreChainedByPrefix() {
    Map<Long, Long> parents = new HashMap<>();
    for (TraceRequest request : all(GeneratorSettings.conversations(7, 2_000))) {
      long parent = -1;
      for (long id : request.blockIds()) {
        assertThat(parents.merge(id, parent, (known, again) -> known)).isEqualTo(parent);
        parent = id;
      }
    }
  }

  @Test
  void next_conversationsExtendTheirPrefixAndSystemPromptsAreShared() {
    TraceSummary summary =
        TraceSummary.of(new TraceGenerator(GeneratorSettings.conversations(7, 2_000)), 64);

    assertThat(summary.requests()).isEqualTo(2_000);
    assertThat(summary.distinctPages() + summary.reusablePages()).isEqualTo(summary.pages());
    assertThat(summary.reusableRatio()).isBetween(0.3, 0.9);
  }

  @Test
  void next_singleTurnsWithOneSystemPrompt_reuseNothingElse() {
    GeneratorSettings settings =
        new GeneratorSettings(3, 300, 10, 1, 1, 1, 0, 4096, 512, 64, 0, 16_384);

    TraceSummary summary = TraceSummary.of(new TraceGenerator(settings), 64);

    assertThat(summary.reusablePages()).isEqualTo(299 * 4096 / 64);
  }

  @Test
  void next_popularPromptsComeFirst() {
    GeneratorSettings settings =
        new GeneratorSettings(3, 3_000, 10, 1, 1, 4, 1.5, 1024, 256, 64, 0, 16_384);
    Map<Long, Integer> starts = new HashMap<>();
    all(settings).forEach(request -> starts.merge(request.blockIds()[0], 1, Integer::sum));

    assertThat(starts).hasSize(4);
    assertThat(starts.get(0L)).isGreaterThan(starts.get(2L)).isGreaterThan(starts.get(4L));
  }

  @Test
  void next_longestPromptBelowTheSystemPrompt_isCut() {
    GeneratorSettings settings =
        new GeneratorSettings(3, 20, 10, 3, 1, 1, 0, 4096, 512, 64, 0, 1_000);

    assertThat(all(settings)).hasSize(20).allMatch(request -> request.inputTokens() <= 1_000);
  }

  @Test
  void settings_outOfRange_areRefusedWithTheirValue() {
    assertThatThrownBy(() -> GeneratorSettings.conversations(1, 0))
        .hasMessageContaining("requests [0]");
  }

  private static List<TraceRequest> all(GeneratorSettings settings) {
    List<TraceRequest> requests = new ArrayList<>();
    try (TraceGenerator generator = new TraceGenerator(settings)) {
      for (TraceRequest request = generator.next(); request != null; request = generator.next()) {
        requests.add(request);
      }
    }
    return requests;
  }
}
