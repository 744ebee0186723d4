package io.orbitkv.ssd.device;

import com.sun.jna.Native;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** The steps of opening a {@link DeviceFile}, each with its refusal. */
final class DeviceOpener {
  private static final int OWNER_ALONE = 0600;

  /** Large enough for every struct statfs; its first long is the type. */
  private static final int STATFS_BYTES = 256;

  // File systems in memory. Newer ones take O_DIRECT and copy all the same.
  private static final long TMPFS = 0x01021994L;
  private static final long RAMFS = 0x858458f6L;

  private static final String DIRECT_REMEDY =
      "; use a file system on a local SSD that has direct transfers (ext4, xfs, btrfs), or accept"
          + " the page cache with [direct: off]";

  private final Path path;
  private final long sizeBytes;
  private final boolean direct;
  private boolean made;

  DeviceOpener(Path path, long sizeBytes, boolean direct) {
    this.path = path;
    this.sizeBytes = sizeBytes;
    this.direct = direct;
  }

  DeviceFile open() throws IOException {
    int descriptor = openDescriptor();
    boolean kept = false;
    try {
      DeviceFile file = prepare(descriptor);
      kept = true;
      return file;
    } finally {
      if (!kept) {
        if (made) {
          // Still locked here, so nobody else can have put anything into it.
          int ignored = Libc.unlink(path.toString());
        }
        int ignored = Libc.close(descriptor);
      }
    }
  }

  /**
   * Gives a file a size and reserves its space from a byte on.
   *
   * @throws IOException when the system refuses; the file has its former size again
   */
  static void reserve(Path path, int descriptor, long fromBytes, long sizeBytes)
      throws IOException {
    int error = fallocate(descriptor, fromBytes, sizeBytes - fromBytes);
    if (error == 0) {
      return;
    }
    // A reservation that failed midway may have made the file larger.
    int ignored = Libc.ftruncate(descriptor, fromBytes);
    throw new IOException(reservationRefused(path, sizeBytes, error));
  }

  /** Size of a file or block device. */
  static SystemResult<Long> size(int descriptor) {
    return switch (FileStatus.of(descriptor)) {
      case SystemResult.Refused<FileStatus>(int error) -> new SystemResult.Refused<>(error);
      case SystemResult.Done<FileStatus>(FileStatus status) ->
          status.blockDevice()
              ? control(descriptor, Libc.BLKGETSIZE64)
              : new SystemResult.Done<>(status.sizeBytes());
    };
  }

  private int openDescriptor() throws IOException {
    String name = path.toString();
    int flags = Libc.O_RDWR | Libc.O_CLOEXEC | (direct ? Libc.directFlag() : 0);
    SystemResult<FileStatus> before = FileStatus.of(name);
    int error = Errors.ENOENT;
    if (before instanceof SystemResult.Done<FileStatus>(FileStatus status)) {
      if (!status.regular() && !status.blockDevice()) {
        throw new IOException(
            "["
                + path
                + "] is neither a file nor a block device: name a file, which is made when"
                + " it does not exist, in a folder that does");
      }
      // O_EXCL without O_CREAT: a block device that is mounted or open that way is refused.
      int descriptor =
          Libc.open(name, flags | (status.blockDevice() ? Libc.O_EXCL : 0), OWNER_ALONE);
      error = descriptor >= 0 ? 0 : Native.getLastError();
      if (descriptor >= 0) {
        return descriptor;
      }
    }
    if (error == Errors.ENOENT) {
      int descriptor = Libc.open(name, flags | Libc.O_CREAT | Libc.O_EXCL, OWNER_ALONE);
      if (descriptor >= 0) {
        made = true;
        return descriptor;
      }
      error = Native.getLastError();
      if (error == Errors.EINVAL) {
        // The file is made before the flags are refused.
        int ignored = Libc.unlink(name);
      }
    }
    throw new IOException(openingRefused(error));
  }

  private DeviceFile prepare(int descriptor) throws IOException {
    if (Libc.flock(descriptor, Libc.LOCK_EX | Libc.LOCK_NB) != 0) {
      int error = Native.getLastError();
      throw new IOException(
          error == Errors.EAGAIN
              ? "[" + path + "] is in use by another Manager: stop that one, or name another path"
              : "[" + path + "] cannot be locked: " + Errors.describe(error));
    }
    FileStatus status = status(descriptor);
    checkStillNamed(status);
    if (direct) {
      checkDirect(descriptor, status);
    }
    int blockBytes = blockBytes(descriptor, status);
    int memoryAlignment = memoryAlignment(status, blockBytes);
    long size =
        status.blockDevice()
            ? deviceBytes(descriptor)
            : reservedBytes(descriptor, status, blockBytes);
    if (size < blockBytes) {
      throw new IOException(
          "["
              + path
              + "] would have ["
              + size
              + "] bytes, less than one block of ["
              + blockBytes
              + "]: make the capacity larger");
    }
    if (made) {
      makeNameDurable();
    }
    Geometry geometry = new Geometry(size - size % blockBytes, blockBytes, memoryAlignment, direct);
    return DeviceFile.opened(path, descriptor, status, geometry);
  }

