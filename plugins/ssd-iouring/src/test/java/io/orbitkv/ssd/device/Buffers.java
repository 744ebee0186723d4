package io.orbitkv.ssd.device;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Aligned native memory of a test, filled with functions of a seed. */
final class Buffers implements AutoCloseable {
  static final int BLOCK = 4096;

  private final Arena arena = Arena.ofShared();

  Buffers() {}

  MemorySegment allocate(long bytes) {
    return arena.allocate(bytes, BLOCK);
  }

  /** Memory whose every long depends on the seed and its place. */
  MemorySegment filled(long bytes, long seed) {
    MemorySegment memory = allocate(bytes);
    for (long i = 0; i < bytes; i += Long.BYTES) {
      memory.set(ValueLayout.JAVA_LONG, i, word(seed, i));
    }
    return memory;
  }

  /** Whether memory is what {@link #filled} makes of the seed, from a place on. */
  static boolean holds(MemorySegment memory, long seed, long from) {
    for (long i = 0; i < memory.byteSize(); i += Long.BYTES) {
      if (memory.get(ValueLayout.JAVA_LONG, i) != word(seed, from + i)) {
        return false;
      }
    }
    return true;
  }

  static Span span(MemorySegment memory) {
    return new Span(memory.address(), memory.byteSize());
  }

  private static long word(long seed, long place) {
    long mixed = (seed * 0x9e3779b97f4a7c15L) ^ (place * 0xc2b2ae3d27d4eb4fL);
    return mixed ^ (mixed >>> 29);
  }

  @Override
  public void close() {
    arena.close();
  }
}
