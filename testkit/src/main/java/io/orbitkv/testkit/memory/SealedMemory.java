package io.orbitkv.testkit.memory;

import com.sun.jna.Native;
import io.orbitkv.api.copy.DeviceMemoryDescriptor.SharedMemory;
import java.lang.foreign.MemorySegment;

/**
 * A memory file of this process, mapped shared and, unless asked otherwise, sealed against
 * shrinking and growing: what an engine without a GPU registers as its device memory.
 *
 * <p>Owned by whoever made it, who closes it; a copier's mapping of it stays valid. Linux only.
 */
public final class SealedMemory implements TestDevice {
  /** Seal against sealing further. */
  public static final int SEAL_SEAL = 1;

  /** Seal against shrinking. */
  public static final int SEAL_SHRINK = 2;

  /** Seal against growing. */
  public static final int SEAL_GROW = 4;

  /** Seal against every new writable mapping. */
  public static final int SEAL_FUTURE_WRITE = 16;

  private final int descriptor;
  private final long address;
  private final long bytes;
  private boolean closed;

  private SealedMemory(int descriptor, long address, long bytes) {
    this.descriptor = descriptor;
    this.address = address;
    this.bytes = bytes;
  }

  /**
   * Makes a memory file with the seals that the contract asks for.
   *
   * @param bytes positive
   * @throws IllegalStateException when the system refuses
   */
  public static SealedMemory create(long bytes) {
    return create(bytes, SEAL_SHRINK | SEAL_GROW);
  }

  /**
   * Makes a memory file with chosen seals, 0 for none.
   *
   * @throws IllegalStateException when the system refuses
   */
  public static SealedMemory create(long bytes, int seals) {
    int descriptor = Libc.memfd_create("orbitkv-test", Libc.MFD_CLOEXEC | Libc.MFD_ALLOW_SEALING);
    check(descriptor >= 0, "memfd_create");
    long address = Libc.MAP_FAILED;
    try {
      check(Libc.ftruncate(descriptor, bytes) == 0, "ftruncate");
      address =
          Libc.mmap(0, bytes, Libc.PROT_READ | Libc.PROT_WRITE, Libc.MAP_SHARED, descriptor, 0);
      check(address != Libc.MAP_FAILED, "mmap");
      check(
          seals == 0 || Libc.fcntl(descriptor, Libc.F_ADD_SEALS, seals) == 0, "fcntl F_ADD_SEALS");
      return new SealedMemory(descriptor, address, bytes);
    } catch (IllegalStateException refused) {
      if (address != Libc.MAP_FAILED) {
        check(Libc.munmap(address, bytes) == 0, "munmap");
      }
      check(Libc.close(descriptor) == 0, "close");
      throw refused;
    }
  }

  /** The file descriptor in this process. */
  public int fileDescriptor() {
    return descriptor;
  }

  /** Size in bytes. */
  public long bytes() {
    return bytes;
  }

  /** Its bytes, valid until {@link #close}; using them later ends the process. */
  @SuppressWarnings("restricted")
  public MemorySegment segment() {
    if (closed) {
      throw new IllegalStateException("the memory is closed");
    }
    return MemorySegment.ofAddress(address).reinterpret(bytes);
  }

  @Override
  public SharedMemory descriptor() {
    return new SharedMemory(ProcessHandle.current().pid(), descriptor, bytes);
  }

  @Override
  public void write(long offset, MemorySegment source) {
    MemorySegment.copy(source, 0, segment(), offset, source.byteSize());
  }

  @Override
  public void read(long offset, MemorySegment target) {
    MemorySegment.copy(segment(), offset, target, 0, target.byteSize());
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      check(Libc.munmap(address, bytes) == 0, "munmap");
      check(Libc.close(descriptor) == 0, "close");
    }
  }

  private static void check(boolean holds, String call) {
    if (!holds) {
      throw new IllegalStateException(call + " failed with error " + Native.getLastError());
    }
  }
}
