package io.orbitkv.workload.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ShadowTableTest {
  private static final String RUNNING =
      """
      {"slots": [], "offered": {}, "shadows": {
        "state": "running", "epoch": 3, "cause": "swap", "sample_ratio": 0.25,
        "dram_pages": 1024, "ssd_pages": 0, "turned_over": %s,
        "lookups": {"offered": 110, "sampled": 30, "others": 70, "dropped": %d, "left_out": 0,
          "waiting": 0},
        "slots": [{"slot": "retention.dram",
          %s
          "miniatures": [
            {"policy": "lru", "role": "active", "state": "running", "hit_ratio": 0.25,
              "looked_up_pages": 2000, "hit_pages": 500, "dram_written_bytes": 1024,
              "ssd_written_bytes": 0},
            {"policy": "x", "settings": "a: 1", "role": "shadow", "state": "abandoned",
              "trouble": "[x] did not return from a call for [1000] ms"}]}]}}
      """;

  @Test
  void list_withoutShadows_saysNothingOfThem() {
    assertThat(PolicyTables.list("{\"slots\": [], \"shadows\": {\"state\": \"off\"}}"))
        .doesNotContain("shadow");
    assertThat(PolicyTables.list("{\"slots\": []}")).doesNotContain("shadow");
    assertThat(PolicyTables.list("{\"shadows\": {\"state\": \"waiting\"}}"))
        .contains("shadows: waiting for lookups");
  }

  @Test
  void list_aLoweredSample_saysWhatLowersIt() {
    String lowered =
        RUNNING
            .formatted(true, 0, "")
            .replace(
                "\"dram_pages\"", "\"asked_ratio\": 0.5, \"known_pages\": 4096, \"dram_pages\"");

    assertThat(PolicyTables.list(lowered))
        .contains("was asked for: lowered, since 4,096 pages at most are remembered")
        .contains("raise policies.shadow.memory");
    assertThat(PolicyTables.list(RUNNING.formatted(true, 0, "")))
        .contains("lookups served since the start")
        .doesNotContain("lowered");
  }

  @Test
  void list_shadows_showRegretAndWhatItLeavesOut() {
    String regret =
        "\"regret\": {\"pages\": 120, \"ratio\": 0.06, \"best\": \"x\", \"settings\": \"a: 1\"},";

    assertThat(PolicyTables.list(RUNNING.formatted(true, 10, regret)))
        .contains("since epoch 3 (swap)")
        .contains("retention.dram: regret 120 pages (+6.00 %) against x {a: 1}")
        .contains("10 dropped, as too many waited: regret is that of the others")
        .contains("active lru: hits")
        .contains("shadow x {a: 1}, abandoned: [x] did not return")
        .doesNotContain("cold start");
    assertThat(PolicyTables.list(RUNNING.formatted(false, 0, "")))
        .contains("a cold start")
        .contains("no regret is known")
        .doesNotContain("dropped");
  }
}
