package io.orbitkv.dram;

import com.sun.jna.Native;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Anonymous memory of Linux. */
final class LinuxPageMemory implements PageMemory {
  private static final int PAGE_BYTES = 4096;

  LinuxPageMemory() {}

  @Override
  public Mapping map(long bytes, long alignment) {
    long reserved = bytes + (alignment > PAGE_BYTES ? alignment : 0);
    long start =
        Libc.mmap(
            0,
            reserved,
            Libc.PROT_READ | Libc.PROT_WRITE,
            Libc.MAP_PRIVATE | Libc.MAP_ANONYMOUS,
            -1,
            0);
    if (start == Libc.MAP_FAILED) {
      throw new IllegalStateException(
          "the system refuses to map ["
              + bytes
              + "] bytes for the pool: "
              + Libc.describe(Native.getLastError())
              + "; make memory.pool-size smaller, or raise the limit on address space (ulimit -v,"
              + " vm.overcommit_memory)");
    }
    return new Mapping(Math.ceilDiv(start, alignment) * alignment, bytes, start, reserved);
  }

  @Override
  public void unmap(Mapping mapping) {
    if (Libc.munmap(mapping.reservedAddress(), mapping.reservedBytes()) != 0) {
      throw new IllegalStateException(
          "the system refuses to unmap the pool: " + Libc.describe(Native.getLastError()));
    }
  }

  @Override
  public int adviseHugePages(long address, long bytes) {
    return Libc.madvise(address, bytes, Libc.MADV_HUGEPAGE) == 0 ? 0 : Native.getLastError();
  }

  @Override
  public int leaveOutOfDumps(long address, long bytes) {
    return Libc.madvise(address, bytes, Libc.MADV_DONTDUMP) == 0 ? 0 : Native.getLastError();
  }

  @Override
  public void populate(long address, long bytes) {
    while (Libc.madvise(address, bytes, Libc.MADV_POPULATE_WRITE) != 0) {
      int error = Native.getLastError();
      if (error == Libc.EINTR) {
        continue;
      }
      if (error == Libc.EINVAL) {
        // A kernel older than 5.14.
        writeEachPage(address, bytes);
        return;
      }
      throw new IllegalStateException(
          "the system has no memory for ["
              + bytes
              + "] bytes of the pool: "
              + Libc.describe(error)
              + "; make memory.pool-size smaller, or raise the memory limit of the cgroup");
    }
  }

  /** Touches pages by writing zero, their content, into each. */
  @SuppressWarnings("restricted")
  static void writeEachPage(long address, long bytes) {
    MemorySegment range = MemorySegment.ofAddress(address).reinterpret(bytes);
    for (long offset = 0; offset < bytes; offset += PAGE_BYTES) {
      range.set(ValueLayout.JAVA_BYTE, offset, (byte) 0);
    }
  }
}
