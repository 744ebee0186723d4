package io.orbitkv.workload.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orbitkv.api.page.SlotLayout;
import io.orbitkv.api.page.WorkerLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class EngineGeometryTest {
  @Test
  void workerLayout_agreesWithTheSegmentsThatThePatternWrites() {
    EngineGeometry geometry = new EngineGeometry(64, 256, 4, 10);
    WorkerLayout layout = geometry.workerLayout();
    SlotLayout slot = SlotLayout.of(0, layout.layers());
    List<Long> offsets = new ArrayList<>();
    slot.forEachFragment(7, (run, device, bytes) -> offsets.add(device));

    assertThat(slot.payloadBytes()).isEqualTo(geometry.pageBytes());
    assertThat(layout.deviceBytes()).isEqualTo(geometry.deviceBytes());
    assertThat(offsets).hasSize(8);
    for (int layer = 0; layer < 4; layer++) {
      for (int segment = 0; segment < 2; segment++) {
        assertThat(offsets.get(layer * 2 + segment))
            .isEqualTo(geometry.segmentOffset(7, layer, segment));
      }
    }
  }

  @Test
  void fitting_deviceSmallerThanAPage_isRefused() {
    assertThatThrownBy(() -> EngineGeometry.fitting(64, 256, 4, 1000))
        .hasMessageContaining("[1000] bytes is smaller than a page of 16384");
  }

  @Test
  void new_pageThatDoesNotDivide_isRefused() {
    assertThatThrownBy(() -> new EngineGeometry(16, 3, 4, 10)).hasMessageContaining("[48] bytes");
  }

  @Test
  void namespace_differsByTraceAndShape() {
    EngineGeometry geometry = new EngineGeometry(64, 256, 4, 10);

    assertThat(geometry.namespace("a"))
        .isEqualTo(new EngineGeometry(64, 256, 4, 99).namespace("a"))
        .isNotEqualTo(geometry.namespace("b"))
        .isNotEqualTo(new EngineGeometry(64, 512, 4, 10).namespace("a"));
  }
}
