package io.orbitkv.workload.ssd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PageBytesTest {
  @ParameterizedTest
  @ValueSource(longs = {4096, 8192, 131_072, 9 << 20})
  void stamp_ofAnyPage_givesTheChecksumOfItsBytes(long pageBytes) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment slot = arena.allocate(pageBytes, 4096);
      PageBytes bytes = new PageBytes(pageBytes);
      int body = bytes.fill(slot, 7);

      for (long number : new long[] {0, 1, 12_345_678_901L}) {
        CRC32C whole = new CRC32C();
        int stamped = bytes.stamp(slot, number, body);
        whole.update(slot.asByteBuffer());
        assertThat(stamped).isEqualTo((int) whole.getValue());
        assertThat(bytes.wrongBytes(slot, number, 7)).isZero();
      }
    }
  }

  @Test
  void wrongBytes_ofAnotherPageAnotherBodyOrAFlippedBit_areFound() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment slot = arena.allocate(65_536, 4096);
      PageBytes bytes = new PageBytes(65_536);
      int body = bytes.fill(slot, 3);
      int _ = bytes.stamp(slot, 5, body);

      assertThat(bytes.wrongBytes(slot, 6, 3)).isPositive();
      assertThat(bytes.wrongBytes(slot, 5, 4)).isGreaterThan(60_000);
      slot.set(ValueLayout.JAVA_BYTE, 40_000, (byte) ~slot.get(ValueLayout.JAVA_BYTE, 40_000));
      assertThat(bytes.wrongBytes(slot, 5, 3)).isEqualTo(1);
      bytes.poison(slot);
      assertThat(bytes.wrongBytes(slot, 5, 3)).isGreaterThan(64_000);
    }
  }

  @Test
  void pageBytes_thatAreNoMultipleOfABlock_areRefused() {
    assertThatThrownBy(() -> new PageBytes(5000)).hasMessageContaining("[5000]");
    assertThatThrownBy(() -> new PageBytes(0)).hasMessageContaining("[0]");
  }

  @Test
  void pageNumbers_keyAndBack_isTheNumberAndNoOthers() {
    assertThat(PageNumbers.of(PageNumbers.key(42))).isEqualTo(42);
    assertThat(PageNumbers.key(0).key().isNone()).isFalse();
    assertThat(
            PageNumbers.of(
                new io.orbitkv.api.backing.StoredKey(
                    PageNumbers.key(1).namespace(), 1, PageNumbers.key(1).key())))
        .isEqualTo(-1);
  }
}
