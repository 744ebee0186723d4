package io.orbitkv.api.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class LayerLayoutTest {
  @Test
  void offset_twoSegments_followsTheAffineRule() {
    LayerLayout layer = new LayerLayout("layer.0", 0, 100, 4, 10, 2, 1000, 20);

    assertThat(layer.offset(0, 0)).isEqualTo(100);
    assertThat(layer.offset(3, 0)).isEqualTo(160);
    assertThat(layer.offset(3, 1)).isEqualTo(1160);
    assertThat(layer.endOffset()).isEqualTo(1170);
    assertThat(layer.pageBytes()).isEqualTo(20);
  }

  @Test
  void segmentStride_oneSegment_isIgnored() {
    assertThat(new LayerLayout("a", 0, 0, 1, 8, 1, 77, 8).segmentStride()).isZero();
  }

  @Test
  void constructor_overlappingPages_namesTheLayer() {
    assertThatThrownBy(() -> new LayerLayout("layer.7", 0, 0, 2, 16, 1, 0, 8))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("layer [layer.7]")
        .hasMessageContaining("pageStride [8]");
  }

  @Test
  void constructor_valuesInsideTheKeysRange_isRefused() {
    // V of page 0 would start inside K of page 1.
    assertThatThrownBy(() -> new LayerLayout("a", 0, 0, 2, 16, 2, 24, 16))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("segmentStride [24]");
  }

  @Test
  void constructor_keysAndValuesInsideOnePage_isAccepted() {
    assertThat(new LayerLayout("a", 0, 0, 2, 16, 2, 16, 32).endOffset()).isEqualTo(64);
  }

  @Test
  void constructor_offsetOverflow_isRefused() {
    assertThatThrownBy(
            () -> new LayerLayout("a", 0, 0, Integer.MAX_VALUE, 8, 1, 0, Long.MAX_VALUE / 2))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("overflows");
  }

  @Test
  void constructor_overflowBetweenKeysAndValues_isRefused() {
    assertThatThrownBy(
            () -> new LayerLayout("a", 0, 0, Integer.MAX_VALUE, 8, 2, 16, Long.MAX_VALUE / 2))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("overflows");
    assertThatThrownBy(() -> new LayerLayout("a", 0, 0, 2, 8, 2, Long.MAX_VALUE - 4, 16))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("overflows");
  }
}
