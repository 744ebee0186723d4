package io.orbitkv.cuda;

import java.lang.foreign.MemorySegment;

/** Host memory that is known by its address, such as that of a registered chunk. */
public final class HostMemory {
  private HostMemory() {}

  /**
   * A view without bounds of time: the caller knows that the memory stays.
   *
   * @param address of the first byte
   * @param bytes of the view
   */
  @SuppressWarnings("restricted")
  public static MemorySegment at(long address, long bytes) {
    return MemorySegment.ofAddress(address).reinterpret(bytes);
  }
}
