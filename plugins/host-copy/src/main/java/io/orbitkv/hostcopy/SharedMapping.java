package io.orbitkv.hostcopy;

import com.sun.jna.Native;
import io.orbitkv.api.copy.DeviceMemory;
import io.orbitkv.api.copy.DeviceMemoryDescriptor.SharedMemory;
import io.orbitkv.api.copy.OpenPlans;
import io.orbitkv.api.page.WorkerLayout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A worker's memory file, mapped shared. The mapping keeps the file alive: a worker that dies, even
 * in the middle of a copy, takes nothing away, and the seals see to it that nobody truncates what
 * is mapped, which would end the Manager.
 */
final class SharedMapping implements DeviceMemory {
  private static final int WANTED_SEALS = Libc.F_SEAL_SHRINK | Libc.F_SEAL_GROW;

  private final HostCopier owner;
  private final long address;
  private final long bytes;
  private final OpenPlans plans = new OpenPlans();

  private SharedMapping(HostCopier owner, long address, long bytes) {
    this.owner = owner;
    this.address = address;
    this.bytes = bytes;
  }

  /**
   * Opens, checks and maps.
   *
   * @throws IllegalArgumentException when the file is not what the contract asks for
   * @throws IllegalStateException when the system refuses
   */
  static SharedMapping open(HostCopier owner, SharedMemory memory, WorkerLayout layout) {
    if (memory.bytes() < layout.deviceBytes()) {
      throw new IllegalArgumentException(
          "the layers end at byte ["
              + layout.deviceBytes()
              + "] of the device memory, which is said to have ["
              + memory.bytes()
              + "]: register the whole memory, or correct the layers' offsets");
    }
    if (memory.pid() <= 0 || memory.descriptor() < 0) {
      throw new IllegalArgumentException(
          memory + " names no open file: send the worker's own process id and descriptor");
    }
    requireOwnProcess(memory.pid());
    String path = "/proc/" + memory.pid() + "/fd/" + memory.descriptor();
    // Only named at first: to open a device, a terminal or a pipe may do things or wait for ever,
    // and what was looked at must be what is opened, whatever the worker does meanwhile.
    int named = Libc.open(path, Libc.O_PATH | Libc.O_CLOEXEC);
    if (named < 0) {
      throw cannotOpen(path, Native.getLastError());
    }
    try {
      String link = "/proc/self/fd/" + named;
      checkKind(path, link);
      int descriptor = Libc.open(link, Libc.O_RDWR | Libc.O_CLOEXEC | Libc.O_NONBLOCK);
      if (descriptor < 0) {
        throw cannotOpen(path, Native.getLastError());
      }
      try {
        checkSeals(path, descriptor);
        checkSize(path, descriptor, memory.bytes());
        return new SharedMapping(owner, map(path, descriptor, memory.bytes()), memory.bytes());
      } finally {
        // The mapping needs no descriptor. A failed close of a memory file loses nothing.
        var _ = Libc.close(descriptor);
      }
    } finally {
      var _ = Libc.close(named);
    }
  }

  /**
   * Memory of another user's process is not a client's to offer: a Manager that may look into every
   * process would copy it for whoever names it.
   */
  private static void requireOwnProcess(long pid) {
    Path process = Path.of("/proc/" + pid);
    int user;
    try {
      user = (Integer) Files.getAttribute(process, "unix:uid");
    } catch (IOException absent) {
      throw new IllegalArgumentException(
          "process ["
              + pid
              + "] of the device memory cannot be seen: the worker must live and share the"
              + " Manager's process namespace (in containers: --pid=host, or one pid namespace for"
              + " both)",
          absent);
    }
    int own = Libc.geteuid();
    if (user != own) {
      throw new IllegalArgumentException(
          "process ["
              + pid
              + "] of the device memory belongs to the user ["
              + Integer.toUnsignedString(user)
              + "], but the Manager runs as ["
              + Integer.toUnsignedString(own)
              + "]: run the Manager and the engine as the same user");
    }
  }

  private static void checkKind(String path, String link) {
    String target;
    try {
      target = Files.readSymbolicLink(Path.of(link)).toString();
    } catch (IOException refused) {
      throw new IllegalStateException(
          "device memory [" + path + "] cannot be looked at: " + refused.getMessage(), refused);
    }
    if (!target.startsWith("/memfd:")) {
      throw new IllegalArgumentException(
          "device memory ["
              + path
              + "] is ["
              + target
              + "], not a memory file: make it with memfd_create(…, MFD_ALLOW_SEALING)");
    }
  }

  private static RuntimeException cannotOpen(String path, int error) {
    String what = "device memory [" + path + "] cannot be opened: " + Libc.describe(error);
    if (error == Libc.EACCES || error == Libc.EPERM) {
      return new IllegalStateException(
          what
              + "; run the Manager and the engine as the same user, and open the memory file for"
              + " reading and writing");
    }
    return new IllegalArgumentException(
        what
            + "; the worker must live, keep the descriptor open, and share the Manager's process"
            + " namespace (in containers: --pid=host, or one pid namespace for both)");
  }

  private static void checkSeals(String path, int descriptor) {
    int seals = Libc.fcntl(descriptor, Libc.F_GET_SEALS);
    if (seals < 0) {
      throw new IllegalArgumentException(
          "device memory ["
              + path
              + "] cannot have seals ("
              + Libc.describe(Native.getLastError())
              + "): make it with memfd_create(…, MFD_ALLOW_SEALING)");
    }
    if ((seals & WANTED_SEALS) != WANTED_SEALS) {
      throw new IllegalArgumentException(
          "device memory ["
              + path
              + "] has the seals ["
              + seals
              + "]: after ftruncate, seal it with fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK |"
              + " F_SEAL_GROW), since a file that is truncated later would end the Manager");
    }
  }

  private static void checkSize(String path, int descriptor, long wanted) {
    long size = Libc.lseek(descriptor, 0, Libc.SEEK_END);
    if (size < wanted || wanted <= 0) {
      throw new IllegalArgumentException(
          "device memory ["
              + path
              + "] has ["
              + size
              + "] bytes, but ["
              + wanted
              + "] were registered: call ftruncate before sealing, and register the file's size");
    }
  }

  private static long map(String path, int descriptor, long bytes) {
    long address =
        Libc.mmap(0, bytes, Libc.PROT_READ | Libc.PROT_WRITE, Libc.MAP_SHARED, descriptor, 0);
    if (address == Libc.MAP_FAILED) {
      int error = Native.getLastError();
      String what = "device memory [" + path + "] cannot be mapped: " + Libc.describe(error);
      if (error == Libc.EPERM) {
        throw new IllegalArgumentException(
            what + "; it is sealed against writing, but restores must write to it");
      }
      throw new IllegalStateException(what + "; raise the limit on address space (ulimit -v)");
    }
    return address;
  }

  HostCopier owner() {
    return owner;
  }

  /** Native address of the first byte; valid while a plan is counted. */
  long address() {
    return address;
  }

  long bytes() {
    return bytes;
  }

  OpenPlans plans() {
    return plans;
  }

  /**
   * @throws IllegalStateException when a plan has not reported: nothing is unmapped
   */
  @Override
  public void close() {
    if (!plans.close()) {
      return;
    }
    owner.unmapped(bytes);
    if (Libc.munmap(address, bytes) != 0) {
      throw new IllegalStateException(
          "device memory cannot be unmapped: " + Libc.describe(Native.getLastError()));
    }
  }
}
