package io.orbitkv.wire;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The few calls of the C library that Java has no way to make. Linux on x86-64 and aarch64: both
 * pass the variable argument of {@code fcntl} and {@code open} like a fixed one.
 */
final class LibC {
  static final int O_RDONLY = 0;
  static final int O_RDWR = 2;
  static final int O_CREAT = 0x40;
  static final int O_NONBLOCK = 0x800;
  static final int O_CLOEXEC = 0x80000;

  static final int EINTR = 4;
  static final int EAGAIN = 11;
  static final int EACCES = 13;
  static final int EINVAL = 22;

  static final int F_ADD_SEALS = 1033;
  static final int F_GET_SEALS = 1034;
  static final int F_OFD_SETLK = 37;

  /** By its number, which all systems share: C libraries have it since a few years only. */
  private static final long PIDFD_OPEN = 434;

  private static final short POLLIN = 1;

  static final int MFD_CLOEXEC = 1;
  static final int MFD_ALLOW_SEALING = 2;

  /** Since Linux 6.3; systems may insist on it. */
  static final int MFD_NOEXEC_SEAL = 8;

  static {
    // The process itself: the C library is linked into every Java launcher, whatever its file is
    // called.
    Native.register(LibC.class, NativeLibrary.getProcess());
  }

  private LibC() {}

  // Direct mapping: the parameter types are those of C on 64-bit Linux, the names those of C too.

  private static native int memfd_create(String name, int flags);

  private static native int fcntl(int descriptor, int command, long argument);

  private static native int ftruncate(int descriptor, long bytes);

  private static native int close(int descriptor);

  private static native int open(String path, int flags, int mode);

  private static native long syscall(long number, long first, long second);

  private static native int poll(long entries, long count, int timeoutMillis);

  private static native String strerror(int errno);

  /** A new memfd that can be sealed. */
  static int createMemoryFile(String name) throws IOException {
    int flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
    int descriptor = memfd_create(name, flags | MFD_NOEXEC_SEAL);
    if (descriptor < 0 && Native.getLastError() == EINVAL) {
      descriptor = memfd_create(name, flags);
    }
    return checked(descriptor, "memfd_create [" + name + "]");
  }

  static void truncate(int descriptor, long bytes) throws IOException {
    checked(ftruncate(descriptor, bytes), "ftruncate to [" + bytes + "] bytes");
  }

  static void addSeals(int descriptor, int seals) throws IOException {
    checked(
        fcntl(descriptor, F_ADD_SEALS, seals),
        "fcntl F_ADD_SEALS [" + SealedMemory.names(seals) + "]");
  }

  /** The seals, or -1 when the file cannot be sealed: it is no memfd. */
  static int seals(int descriptor) {
    return fcntl(descriptor, F_GET_SEALS, 0);
  }

  /**
   * Sets or clears an open-file-description lock; {@code flock} is the address of a struct flock.
   * False: held by others.
   */
  static boolean lock(int descriptor, long flock) throws IOException {
    if (fcntl(descriptor, F_OFD_SETLK, flock) == 0) {
      return true;
    }
    int error = Native.getLastError();
    if (error == EAGAIN || error == EACCES) {
      return false;
    }
    throw failure("fcntl F_OFD_SETLK", error);
  }

  static int openFile(String path, int flags, int mode) throws IOException {
    while (true) {
      int descriptor = open(path, flags | O_CLOEXEC, mode);
      if (descriptor >= 0) {
        return descriptor;
      }
      int error = Native.getLastError();
      if (error != EINTR) {
        throw failure("open [" + path + "]", error);
      }
    }
  }

  /** Closes a descriptor. A failure means that it is closed all the same, or never was open. */
  static void closeDescriptor(int descriptor) {
    close(descriptor);
  }

  /** A descriptor of a process, or a negative number where the system gives none. */
  static int openProcess(long pid) {
    return (int) syscall(PIDFD_OPEN, pid, 0);
  }

  /** Whether a descriptor has something to read, looked up now. */
  static boolean readable(int descriptor) {
    try (Arena arena = Arena.ofConfined()) {
      // struct pollfd: descriptor(4) wanted(2) found(2)
      MemorySegment entry = arena.allocate(Long.BYTES);
      entry.set(ValueLayout.JAVA_INT, 0, descriptor);
      entry.set(ValueLayout.JAVA_SHORT, 4, POLLIN);
      return poll(entry.address(), 1, 0) == 1
          && (entry.get(ValueLayout.JAVA_SHORT, 6) & POLLIN) != 0;
    }
  }

  private static int checked(int result, String call) throws IOException {
    if (result < 0) {
      throw failure(call, Native.getLastError());
    }
    return result;
  }

  private static IOException failure(String call, int error) {
    return new IOException(call + ": " + strerror(error));
  }
}
