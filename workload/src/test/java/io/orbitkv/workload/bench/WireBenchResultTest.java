package io.orbitkv.workload.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.workload.report.Percentiles;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class WireBenchResultTest {
  @Test
  void json_hasRoundsAndTheMediansInEchoes() {
    JsonNode json =
        JsonMapper.shared().readTree(result(new Percentiles(30, 40, 50, 7), true).json());

    assertThat(json.path("rounds").asInt()).isEqualTo(7);
    assertThat(json.path("p50_us").asDouble()).isEqualTo(30);
    assertThat(json.path("p99_us").asDouble()).isEqualTo(50);
    assertThat(json.path("echo_p50_us").asDouble()).isEqualTo(20);
    assertThat(json.path("echo_p99_us").asDouble()).isEqualTo(90);
    assertThat(json.path("ratio").asDouble()).isEqualTo(1.5);
    assertThat(json.propertyNames())
        .contains(
            "pages",
            "request_bytes",
            "reply_bytes",
            "board",
            "poll_p50_us",
            "p50_socket_us",
            "p99_socket_us");
  }

  @Test
  void ratio_withoutABoard_isNone() {
    assertThat(result(Percentiles.NONE, false).ratio()).isZero();
  }

  private static WireBenchResult result(Percentiles board, boolean inUse) {
    return new WireBenchResult(
        512,
        7,
        8269,
        64,
        board,
        new Percentiles(60, 70, 80, 7),
        new Percentiles(20, 25, 90, 7),
        inUse ? new Percentiles(0.03, 0.04, 0.05, 200) : Percentiles.NONE,
        inUse);
  }
}
