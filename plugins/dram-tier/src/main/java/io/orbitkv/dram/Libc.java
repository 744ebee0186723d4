package io.orbitkv.dram;

import com.sun.jna.Native;
import com.sun.jna.Platform;

/** The C library, by direct mapping. Constants are those of Linux. */
final class Libc {
  static final int PROT_READ = 1;
  static final int PROT_WRITE = 2;
  static final int MAP_PRIVATE = 0x02;
  static final int MAP_ANONYMOUS = 0x20;
  static final long MAP_FAILED = -1;

  static final int MADV_HUGEPAGE = 14;
  static final int MADV_DONTDUMP = 16;

  /** Since Linux 5.14. */
  static final int MADV_POPULATE_WRITE = 23;

  static final int EINTR = 4;
  static final int ENOMEM = 12;
  static final int EINVAL = 22;

  static {
    Native.register(Libc.class, Platform.C_LIBRARY_NAME);
  }

  private Libc() {}

  static native long mmap(
      long address, long length, int protection, int flags, int descriptor, long offset);

  static native int munmap(long address, long length);

  static native int madvise(long address, long length, int advice);

  static native String strerror(int error);

  /** Error number of the last call on this thread, with its text. */
  static String describe(int error) {
    return strerror(error) + " (error " + error + ")";
  }
}
