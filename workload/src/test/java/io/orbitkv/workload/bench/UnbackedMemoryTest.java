package io.orbitkv.workload.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orbitkv.api.memory.HostChunk;
import io.orbitkv.api.memory.MemoryTier;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class UnbackedMemoryTest {
  private static final int RUN_BYTES = 1 << 20;

  @Test
  void allocate_beforeAChunkIsActive_findsNothing() {
    UnbackedMemory memory = new UnbackedMemory(100, RUN_BYTES);

    assertThat(memory.allocate(1, -1)).isEqualTo(MemoryTier.NO_MEMORY);
    assertThat(memory.usage().allocationFailures()).isEqualTo(1);
  }

  @Test
  void allocateAndFree_anyOrder_neverGivesARunTwice() {
    int runs = 5_000;
    UnbackedMemory memory = new UnbackedMemory(runs, RUN_BYTES);
    memory.prepare(
        new MemoryTier.ChunkListener() {
          @Override
          public void touched(HostChunk chunk) {
            memory.activate(chunk);
          }

          @Override
          public void failed(HostChunk chunk, Throwable cause) {
            throw new AssertionError(cause);
          }
        });
    SplittableRandom random = new SplittableRandom(1);
    List<Long> allocated = new ArrayList<>();
    Set<Long> addresses = new HashSet<>();
    for (int step = 0; step < 50_000; step++) {
      if (allocated.size() == runs) {
        assertThat(memory.allocate(RUN_BYTES, -1)).isEqualTo(MemoryTier.NO_MEMORY);
      }
      if (allocated.size() < runs && (allocated.isEmpty() || random.nextInt(3) > 0)) {
        long run = memory.allocate(RUN_BYTES, -1);
        assertThat(addresses.add(memory.address(run))).isTrue();
        allocated.add(run);
      } else {
        long run = allocated.remove(random.nextInt(allocated.size()));
        addresses.remove(memory.address(run));
        memory.free(run);
        assertThatThrownBy(() -> memory.free(run)).hasMessageContaining("no allocated run");
      }
      assertThat(memory.usage().allocatedBytes()).isEqualTo((long) allocated.size() * RUN_BYTES);
    }
    assertThat(memory.usage().capacityBytes()).isEqualTo((long) runs * RUN_BYTES);
    assertThat(memory.chunks()).allMatch(chunk -> chunk.bytes() <= HostChunk.MAX_BYTES);
  }
}
