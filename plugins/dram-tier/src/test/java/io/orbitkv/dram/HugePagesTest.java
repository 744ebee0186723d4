package io.orbitkv.dram;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.StringReader;
import java.util.List;
import org.junit.jupiter.api.Test;

class HugePagesTest {
  private static final String SMAPS =
      """
      7f0000000000-7f0000800000 rw-p 00000000 00:00 0
      Size:               8192 kB
      Rss:                8192 kB
      AnonHugePages:      6144 kB
      FilePmdMapped:         0 kB
      VmFlags: rd wr mr mw me ac dd hg
      7f0000800000-7f0000a00000 rw-p 00000000 00:00 0 [anon: heap]
      AnonHugePages:      2048 kB
      7f0000a00000-7f0000b00000 r-xp 00001000 fe:01 123 /usr/lib/libc.so
      AnonHugePages:         0 kB
      ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 [vsyscall]
      AnonHugePages:         0 kB
      """;

  @Test
  void bytesOf_areaInsideTheRange_countsItsHugePages() {
    assertThat(bytesOf(new HugePages.Range(0x7f0000000000L, 0x7f0000800000L))).isEqualTo(6L << 20);
  }

  @Test
  void bytesOf_areaThatCoversMoreThanTheRange_countsAtMostWhatTheyShare() {
    assertThat(bytesOf(new HugePages.Range(0x7f0000000000L, 0x7f0000200000L))).isEqualTo(2L << 20);
  }

  @Test
  void bytesOf_severalAreasAndRanges_addsThemUp() {
    assertThat(
            bytesOf(
                new HugePages.Range(0x7f0000000000L, 0x7f0000800000L),
                new HugePages.Range(0x7f0000800000L, 0x7f0000a00000L)))
        .isEqualTo(8L << 20);
  }

  @Test
  void bytesOf_otherMemory_isZero() {
    assertThat(bytesOf(new HugePages.Range(0x10000, 0x20000))).isZero();
  }

  private static long bytesOf(HugePages.Range... ranges) {
    return HugePages.bytesOf(new BufferedReader(new StringReader(SMAPS)), List.of(ranges));
  }
}
