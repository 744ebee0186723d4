package io.orbitkv.ssd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orbitkv.api.settings.ByteSize;
import java.util.List;
import org.junit.jupiter.api.Test;

class SsdSettingsTest {
  @Test
  void parts_haveFilesOfTheirOwnAndSharesThatAddUp() {
    SsdSettings whole = SsdSettings.of(List.of("a.store", "b.store"), new ByteSize(1 << 20));
    SsdSettings first = whole.part(0, 0.25);
    SsdSettings second = whole.part(1, 0.75);

    assertThat(first.paths()).containsExactly("a.store.cell-1", "b.store.cell-1");
    assertThat(second.paths()).containsExactly("a.store.cell-2", "b.store.cell-2");
    assertThat(first.capacity().bytes() + second.capacity().bytes()).isEqualTo(1 << 20);
    // A file is whole blocks, and must not come out smaller than its capacity.
    assertThat(whole.part(0, 0.3).capacity().bytes()).isEqualTo(4 * (64 << 10));
    assertThat(whole.part(0, 0.01).capacity().bytes()).isEqualTo(64 << 10);
    // No limit stays none.
    assertThat(first.writesPerDay().bytes()).isZero();
    assertThat(first.requestLogFile()).isEmpty();
    assertThat(first.engine()).isEqualTo(whole.engine());
  }

  @Test
  void part_ofADevice_isRefused() {
    SsdSettings whole = SsdSettings.of(List.of("/dev/null"), new ByteSize(1 << 20));

    assertThatThrownBy(() -> whole.part(0, 0.5))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("[/dev/null] is no file")
        .hasMessageContaining("name files");
  }
}
