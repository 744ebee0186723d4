package io.orbitkv.api.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SlotLayoutTest {
  private static LayerLayout split(String name, long base) {
    return new LayerLayout(name, 0, base, 4, 100, 2, 400, 100);
  }

  private static List<String> fragments(SlotLayout slot, int page) {
    List<String> seen = new ArrayList<>();
    slot.forEachFragment(page, (run, device, bytes) -> seen.add(run + "<-" + device + "+" + bytes));
    return seen;
  }

  @Test
  void forEachFragment_splitKeysAndValues_yieldsOneFragmentASegment() {
    SlotLayout slot = SlotLayout.of(0, List.of(split("b", 800), split("a", 0)));

    assertThat(fragments(slot, 1))
        .containsExactly("0<-100+100", "100<-500+100", "200<-900+100", "300<-1300+100");
  }

  @Test
  void forEachFragment_layersAdjacentInDeviceMemory_areMerged() {
    LayerLayout a = new LayerLayout("a", 0, 0, 4, 100, 1, 0, 200);
    LayerLayout b = new LayerLayout("b", 0, 100, 4, 100, 1, 0, 200);

    assertThat(fragments(SlotLayout.of(0, List.of(a, b)), 2)).containsExactly("0<-400+200");
  }

  @Test
  void runBytes_oddPayload_isRoundedToTheAlignment() {
    SlotLayout slot = SlotLayout.of(0, List.of(split("a", 0)));

    assertThat(slot.payloadBytes()).isEqualTo(200);
    assertThat(slot.runBytes()).isEqualTo(4096);
  }

  @Test
  void of_groupWithoutLayers_isRefused() {
    List<LayerLayout> layers = List.of(split("a", 0));

    assertThatThrownBy(() -> SlotLayout.of(1, layers))
        .hasMessageContaining("group [1] has no layer");
  }

  @Test
  void of_layersWithDifferentPageCounts_isRefused() {
    List<LayerLayout> layers = List.of(split("a", 0), new LayerLayout("b", 0, 0, 5, 8, 1, 0, 8));

    assertThatThrownBy(() -> SlotLayout.of(0, layers))
        .hasMessageContaining("differ in their number of pages");
  }

  @Test
  void of_pageLargerThanAChunk_isRefused() {
    List<LayerLayout> layers =
        List.of(new LayerLayout("a", 0, 0, 1, 1 << 30, 2, 1 << 30, 1L << 31));

    assertThatThrownBy(() -> SlotLayout.of(0, layers)).hasMessageContaining("at most 1073741824");
  }
}
