package io.orbitkv.workload.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orbitkv.workload.report.Percentiles;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class DeliveryBenchResultTest {
  @Test
  void json_severalRuns_hasTheirMedians() {
    DeliveryBenchResult result =
        new DeliveryBenchResult(64, 512, 1_000, List.of(run(3), run(1), run(2)));

    JsonNode json = JsonMapper.shared().readTree(result.json());

    assertThat(json.path("completion_delivery_ms").path("p50").asDouble()).isEqualTo(2);
    assertThat(json.path("completion_delivery_ms").path("p95").asDouble()).isEqualTo(20);
    assertThat(json.path("completion_delivery_ms").path("p99").asDouble()).isEqualTo(200);
    assertThat(json.path("answer_ms").path("p95").asDouble()).isEqualTo(40);
    assertThat(json.path("runs")).hasSize(3);
    assertThat(result.table()).contains("p95 20.000 ms");
  }

  @Test
  void delivery_ofTheManagersMetrics_isReadByName() {
    String metrics =
        """
        {"metrics": [
          {"name": "other", "samples": [{"p50": 9}]},
          {"name": "orbitkv_completion_delivery_ms",
           "samples": [{"labels": {}, "count": 4, "p50": 0.5, "p95": 1.5, "p99": 2.5}]}]}
        """;

    assertThat(DeliveryBench.delivery(metrics)).isEqualTo(new Percentiles(0.5, 1.5, 2.5, 4));
    assertThatThrownBy(() -> DeliveryBench.delivery("{}")).hasMessageContaining("no metric");
  }

  private static DeliveryRun run(double factor) {
    return new DeliveryRun(
        new Percentiles(factor, 10 * factor, 100 * factor, 1_000),
        new Percentiles(2 * factor, 20 * factor, 200 * factor, 1_000),
        1_000 * factor,
        true);
  }
}
