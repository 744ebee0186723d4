package io.orbitkv.manager.doctor;

import com.sun.jna.LastErrorException;
import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The machine on which this runs: Linux on x86-64 or aarch64. */
final class ThisMachine implements Machine {
  /** The same on both. */
  private static final long IO_URING_SETUP = 425;

  private static final int RING_ENTRIES = 8;

  /** Larger than any version of its parameters. */
  private static final int PARAMETER_BYTES = 512;

  private static final int ENOSYS = 38;
  private static final int O_RDWR = 2;
  private static final int O_CLOEXEC = 0x80000;

  @Override
  public List<String> lines(Path file) {
    try {
      return Files.readAllLines(file);
    } catch (IOException | RuntimeException unreadable) {
      return List.of();
    }
  }

  @Override
  public String link(Path file) {
    try {
      return Files.readSymbolicLink(file).toString();
    } catch (IOException | RuntimeException unreadable) {
      return "";
    }
  }

  @Override
  public int javaRelease() {
    return Runtime.version().feature();
  }

  @Override
  public String nativeAccessProblem() {
    try {
      Libc.getpid();
      return "";
    } catch (LinkageError | RuntimeException denied) {
      return String.valueOf(denied.getMessage());
    }
  }

  @Override
  public int ringSetupError() {
    try {
      long descriptor = Libc.syscall(IO_URING_SETUP, RING_ENTRIES, new byte[PARAMETER_BYTES]);
      Libc.close((int) descriptor);
      return 0;
    } catch (LastErrorException refused) {
      return refused.getErrorCode();
    } catch (LinkageError absent) {
      return ENOSYS;
    }
  }

  @Override
  public long directBlockBytes(Path folder) throws IOException {
    int block = Math.toIntExact(Math.max(4096, Files.getFileStore(folder).getBlockSize()));
    Path file = Files.createTempFile(folder, ".orbitkv-doctor-", ".tmp");
    try (Memory memory = new Memory(2L * block)) {
      Pointer buffer = memory.align(block);
      int descriptor = Libc.open(file.toString(), O_RDWR | O_CLOEXEC | direct(), 0);
      try {
        long written = Libc.pwrite(descriptor, buffer, block, 0);
        long read = Libc.pread(descriptor, buffer, block, 0);
        if (written != block || read != block) {
          throw new IOException("[" + written + "] bytes went there, [" + read + "] came back");
        }
      } finally {
        Libc.close(descriptor);
      }
      return block;
    } catch (LastErrorException refused) {
      throw new IOException(String.valueOf(refused.getMessage()), refused);
    } finally {
      Files.deleteIfExists(file);
    }
  }

  /** {@code O_DIRECT}, which each architecture numbers by itself. */
  private static int direct() {
    return System.getProperty("os.arch").equals("aarch64") ? 0x10000 : 0x4000;
  }

  /** Calls of the C library. */
  private static final class Libc {
    static {
      Native.register(Libc.class, NativeLibrary.getProcess());
    }

    static native int getpid();

    static native long syscall(long number, long entries, byte[] parameters)
        throws LastErrorException;

    static native int close(int descriptor);

    static native int open(String path, int flags, int mode) throws LastErrorException;

    static native long pwrite(int descriptor, Pointer from, long bytes, long offset)
        throws LastErrorException;

    static native long pread(int descriptor, Pointer into, long bytes, long offset)
        throws LastErrorException;
  }
}
