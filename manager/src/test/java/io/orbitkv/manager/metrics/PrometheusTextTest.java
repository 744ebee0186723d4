package io.orbitkv.manager.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Timer;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

final class PrometheusTextTest {
  private final ManagerMeterRegistry registry = new ManagerMeterRegistry(() -> 0);

  @Test
  void text_ofMetersOfEachKind_hasHelpTypeLabelsAndUnits() {
    Counter.builder("orbitkv_some_total")
        .description("a \\ and\na line")
        .tags("cause", "say \"no\"\n")
        .register(registry)
        .increment(3);
    Gauge.builder("orbitkv_depth", () -> 1.5).description("depth").register(registry);
    Gauge.builder("orbitkv_none", () -> Double.NaN).register(registry);
    assertThat(PrometheusText.of(MetricFamilies.of(registry)))
        .isEqualTo(
            """
            # HELP orbitkv_depth depth
            # TYPE orbitkv_depth gauge
            orbitkv_depth 1.5
            # HELP orbitkv_none\s
            # TYPE orbitkv_none gauge
            orbitkv_none NaN
            # HELP orbitkv_some_total a \\\\ and\\na line
            # TYPE orbitkv_some_total counter
            orbitkv_some_total{cause="say \\"no\\"\\n"} 3
            """);
  }

  @Test
  void text_ofATimer_isAHistogramInItsUnit() {
    registry.duration("orbitkv_some_ms", "some").recordNanos(2_000_000);
    Timer.builder("orbitkv_plugin_write").register(registry).record(3, TimeUnit.SECONDS);
    String text = PrometheusText.of(MetricFamilies.of(registry));
    assertThat(text)
        .contains(
            "# TYPE orbitkv_some_ms histogram\n",
            "orbitkv_some_ms_bucket{le=\"0.001\"} 0\n",
            "orbitkv_some_ms_bucket{le=\"1\"} 0\n",
            "orbitkv_some_ms_bucket{le=\"2.5\"} 1\n",
            "orbitkv_some_ms_bucket{le=\"+Inf\"} 1\n",
            "orbitkv_some_ms_sum 2\n",
            "orbitkv_some_ms_count 1\n",
            "orbitkv_plugin_write_seconds_bucket{le=\"2.5\"} 0\n",
            "orbitkv_plugin_write_seconds_bucket{le=\"5\"} 1\n",
            "orbitkv_plugin_write_seconds_sum 3\n");
  }

  @Test
  void families_ofAPluginThatTakesAName_leaveItsMeterOut() {
    Counter.builder("orbitkv_query_hits_total")
        .tag("plugin", "query")
        .register(registry)
        .increment(9);
    Counter.builder("orbitkv_query_hits_total").register(registry).increment();
    assertThat(PrometheusText.of(MetricFamilies.of(registry)))
        .contains("orbitkv_query_hits_total 1\n")
        .doesNotContain("plugin");
  }

  @Test
  void json_ofMetersOfEachKind_hasValuesPercentilesAndSums() {
    Gauge.builder("orbitkv_none_bytes", () -> Double.NaN).register(registry);
    Counter.builder("orbitkv_some_total").baseUnit("pages").register(registry).increment(4);
    registry.duration("orbitkv_some_ms", "some").recordNanos(2_000_000);
    JsonNode root =
        JsonMapper.builder().build().readTree(new MetricsJson().of(MetricFamilies.of(registry)));
    JsonNode metrics = root.get("metrics");
    assertThat(metrics.get(0).get("name").stringValue()).isEqualTo("orbitkv_none_bytes");
    assertThat(metrics.get(0).get("unit").stringValue()).isEqualTo("bytes");
    assertThat(metrics.get(0).get("samples").get(0).get("value").isNull()).isTrue();
    JsonNode timer = metrics.get(1).get("samples").get(0);
    assertThat(metrics.get(1).get("unit").stringValue()).isEqualTo("milliseconds");
    assertThat(timer.get("count").intValue()).isEqualTo(1);
    assertThat(timer.get("p95").doubleValue()).isEqualTo(2.0);
    assertThat(metrics.get(2).get("samples").get(0).get("value").intValue()).isEqualTo(4);
    assertThat(root.get("sums").get(0).get("whole").stringValue())
        .isEqualTo("orbitkv_queries_total");
  }
}
