package io.orbitkv.dram;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.memory.HostChunk;
import io.orbitkv.testkit.RecordingChunkListener;
import io.orbitkv.testkit.TestPluginContext;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import org.junit.jupiter.api.Test;

class ChunkToucherTest {
  private static final long STEP = 64L << 20;
  private static final HostChunk FIRST = new HostChunk(0, 1L << 40, 2 * STEP, -1);
  private static final HostChunk SECOND = new HostChunk(1, 1L << 41, 2 * STEP, -1);

  @Test
  void touch_severalThreads_touchTheFirstChunkTogether() {
    FakePageMemory memory = new FakePageMemory();
    memory.meeting = new CyclicBarrier(2);
    RecordingChunkListener listener = new RecordingChunkListener();
    try (TestPluginContext context = new TestPluginContext("dram-tier")) {
      ChunkToucher toucher =
          new ChunkToucher(List.of(FIRST, SECOND), memory, context, _ -> {}, () -> {});

      toucher.start(2, context, listener);
      listener.await(2);
      toucher.stop();
    }

    assertThat(listener.touched()).as("in their order").containsExactly(FIRST, SECOND);
    assertThat(memory.populated.get(FIRST.address()))
        .isNotEqualTo(memory.populated.get(FIRST.address() + STEP));
  }

  @Test
  void touch_oneStepRefused_failsThatChunkOnce() {
    FakePageMemory memory = new FakePageMemory();
    memory.refuses = address -> address == FIRST.address() + STEP;
    RecordingChunkListener listener = new RecordingChunkListener();
    try (TestPluginContext context = new TestPluginContext("dram-tier")) {
      ChunkToucher toucher =
          new ChunkToucher(List.of(FIRST, SECOND), memory, context, _ -> {}, () -> {});

      toucher.start(3, context, listener);
      listener.await(2);
      toucher.stop();
    }

    assertThat(listener.touched()).containsExactly(SECOND);
    assertThat(listener.failures()).containsOnlyKeys(FIRST);
  }
}
