package io.orbitkv.wire;

import io.orbitkv.api.copy.DeviceMemoryDescriptor;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel.MapMode;

/**
 * Shared memory of an engine: a memfd that is sealed against shrinking and growing, mapped for
 * reading and writing. The owner's descriptor must stay open until the other side has opened the
 * file.
 */
public final class SharedMemoryFile implements AutoCloseable {
  private static final int SEALS = SealedMemory.SEAL_SHRINK | SealedMemory.SEAL_GROW;

  private final SealedMemory memory;

  private SharedMemoryFile(SealedMemory memory) {
    this.memory = memory;
  }

  /**
   * Makes a file; its bytes are zero and take memory when they are touched.
   *
   * @param name for people, seen in {@code /proc/PID/maps}
   * @param bytes size, positive
   * @throws IOException with the system's reason
   */
  public static SharedMemoryFile create(String name, long bytes) throws IOException {
    if (bytes <= 0) {
      throw new IllegalArgumentException("shared memory of [" + bytes + "] bytes");
    }
    return new SharedMemoryFile(SealedMemory.create(name, bytes, SEALS));
  }

  /**
   * Opens another process's file. It is mapped only once it is proven to be a memfd of that size
   * with the seals.
   *
   * @throws IOException saying why it cannot be used and what to do
   */
  public static SharedMemoryFile openForeign(long pid, int descriptor, long bytes)
      throws IOException {
    return new SharedMemoryFile(
        SealedMemory.open(pid, descriptor, bytes, SEALS, MapMode.READ_WRITE));
  }

  /** The mapping. Any thread; access after {@link #close} throws IllegalStateException. */
  public MemorySegment segment() {
    return memory.segment();
  }

  /** Size in bytes. */
  public long bytes() {
    return memory.segment().byteSize();
  }

  /** This process's file descriptor. */
  public int descriptor() {
    return memory.descriptor();
  }

  /** How this process names the memory to a Manager. */
  public DeviceMemoryDescriptor.SharedMemory deviceMemory() {
    return new DeviceMemoryDescriptor.SharedMemory(
        ProcessHandle.current().pid(), descriptor(), bytes());
  }

  /** Unmaps and closes the descriptor. Idempotent. Native code must not use the memory any more. */
  @Override
  public void close() {
    memory.close();
  }
}
