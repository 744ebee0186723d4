package io.orbitkv.wire;

import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A little-endian buffer outside the heap that is freed when its owner says so, not by a cleaner.
 *
 * @param arena owns the memory
 * @param bytes the memory
 */
record OffHeapBytes(Arena arena, ByteBuffer bytes) implements AutoCloseable {
  // Shared, since a buffer is made by one thread and used by another; owned by whoever holds this
  // record.
  @SuppressWarnings("MustBeClosedChecker")
  static OffHeapBytes allocate(int capacity) {
    Arena arena = Arena.ofShared();
    ByteBuffer bytes = arena.allocate(capacity, Long.BYTES).asByteBuffer();
    return new OffHeapBytes(arena, bytes.order(ByteOrder.LITTLE_ENDIAN));
  }

  @Override
  public void close() {
    arena.close();
  }
}
