package io.orbitkv.workload.replay;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.workload.report.Percentiles;
import io.orbitkv.workload.report.WriteLoss;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class ReplayResultTest {
  private static final ReplayOptions OPTIONS = new ReplayOptions(64, 256, 4, 1 << 20, 4, 0, 1000);

  @Test
  void json_hasEveryPromisedField() {
    JsonNode json = JsonMapper.shared().readTree(result(0, 0, 0).json());

    assertThat(json.isObject()).isTrue();
    assertThat(json.propertyNames())
        .contains(
            "requests",
            "prefix_hit_ratio",
            "hbm_hit_ratio",
            "published_bytes",
            "restored_bytes",
            "verified_pages",
            "wrong_bytes",
            "leaked_bytes",
            "restore_ms",
            "query_us",
            "query_reserved_peak_bytes",
            "query_reserved_end_bytes",
            "published_pages",
            "restored_pages",
            "dropped_pages",
            "duration_s",
            "allocation_failures",
            "evicted_pages",
            "budget_waits",
            "ssd_engine",
            "ssd_read_bytes",
            "ssd_written_bytes",
            "ssd_dropped",
            "write_amplification",
            "partial",
            "seed",
            "trace",
            "options");
    for (String latency : new String[] {"restore_ms", "query_us"}) {
      assertThat(json.path(latency).propertyNames()).containsExactly("p50", "p95", "p99");
    }
    assertThat(json.path("prefix_hit_ratio").asDouble()).isEqualTo(0.25);
    assertThat(json.path("restored_bytes").asLong()).isEqualTo(25L * 16384);
    assertThat(json.path("restore_ms").path("p95").asDouble()).isEqualTo(2.5);
  }

  @Test
  void json_hasWhatTheStoreDid() {
    ReplayResult result = result(0, 0, 0);
    JsonNode json = JsonMapper.shared().readTree(result.json(result));
    assertThat(json.path("write_amplification").asDouble()).isEqualTo(1.5);
    assertThat(json.path("ssd_dropped").propertyNames())
        .containsExactly(
            "queue_full",
            "source_evicted",
            "policy",
            "put_off",
            "budget",
            "gap",
            "duplicate",
            "store_full",
            "device_error");
    assertThat(json.path("ssd_dropped").path("queue_full").asLong()).isEqualTo(4);
    assertThat(json.path("after_restart").path("ssd_read_bytes").asLong()).isEqualTo(100);
    assertThat(result.table())
        .contains("SSD tier", "engine threads", "5 pages: 4 queue full, 1 stored already");
  }

  @Test
  void sound_onlyWithoutWrongLeakedOrReservedBytes() {
    assertThat(result(0, 0, 0).sound()).isTrue();
    assertThat(result(1, 0, 0).sound()).isFalse();
    assertThat(result(0, 1, 0).sound()).isFalse();
    assertThat(result(0, 0, 1).sound()).isFalse();
  }

  @Test
  void sound_copyFailedOrPageNotCompared_isNot() {
    assertThat(result(25, 1, 0, 0, 0).sound()).isFalse();
    assertThat(result(24, 0, 0, 0, 0).sound()).isFalse();
  }

  @Test
  void table_saysWhatMatters() {
    assertThat(result(0, 0, 0).table())
        .contains("restored from the Manager", "25 pages", "wrong bytes", "leaked bytes", "25.0 %");
  }

  private static ReplayResult result(long wrongBytes, long leakedBytes, long reservedEndBytes) {
    return result(25, 0, wrongBytes, leakedBytes, reservedEndBytes);
  }

  private static ReplayResult result(
      long verifiedPages,
      long copyFailures,
      long wrongBytes,
      long leakedBytes,
      long reservedEndBytes) {
    return new ReplayResult(
        "trace.jsonl",
        0,
        OPTIONS,
        false,
        10,
        0,
        100,
        30,
        25,
        45,
        40,
        3,
        2,
        16384,
        verifiedPages,
        12,
        wrongBytes,
        0,
        copyFailures,
        0,
        new Percentiles(1, 2.5, 3, 10),
        new Percentiles(4, 5, 6, 10),
        Percentiles.NONE,
        leakedBytes,
        77,
        reservedEndBytes,
        0,
        5,
        1,
        new StoreFigures(
            "ssd-iouring",
            "threads",
            100,
            300,
            200,
            Map.of(WriteLoss.QUEUE_FULL, 4L, WriteLoss.DUPLICATE, 1L),
            ""),
        2_000_000_000);
  }
}
