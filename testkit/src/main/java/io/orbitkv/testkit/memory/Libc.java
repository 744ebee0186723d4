package io.orbitkv.testkit.memory;

import com.sun.jna.Native;
import com.sun.jna.Platform;

/** The C library, by direct mapping. Constants are those of Linux. */
final class Libc {
  static final int MFD_CLOEXEC = 1;
  static final int MFD_ALLOW_SEALING = 2;
  static final int F_ADD_SEALS = 1033;
  static final int PROT_READ = 1;
  static final int PROT_WRITE = 2;
  static final int MAP_SHARED = 1;
  static final long MAP_FAILED = -1;

  static {
    Native.register(Libc.class, Platform.C_LIBRARY_NAME);
  }

  private Libc() {}

  static native int memfd_create(String name, int flags);

  static native int ftruncate(int descriptor, long bytes);

  static native int fcntl(int descriptor, int command, int argument);

  static native long mmap(
      long address, long length, int protection, int flags, int descriptor, long offset);

  static native int munmap(long address, long length);

  static native int close(int descriptor);
}
