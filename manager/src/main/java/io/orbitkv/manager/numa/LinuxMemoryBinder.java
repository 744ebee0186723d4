package io.orbitkv.manager.numa;

import com.sun.jna.LastErrorException;
import com.sun.jna.Native;
import com.sun.jna.Platform;
import java.util.Locale;

/** Binds with the system call mbind, which needs no library of its own. */
final class LinuxMemoryBinder implements MemoryBinder {
  private static final int MPOL_BIND = 2;
  private static final int BITS_A_WORD = 64;
  private static final int MASK_WORDS = 16;
  private static final int EPERM = 1;
  private static final int ENOSYS = 38;

  @Override
  public Outcome bind(long address, long bytes, int node) {
    long number = systemCall();
    if (number < 0) {
      return new Outcome.NotPermitted(
          "processor [" + System.getProperty("os.arch") + "] is not known");
    }
    long[] mask = new long[MASK_WORDS];
    mask[node / BITS_A_WORD] = 1L << (node % BITS_A_WORD);
    try {
      // The kernel reads one bit less than it is told.
      long maskBits = (long) MASK_WORDS * BITS_A_WORD + 1;
      Libc.syscall(number, address, bytes, MPOL_BIND, mask, maskBits, 0);
      return new Outcome.Bound();
    } catch (LastErrorException failed) {
      String reason = "error " + failed.getErrorCode();
      return switch (failed.getErrorCode()) {
        case EPERM, ENOSYS -> new Outcome.NotPermitted(reason);
        default -> new Outcome.Refused(reason);
      };
    } catch (LinkageError absent) {
      return new Outcome.NotPermitted("no system calls: " + absent.getMessage());
    }
  }

  private static long systemCall() {
    return switch (System.getProperty("os.arch").toLowerCase(Locale.ROOT)) {
      case "amd64", "x86_64" -> 237;
      case "aarch64" -> 235;
      default -> -1;
    };
  }

  /** The C library's way to make any system call. */
  private static final class Libc {
    static {
      Native.register(Libc.class, Platform.C_LIBRARY_NAME);
    }

    /** See syscall(2). */
    static native long syscall(
        long number, long address, long bytes, long mode, long[] mask, long maskBits, long flags)
        throws LastErrorException;
  }
}
