package io.orbitkv.workload.ab.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class ReportTest {
  @Test
  void json_ofASimulation_namesReferencesVariantsAndVerdict() {
    JsonNode json = JsonMapper.shared().readTree(ReportJson.of(SampleReports.simulated()));

    assertThat(json.path("lru").asDouble()).isEqualTo(0.1);
    assertThat(json.path("clairvoyant").asDouble()).isEqualTo(0.2);
    assertThat(json.path("infinite").asDouble()).isEqualTo(0.3);
    for (String arm : new String[] {"A", "B"}) {
      JsonNode variant = json.path("variants").path(arm);
      assertThat(variant.path("prefix_hit_ratio").asDouble()).isBetween(0.1, 0.9);
      assertThat(variant.path("ssd_written_bytes").asLong()).isPositive();
    }
    assertThat(json.path("verdict").asString()).isIn("A", "B", "equivalent", "no difference shown");
    assertThat(json.path("primary").path("low").asDouble())
        .isLessThan(json.path("primary").path("high").asDouble());
    assertThat(json.path("notes").toString())
        .contains("All times are modelled", "guard on throughput was not examined");
  }

  @Test
  void json_ofLiveRuns_hasEachRunWithItsPlaceAndEachVoid() throws Exception {
    JsonNode json = JsonMapper.shared().readTree(ReportJson.of(SampleReports.live()));

    assertThat(json.path("verdict").asString()).isEqualTo("B");
    assertThat(json.path("runs").size()).isEqualTo(18);
    assertThat(json.path("runs").get(0).path("pair").asInt()).isZero();
    assertThat(json.path("runs").get(4).path("counts").asBoolean()).isFalse();
    assertThat(json.path("voids").get(0).asString())
        .startsWith("pair 2, ")
        .contains("policy fallback");
    assertThat(json.path("order_effect").isNumber()).isTrue();
    assertThat(json.path("guards").get(0).path("guard").asString()).isEqualTo("+2%");
  }

  @Test
  void csv_ofLiveRuns_hasALineForEachRun() throws Exception {
    String csv = ReportCsv.of(SampleReports.live());

    assertThat(csv.lines()).hasSize(19);
    assertThat(csv).startsWith("run,pair,order,arm,counts,ttft.mean,");
    assertThat(csv.lines().skip(1).findFirst().orElseThrow()).startsWith("0,0,AA,A,false,0.2");
  }

  @Test
  void table_ofLiveRuns_saysVerdictIntervalGuardsVoidsAndWhatIsModelled() throws Exception {
    assertThat(ReportTable.of(SampleReports.live()))
        .contains("verdict", "B: the interval of ttft.mean excludes no effect")
        .contains("ttft.p95", "guard +2% held", "p 1.000 (Holm)")
        .contains("pairs that do not count", "policy fallback")
        .contains("modelled in part");
  }

  @Test
  void page_isSelfContainedAndEscapesWhatUsersWrote() throws Exception {
    String page = ReportPage.of(SampleReports.live());

    assertThat(page).doesNotContain("write-on-reuse <script>").contains("&lt;script&gt;");
    assertThat(page).doesNotContainPattern("(src|href)=\"?(https?:)?//").doesNotContain("<link");
    assertThat(page).contains("default-src 'none'", "uPlot", "Permission is hereby granted");
    assertThat(page)
        .contains("B is better", "thrown away", "policy fallback", "modelled in part", "✕");
  }
}