  /** Without it a file whose content is durable may be gone after a power failure. */
  private void makeNameDurable() throws IOException {
    Path folder = path.toAbsolutePath().getParent();
    try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  /** Somebody may have replaced the file between the opening and the lock. */
  private void checkStillNamed(FileStatus open) throws IOException {
    boolean same =
        FileStatus.of(path.toString()) instanceof SystemResult.Done<FileStatus>(FileStatus named)
            && named.inode() == open.inode()
            && named.device() == open.device();
    if (!same) {
      made = false;
      throw new IOException("[" + path + "] was replaced while it was opened: start again");
    }
  }

  private void checkDirect(int descriptor, FileStatus status) throws IOException {
    boolean inMemory = false;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment buffer = arena.allocate(STATFS_BYTES, Long.BYTES);
      if (Libc.fstatfs(descriptor, buffer.address()) == 0 && !status.blockDevice()) {
        long type = buffer.get(ValueLayout.JAVA_LONG, 0) & 0xffffffffL;
        inMemory = type == TMPFS || type == RAMFS;
      }
    }
    if (inMemory) {
      throw new IOException("[" + path + "] lies on a file system in memory" + DIRECT_REMEDY);
    }
    if (status.alignmentKnown() && status.offsetAlignment() == 0) {
      throw new IOException(
          "the file system of [" + path + "] has no direct transfers (O_DIRECT)" + DIRECT_REMEDY);
    }
  }

  private int blockBytes(int descriptor, FileStatus status) throws IOException {
    long asked = 0;
    if (status.alignmentKnown()) {
      asked = status.offsetAlignment();
    } else if (status.blockDevice()
        && control(descriptor, Libc.BLKSSZGET) instanceof SystemResult.Done<Long>(Long sector)) {
      asked = sector;
    }
    if (asked > 0 && Long.bitCount(asked) != 1) {
      throw new IOException(
          "[" + path + "] asks for blocks of [" + asked + "] bytes, which is no power of two");
    }
    return (int) Math.max(asked, DeviceFile.MIN_BLOCK_BYTES);
  }

  private int memoryAlignment(FileStatus status, int blockBytes) {
    if (!direct) {
      return 1;
    }
    // Where nothing is told, a block is what every device takes.
    return status.alignmentKnown() ? Math.max(1, status.memoryAlignment()) : blockBytes;
  }

  private long reservedBytes(int descriptor, FileStatus status, int blockBytes) throws IOException {
    if (status.sizeBytes() == 0) {
      long wanted = sizeBytes - sizeBytes % blockBytes;
      if (wanted > 0) {
        reserve(path, descriptor, 0, wanted);
      }
      return wanted;
    }
    if (status.allocatedBytes() < status.sizeBytes()) {
      // Holes: a later write into one could find the file system full.
      int error = fallocate(descriptor, 0, status.sizeBytes());
      if (error != 0) {
        throw new IOException(reservationRefused(path, status.sizeBytes(), error));
      }
    }
    return status.sizeBytes();
  }

  private long deviceBytes(int descriptor) throws IOException {
    return switch (control(descriptor, Libc.BLKGETSIZE64)) {
      case SystemResult.Done<Long>(Long bytes) -> bytes;
      case SystemResult.Refused<Long>(int error) ->
          throw new IOException(
              "the size of [" + path + "] cannot be read: " + Errors.describe(error));
    };
  }

  private FileStatus status(int descriptor) throws IOException {
    return switch (FileStatus.of(descriptor)) {
      case SystemResult.Done<FileStatus>(FileStatus status) -> status;
      case SystemResult.Refused<FileStatus>(int error) ->
          throw new IOException("[" + path + "] cannot be looked at: " + Errors.describe(error));
    };
  }

  private String openingRefused(int error) {
    String remedy =
        switch (error) {
          case Errors.EINVAL -> DIRECT_REMEDY;
          case Errors.ENOENT, Errors.ENOTDIR -> "; its folder must exist";
          case Errors.EACCES, Errors.EPERM ->
              "; the Manager's user must be allowed to read and write it";
          case Errors.EROFS -> "; mount the file system for writing, or name another path";
          case Errors.EBUSY -> "; the device is mounted or in use: name another one";
          default -> "";
        };
    return "[" + path + "] cannot be opened: " + Errors.describe(error) + remedy;
  }

  private static String reservationRefused(Path path, long sizeBytes, int error) {
    String remedy =
        switch (error) {
          case Errors.ENOSPC, Errors.EDQUOT ->
              "; make the capacity smaller, or free space on the file system";
          case Errors.EOPNOTSUPP ->
              "; the file system cannot reserve space: use another one (ext4, xfs), or write the"
                  + " file full of zeros beforehand";
          default -> "";
        };
    return "no space of ["
        + sizeBytes
        + "] bytes for ["
        + path
        + "]: "
        + Errors.describe(error)
        + remedy;
  }

  /** Returns 0 or the error number. */
  private static int fallocate(int descriptor, long offset, long bytes) {
    int error = Errors.EINTR;
    while (error == Errors.EINTR) {
      error = Libc.fallocate(descriptor, 0, offset, bytes) == 0 ? 0 : Native.getLastError();
    }
    return error;
  }

  private static SystemResult<Long> control(int descriptor, long request) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment value = arena.allocate(ValueLayout.JAVA_LONG);
      if (Libc.ioctl(descriptor, request, value.address()) != 0) {
        return new SystemResult.Refused<>(Native.getLastError());
      }
      return new SystemResult.Done<>(value.get(ValueLayout.JAVA_LONG, 0));
    }
  }
}
