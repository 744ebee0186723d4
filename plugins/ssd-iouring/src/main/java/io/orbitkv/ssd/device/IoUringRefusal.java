package io.orbitkv.ssd.device;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Why the system refuses rings, in words, with what would change that. */
final class IoUringRefusal {
  private static final Path DISABLED = Path.of("/proc/sys/kernel/io_uring_disabled");

  private IoUringRefusal() {}

  /** Of a refused {@code io_uring_setup}. */
  static String ofSetup(int error) {
    return ofSetup(error, disabled());
  }

  static String ofSetup(int error, String disabled) {
    return "io_uring_setup is refused: "
        + Errors.describe(error)
        + switch (error) {
          case Errors.EPERM ->
              disabled.isEmpty() || disabled.equals("0")
                  ? "; a container's seccomp profile must allow io_uring_setup, io_uring_enter and"
                      + " io_uring_register"
                  : "; the system setting kernel.io_uring_disabled is ["
                      + disabled
                      + "], 0 permits it";
          case Errors.ENOSYS -> "; the kernel has no io_uring";
          case Errors.ENOMEM -> "; raise the limit on locked memory (ulimit -l)";
          default -> "";
        };
  }

  /** Of a refused registration of memory. */
  static String ofBuffers(int error) {
    return "fixed buffers are off: "
        + Errors.describe(error)
        + switch (error) {
          case Errors.ENOMEM ->
              "; the limit on locked memory (ulimit -l) must cover the pool for them";
          case Errors.EOPNOTSUPP, Errors.EFAULT ->
              "; the memory of the pool is of a kind that cannot be registered";
          default -> "";
        };
  }

  private static String disabled() {
    try {
      return Files.readString(DISABLED).strip();
    } catch (IOException absent) {
      // Kernels before 6.6 have no such setting.
      return "";
    }
  }
}
