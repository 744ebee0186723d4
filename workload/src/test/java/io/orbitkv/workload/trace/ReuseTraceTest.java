package io.orbitkv.workload.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ReuseTraceTest {
  private static final int PREFIXES = 12;

  @Test
  void trace_beginsWithEachPrefixOnce() {
    List<TraceRequest> requests = read(settings(0.75, 64, 0));
    assertThat(requests).hasSize(PREFIXES + 64);
    Set<Long> first = new HashSet<>();
    for (int i = 0; i < PREFIXES; i++) {
      assertThat(requests.get(i).inputTokens()).isEqualTo(i % 2 == 0 ? 1024 : 4096);
      assertThat(first.add(requests.get(i).blockIds()[0])).isTrue();
    }
  }

  @Test
  void requests_repeatAPrefixAsOftenAsAsked() {
    List<TraceRequest> requests = read(settings(0.75, 4000, 0));
    Set<List<Long>> prefixes = new HashSet<>();
    requests.subList(0, PREFIXES).forEach(each -> prefixes.add(ids(each)));
    long repeated =
        requests.subList(PREFIXES, requests.size()).stream()
            .filter(each -> prefixes.contains(ids(each)))
            .count();
    assertThat(repeated / 4000.0).isBetween(0.72, 0.78);
  }

  @Test
  void ownTokens_makeEveryPromptANewOne() {
    List<TraceRequest> requests = read(settings(1, 50, 64));
    Set<Long> last = new HashSet<>();
    for (TraceRequest request : requests) {
      long[] blocks = request.blockIds();
      assertThat(last.add(blocks[blocks.length - 1])).isTrue();
      assertThat(request.inputTokens() % TraceRequest.BLOCK_TOKENS).isEqualTo(64);
    }
  }

  @Test
  void seed_decidesEverything() {
    assertThat(read(settings(0.5, 100, 0)).stream().map(ReuseTraceTest::ids).toList())
        .isEqualTo(read(settings(0.5, 100, 0)).stream().map(ReuseTraceTest::ids).toList());
  }

  @Test
  void length_thatIsNoMultipleOfABlock_isRefused() {
    assertThatThrownBy(() -> new ReuseSettings(1, 1, 1, 0.5, new int[] {1000}, 16, 0))
        .hasMessage("reuse trace: length [1000] must be a multiple of 512 tokens");
  }

  private static ReuseSettings settings(double reuse, int requests, int ownTokens) {
    return new ReuseSettings(1, requests, PREFIXES, reuse, new int[] {1024, 4096}, 16, ownTokens);
  }

  private static List<Long> ids(TraceRequest request) {
    return Arrays.stream(request.blockIds()).boxed().toList();
  }

  private static List<TraceRequest> read(ReuseSettings settings) {
    List<TraceRequest> requests = new ArrayList<>();
    try (ReuseTrace trace = new ReuseTrace(settings)) {
      for (TraceRequest next = trace.next(); next != null; next = trace.next()) {
        requests.add(next);
      }
    }
    return requests;
  }
}
