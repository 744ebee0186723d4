package io.orbitkv.testkit.pattern;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orbitkv.api.page.PageKey;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.Test;

class PagePatternTest {
  private static final PagePattern PATTERN = new PagePattern(new PageKey(11, 13), 5, 2);

  @Test
  void verify_filledPage_passesForEveryLength() {
    for (int bytes = 0; bytes < 70; bytes++) {
      MemorySegment page = filled(PATTERN, bytes);
      assertThat(PATTERN.firstMismatch(page)).isEqualTo(PagePattern.NO_MISMATCH);
      PATTERN.verify(page);
    }
  }

  @Test
  void firstMismatch_oneWrongByteAnywhere_findsIt() {
    MemorySegment page = filled(PATTERN, 77);
    for (int offset = 0; offset < 77; offset++) {
      byte right = page.get(ValueLayout.JAVA_BYTE, offset);
      page.set(ValueLayout.JAVA_BYTE, offset, (byte) (right + 1));
      assertThat(PATTERN.firstMismatch(page)).isEqualTo(offset);
      page.set(ValueLayout.JAVA_BYTE, offset, right);
    }
  }

  @Test
  void fill_inParts_givesTheSameBytesWhereverItIsCut() {
    MemorySegment whole = filled(PATTERN, 100);
    for (int cut = 0; cut <= 100; cut++) {
      MemorySegment parts = MemorySegment.ofArray(new byte[100]);
      PATTERN.fill(parts.asSlice(0, cut), 0);
      PATTERN.fill(parts.asSlice(cut), cut);
      assertThat(whole.mismatch(parts)).isEqualTo(-1);
      assertThat(PATTERN.firstMismatch(parts.asSlice(cut), cut)).isEqualTo(PagePattern.NO_MISMATCH);
    }
  }

  @Test
  void verify_otherIdentity_failsWithinTheFirstWord() {
    MemorySegment page = filled(PATTERN, 4096);
    for (PagePattern other :
        List.of(
            new PagePattern(new PageKey(12, 13), 5, 2),
            new PagePattern(new PageKey(11, 14), 5, 2),
            new PagePattern(new PageKey(13, 11), 5, 2),
            new PagePattern(new PageKey(11, 13), 6, 2),
            new PagePattern(new PageKey(11, 13), 5, 3),
            new PagePattern(new PageKey(11, 13), 2, 5))) {
      assertThat(other.firstMismatch(page)).isBetween(0L, 7L);
      assertThatThrownBy(() -> other.verify(page))
          .isInstanceOf(AssertionError.class)
          .hasMessageContaining("another page");
    }
  }

  @Test
  void verify_shiftedPage_saysByHowMuch() {
    MemorySegment page = filled(PATTERN, 4096);
    MemorySegment shifted = MemorySegment.ofArray(new byte[4096]);
    MemorySegment.copy(page, 64, shifted, 0, 4096 - 64);

    assertThatThrownBy(() -> PATTERN.verify(shifted))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("shifted by 8 words");
  }

  @Test
  void verify_tornPage_findsTheSeam() {
    MemorySegment page = filled(PATTERN, 4096);
    new PagePattern(new PageKey(1, 1), 0, 0).fill(page.asSlice(2048), 2048);

    assertThatThrownBy(() -> PATTERN.verify(page))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("[20");
  }

  @Test
  void verify_zeroOrRandomBytes_saysSo() {
    MemorySegment page = MemorySegment.ofArray(new byte[4096]);
    assertThatThrownBy(() -> PATTERN.verify(page)).hasMessageContaining("never written");
    page.fill((byte) 7);
    assertThatThrownBy(() -> PATTERN.verify(page)).hasMessageContaining("not the bytes of any");
    assertThatThrownBy(() -> PATTERN.verify(page.asSlice(0, 3))).hasMessageContaining("last bytes");
  }

  private static MemorySegment filled(PagePattern pattern, int bytes) {
    MemorySegment page = MemorySegment.ofArray(new byte[bytes]);
    pattern.fill(page);
    return page;
  }
}
