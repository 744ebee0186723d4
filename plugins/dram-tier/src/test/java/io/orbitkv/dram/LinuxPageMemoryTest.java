package io.orbitkv.dram;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orbitkv.api.memory.MemoryTier;
import io.orbitkv.api.memory.MemoryTierFactory.Request;
import io.orbitkv.api.settings.ByteSize;
import io.orbitkv.testkit.RecordingChunkListener;
import io.orbitkv.testkit.RecordingTopology;
import io.orbitkv.testkit.TestPluginContext;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.StringReader;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class LinuxPageMemoryTest {
  private static final long HUGE = 2L << 20;

  private final LinuxPageMemory memory = new LinuxPageMemory();

  @Test
  void map_alignedAndPopulated_isZeroAndWritableToItsLastByte() throws IOException {
    PageMemory.Mapping mapping = memory.map(4 * HUGE, HUGE);
    try {
      assertThat(mapping.address() % HUGE).isZero();
      assertThat(memory.leaveOutOfDumps(mapping.address(), mapping.bytes())).isZero();
      memory.populate(mapping.address(), mapping.bytes());
      MemorySegment segment = segment(mapping);
      assertThat(segment.get(ValueLayout.JAVA_BYTE, 4 * HUGE - 1)).isZero();
      segment.set(ValueLayout.JAVA_BYTE, 4 * HUGE - 1, (byte) 1);
      assertThat(residentBytes(mapping)).isEqualTo(4 * HUGE);
    } finally {
      memory.unmap(mapping);
    }
  }

  @Test
  void writeEachPage_onAnOldKernel_makesEveryPagePresent() throws IOException {
    PageMemory.Mapping mapping = memory.map(HUGE, 4096);
    try {
      assertThat(memory.leaveOutOfDumps(mapping.address(), mapping.bytes())).isZero();
      LinuxPageMemory.writeEachPage(mapping.address(), mapping.bytes());
      assertThat(residentBytes(mapping)).isEqualTo(HUGE);
    } finally {
      memory.unmap(mapping);
    }
  }

  @Test
  void map_moreThanTheAddressSpace_isRefusedWithTheRemedy() {
    assertThatThrownBy(() -> memory.map(1L << 60, 4096))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("[" + (1L << 60) + "]")
        .hasMessageContaining("memory.pool-size");
  }

  @Test
  void populate_addressesThatCannotBeMapped_isRefusedWithTheReason() {
    // The first page of the address space is never mapped.
    assertThatThrownBy(() -> memory.populate(0, 4096))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("error " + Libc.ENOMEM)
        .hasMessageContaining("cgroup");
  }

  @Test
  void tier_afterTheLastChunkWasTouched_knowsItsHugePages() {
    try (TestPluginContext context = new TestPluginContext("dram-tier")) {
      RecordingTopology topology = new RecordingTopology(0);
      MemoryTier tier =
          new DramTierFactory()
              .create(
                  new DramSettings(new ByteSize(4 * HUGE), 2, true),
                  new Request(8 * HUGE, List.of(0), topology),
                  context);
      RecordingChunkListener listener = new RecordingChunkListener();
      tier.prepare(listener);
      listener.await(2);
      while (!context.runningThreads().isEmpty()) {
        Thread.onSpinWait();
      }
      assertThat(tier.usage().hugePageBytes()).isBetween(0L, 8 * HUGE);
      assertThat(context.meters().gauge("huge_page_bytes")).isEqualTo(tier.usage().hugePageBytes());
      tier.close();
    }
  }

  /** Present bytes of the areas inside a mapping, by the same parser over another field. */
  private static long residentBytes(PageMemory.Mapping mapping) throws IOException {
    StringBuilder renamed = new StringBuilder();
    for (String line : Files.readAllLines(Path.of("/proc/self/smaps"))) {
      if (!line.startsWith("AnonHugePages:")) {
        renamed.append(line.replaceFirst("^Rss:", "AnonHugePages:")).append('\n');
      }
    }
    try (BufferedReader reader = new BufferedReader(new StringReader(renamed.toString()))) {
      return HugePages.bytesOf(
          reader,
          List.of(new HugePages.Range(mapping.address(), mapping.address() + mapping.bytes())));
    }
  }

  @SuppressWarnings("restricted")
  private static MemorySegment segment(PageMemory.Mapping mapping) {
    return MemorySegment.ofAddress(mapping.address()).reinterpret(mapping.bytes());
  }
}
