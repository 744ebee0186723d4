package io.orbitkv.workload.ssd;

import io.orbitkv.api.backing.HostRun;
import io.orbitkv.api.memory.HostChunk;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * One chunk of native memory, cut into slots of a page each. Closing it frees the memory: only when
 * nothing submitted still works on it.
 */
final class SlotMemory implements AutoCloseable {
  /** A huge page, so that slots of equal size lie alike in every run. */
  private static final long ALIGNMENT = 2L << 20;

  private final Arena arena = Arena.ofShared();
  private final MemorySegment memory;

  /**
   * @param bytes a multiple of 4 KiB, at most {@link HostChunk#MAX_BYTES}
   */
  SlotMemory(long bytes) {
    memory = arena.allocate(bytes, ALIGNMENT);
  }

  List<HostChunk> chunks() {
    return List.of(new HostChunk(0, memory.address(), memory.byteSize(), -1));
  }

  MemorySegment slot(int slot, long pageBytes) {
    return memory.asSlice(slot * pageBytes, pageBytes);
  }

  List<HostRun> runs(int slot, long pageBytes) {
    return List.of(new HostRun(memory.address() + slot * pageBytes, pageBytes, pageBytes));
  }

  @Override
  public void close() {
    arena.close();
  }
}
