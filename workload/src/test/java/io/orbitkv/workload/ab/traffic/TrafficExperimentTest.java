package io.orbitkv.workload.ab.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TrafficExperimentTest {
  private static final String ANSWER =
      """
      {"state_file": "x", "configured": true, "experiment": {
        "name": "cells", "state": "running", "isolation": "partition", "turns": false,
        "by": "instance", "percent_of_a": 25, "salt": 7, "block_nanos": 60000000000,
        "same_blocks": 4, "blocks_planned": 12, "settle_blocks": 1, "blocks_over": 3,
        "block": 5, "blocks_total": 16, "period": "variants", "settling": true,
        "blocks": [
          {"index": 0, "settling": false, "A": {"queries": 1}, "B": {"queries": 2}},
          {"index": 1, "settling": true, "A": {"queries": 1}, "B": {"queries": 2}},
          {"index": 2, "after_restart": true, "A": {"queries": 1}, "B": {"queries": 2}}]}}
      """;

  @Test
  void blocksInWhichCachesSettle_doNotCount() {
    TrafficExperiment experiment = TrafficExperiment.parse(ANSWER).orElseThrow();

    assertThat(experiment.blocks())
        .extracting(TrafficExperiment.Block::counts)
        .containsExactly(true, false, false);
    assertThat(experiment.setup())
        .containsEntry("split", "25 : 75, swapped in the middle")
        .containsEntry("settle_blocks", "1 after each change of policies");
  }

  @Test
  void status_saysWhenABlockDoesNotCount() {
    assertThat(TrafficStatus.of(ANSWER))
        .contains("block 5 of 16, the variants; it does not count: caches settle");
  }
}
