package io.orbitkv.workload.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orbitkv.workload.report.WriteLoss;
import org.junit.jupiter.api.Test;

class ManagerFiguresTest {
  private static final String STATUS =
      """
      {"reserved_bytes": 0, "reserved_peak_bytes": 9, "budget_bytes": 100, "leaked_bytes": 0,
       "unsealed_bytes": 0, "orphan_bytes": 0, "quarantined_bytes": 0, "pool": {"capacity_bytes": 1024},
       "sessions": 1, "operations": 0, "leases": 0, "copies": 0, "counters": {"evicted_pages": 4}}
      """;

  @Test
  void parse_status_takesItsFigures() {
    ManagerFigures figures = ManagerFigures.parse(STATUS);

    assertThat(figures.reservedPeakBytes()).isEqualTo(9);
    assertThat(figures.capacityBytes()).isEqualTo(1024);
    assertThat(figures.counter("evicted_pages")).isEqualTo(4);
    assertThat(figures.counter("unheard_of")).isZero();
    assertThat(figures.drained()).isTrue();
  }

  @Test
  void between_twoPictures_tellsWhatTheStoreDid() {
    String backed =
        STATUS.replace(
            "\"counters\": {",
            "\"backing\": {\"tier\": \"x\", \"engine\": \"e\", \"written_bytes\": 30,"
                + " \"payload_written_bytes\": 20, \"degraded\": \"why\"},"
                + " \"counters\": {\"read_bytes\": 5, \"write_budget_pages\": 2, ");
    ManagerFigures before = ManagerFigures.parse(STATUS);
    ManagerFigures after = ManagerFigures.parse(backed);
    StoreFigures store = StoreFigures.between(before, after);
    assertThat(before.backingTier()).isEmpty();
    assertThat(store.tier()).isEqualTo("x");
    assertThat(store.engine()).isEqualTo("e");
    assertThat(store.readBytes()).isEqualTo(5);
    assertThat(store.writeAmplification()).isEqualTo(1.5);
    assertThat(store.dropped()).containsEntry(WriteLoss.BUDGET, 2L);
    assertThat(store.degraded()).isEqualTo("why");
    assertThat(StoreFigures.between(before, before).writeAmplification()).isEqualTo(1);
  }

  @Test
  void drained_withAnythingLeft_isFalse() {
    for (String field : new String[] {"reserved_bytes", "leases", "orphan_bytes"}) {
      String status = STATUS.replace("\"" + field + "\": 0", "\"" + field + "\": 1");
      assertThat(ManagerFigures.parse(status).drained()).as(field).isFalse();
    }
  }

  @Test
  void parse_missingFigure_namesIt() {
    assertThatThrownBy(() -> ManagerFigures.parse(STATUS.replace("reserved_peak_bytes", "x")))
        .hasMessageContaining("[reserved_peak_bytes]");
    assertThatThrownBy(() -> ManagerFigures.parse("{")).hasMessageContaining("is not JSON");
  }
}
