package io.orbitkv.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ModelTraceTest {
  @Test
  void pages_sharedPrefix_areOnePageEach() {
    ModelTrace trace = SmallTraces.of(new long[] {1, 2, 3}, new long[] {1, 2, 4});

    assertThat(trace.distinctPages()).isEqualTo(4);
    assertThat(trace.totalPages()).isEqualTo(6);
    assertThat(trace.page(1, 1)).isEqualTo(trace.page(0, 1));
    assertThat(trace.parent(trace.page(1, 2))).isEqualTo(trace.page(0, 1));
    assertThat(trace.depth(trace.page(1, 2))).isEqualTo(2);
  }

  @Test
  void root_behindACommonPage_isTheConversations() {
    long[][] requests = new long[20][];
    for (int i = 0; i < requests.length; i++) {
      requests[i] = new long[] {1, 100 + i, 200 + i};
    }
    ModelTrace trace = SmallTraces.of(requests);

    assertThat(trace.chainRoot(18)).isNotEqualTo(trace.chainRoot(19));
    assertThat(trace.root(trace.page(19, 2))).isEqualTo(trace.root(trace.page(19, 1)));
    assertThat(trace.unitHash(trace.page(19, 2))).isBetween(0.0, 1.0);
  }

  @Test
  void add_idsThatAreNotChained_isRefused() {
    ModelTrace.Builder builder =
        new ModelTrace.Builder("bad", 64).add(0, 128, 0, new long[] {1, 2});

    assertThatThrownBy(() -> builder.add(1, 128, 0, new long[] {3, 2}))
        .hasMessageContaining("page [2] follows two different pages");
  }

  @Test
  void add_earlierArrival_isRefused() {
    ModelTrace.Builder builder = new ModelTrace.Builder("bad", 64).add(5, 64, 0, new long[] {1});

    assertThatThrownBy(() -> builder.add(4, 64, 0, new long[] {1}))
        .hasMessageContaining("request [1] arrives before");
  }

  @Test
  void first_keepsTheBeginning() {
    ModelTrace trace = SmallTraces.conversations(3, 50).first(10);

    assertThat(trace.requests()).isEqualTo(10);
    assertThat(trace.page(0, 0)).isZero();
  }
}
