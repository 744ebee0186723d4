package io.orbitkv.hostcopy;

import com.sun.jna.Native;
import com.sun.jna.Platform;

/** The C library, by direct mapping. Constants are those of Linux. */
final class Libc {
  static final int O_RDWR = 2;
  static final int O_NONBLOCK = 0x800;
  static final int O_CLOEXEC = 0x80000;
  static final int O_PATH = 0x200000;
  static final int F_GET_SEALS = 1034;
  static final int F_SEAL_SHRINK = 2;
  static final int F_SEAL_GROW = 4;
  static final int SEEK_END = 2;
  static final int PROT_READ = 1;
  static final int PROT_WRITE = 2;
  static final int MAP_SHARED = 1;
  static final long MAP_FAILED = -1;

  static final int EPERM = 1;
  static final int ENOENT = 2;
  static final int EACCES = 13;

  static {
    Native.register(Libc.class, Platform.C_LIBRARY_NAME);
  }

  private Libc() {}

  /** Binds the functions now, so that a missing library shows at the start. */
  static void load() {
    var _ = Native.getLastError();
  }

  static native int open(String path, int flags);

  static native int geteuid();

  static native int close(int descriptor);

  static native int fcntl(int descriptor, int command);

  static native long lseek(int descriptor, long offset, int whence);

  static native long mmap(
      long address, long length, int protection, int flags, int descriptor, long offset);

  static native int munmap(long address, long length);

  private static native String strerror(int error);

  /** The last error of this thread, in words. */
  static String describe(int error) {
    return strerror(error) + " (error " + error + ")";
  }
}
