package io.orbitkv.ssd.device;

import com.sun.jna.Native;
import com.sun.jna.Platform;

/**
 * The C library, by direct mapping. Constants are those of 64-bit Linux, equal on x86-64 and
 * AArch64 except where a method says so. The error number of a failed call is {@link
 * Native#getLastError}, on the same thread.
 */
final class Libc {
  static final int O_RDWR = 2;
  static final int O_CREAT = 0x40;
  static final int O_EXCL = 0x80;
  static final int O_CLOEXEC = 0x80000;

  static final int LOCK_EX = 2;
  static final int LOCK_NB = 4;
  static final int LOCK_UN = 8;

  static final int AT_FDCWD = -100;
  static final int AT_EMPTY_PATH = 0x1000;

  /** Size of the device in bytes, into a long. */
  static final long BLKGETSIZE64 = 0x80081272L;

  /** Logical sector size, into an int. */
  static final long BLKSSZGET = 0x1268;

  static final int PROT_READ = 1;
  static final int PROT_WRITE = 2;
  static final int MAP_SHARED = 0x01;
  static final int MAP_POPULATE = 0x8000;
  static final long MAP_FAILED = -1;

  static final int EFD_CLOEXEC = 0x80000;

  static final long SYS_IO_URING_SETUP = 425;
  static final long SYS_IO_URING_ENTER = 426;
  static final long SYS_IO_URING_REGISTER = 427;

  static {
    Native.register(Libc.class, Platform.C_LIBRARY_NAME);
  }

  private Libc() {}

  /** Bypasses the page cache; the one flag here whose value depends on the architecture. */
  static int directFlag() {
    return Platform.isARM() ? 0x10000 : 0x4000;
  }

  static native int open(String path, int flags, int mode);

  static native int close(int descriptor);

  static native int unlink(String path);

  static native int flock(int descriptor, int operation);

  static native int ftruncate(int descriptor, long bytes);

  static native int fallocate(int descriptor, int mode, long offset, long bytes);

  static native int statx(int directory, String path, int flags, int mask, long buffer);

  static native int fstatfs(int descriptor, long buffer);

  static native int ioctl(int descriptor, long request, long argument);

  static native int fdatasync(int descriptor);

  static native long pread(int descriptor, long address, long bytes, long offset);

  static native long pwrite(int descriptor, long address, long bytes, long offset);

  static native long preadv(int descriptor, long vectors, int count, long offset);

  static native long pwritev(int descriptor, long vectors, int count, long offset);

  static native long write(int descriptor, long address, long bytes);

  static native int eventfd(int value, int flags);

  static native long mmap(
      long address, long length, int protection, int flags, int descriptor, long offset);

  static native int munmap(long address, long length);

  static native long syscall(long number, long a, long b, long c, long d, long e, long f);

  static native String strerror(int error);
}
