package io.orbitkv.ssd.device;

import com.sun.jna.Native;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * What {@code statx} tells of a file.
 *
 * @param mode type and permissions
 * @param inode number within the file system
 * @param device the file system
 * @param special the device that a device file stands for
 * @param sizeBytes of a regular file
 * @param allocatedBytes that the file has on the device
 * @param alignmentKnown whether the next two were told
 * @param memoryAlignment for direct transfers, 0 where there are none
 * @param offsetAlignment for direct transfers, 0 where there are none
 */
record FileStatus(
    int mode,
    long inode,
    long device,
    long special,
    long sizeBytes,
    long allocatedBytes,
    boolean alignmentKnown,
    int memoryAlignment,
    int offsetAlignment) {
  private static final int BUFFER_BYTES = 256;
  private static final int BASIC = 0x7ff;
  private static final int DIRECT_ALIGNMENT = 0x2000;
  private static final int TYPE = 0xf000;
  private static final int REGULAR = 0x8000;
  private static final int BLOCK_DEVICE = 0x6000;
  private static final int ALLOCATION_UNIT_BYTES = 512;

  // Offsets in struct statx.
  private static final int MASK = 0;
  private static final int MODE = 28;
  private static final int INODE = 32;
  private static final int SIZE = 40;
  private static final int BLOCKS = 48;
  private static final int SPECIAL = 128;
  private static final int DEVICE = 136;
  private static final int MEMORY_ALIGNMENT = 152;
  private static final int OFFSET_ALIGNMENT = 156;

  /** The file behind a descriptor. */
  static SystemResult<FileStatus> of(int descriptor) {
    return call(descriptor, "", Libc.AT_EMPTY_PATH);
  }

  /** The file that a path leads to, behind symbolic links. */
  static SystemResult<FileStatus> of(String path) {
    return call(Libc.AT_FDCWD, path, 0);
  }

  boolean regular() {
    return (mode & TYPE) == REGULAR;
  }

  boolean blockDevice() {
    return (mode & TYPE) == BLOCK_DEVICE;
  }

  private static SystemResult<FileStatus> call(int directory, String path, int flags) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment buffer = arena.allocate(BUFFER_BYTES, Long.BYTES);
      int mask = BASIC | DIRECT_ALIGNMENT;
      if (Libc.statx(directory, path, flags, mask, buffer.address()) != 0) {
        return new SystemResult.Refused<>(Native.getLastError());
      }
      return new SystemResult.Done<>(
          new FileStatus(
              Short.toUnsignedInt(buffer.get(ValueLayout.JAVA_SHORT, MODE)),
              buffer.get(ValueLayout.JAVA_LONG, INODE),
              buffer.get(ValueLayout.JAVA_LONG, DEVICE),
              buffer.get(ValueLayout.JAVA_LONG, SPECIAL),
              buffer.get(ValueLayout.JAVA_LONG, SIZE),
              buffer.get(ValueLayout.JAVA_LONG, BLOCKS) * ALLOCATION_UNIT_BYTES,
              (buffer.get(ValueLayout.JAVA_INT, MASK) & DIRECT_ALIGNMENT) != 0,
              buffer.get(ValueLayout.JAVA_INT, MEMORY_ALIGNMENT),
              buffer.get(ValueLayout.JAVA_INT, OFFSET_ALIGNMENT)));
    }
  }
}
