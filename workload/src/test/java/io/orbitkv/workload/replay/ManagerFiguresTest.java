package io.orbitkv.workload.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
