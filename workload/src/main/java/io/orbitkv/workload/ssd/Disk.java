package io.orbitkv.workload.ssd;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/** Finds out which device a file lies on: two partitions of a disk are no two disks. */
final class Disk {
  private static final Path BLOCK_DEVICES = Path.of("/sys/dev/block");
  private static final long MINOR_LOW = 0xff;
  private static final int MAJOR_SHIFT = 8;
  private static final long MAJOR_MASK = 0xfff;
  private static final int MINOR_HIGH_SHIFT = 12;
  private static final long MINOR_HIGH_MASK = ~0xffL;

  private Disk() {}

  /**
   * The whole disk's name, such as {@code nvme0n1}; of what is no block device (a network's file
   * system, one in memory, one that is laid over others) its number; of a volume of several disks
   * the volume.
   */
  static String under(Path file) throws IOException {
    Path path = file.toAbsolutePath();
    boolean there = Files.exists(path);
    boolean special = there && Files.readAttributes(path, BasicFileAttributes.class).isOther();
    Path folder = path.getParent();
    Path asked = there || folder == null ? path : folder;
    long device =
        ((Number) Files.getAttribute(asked, special ? "unix:rdev" : "unix:dev")).longValue();
    long major = (device >> MAJOR_SHIFT) & MAJOR_MASK;
    long minor = (device & MINOR_LOW) | ((device >> MINOR_HIGH_SHIFT) & MINOR_HIGH_MASK);
    String number = major + ":" + minor;
    Path entry = BLOCK_DEVICES.resolve(number);
    if (!Files.exists(entry)) {
      return number;
    }
    Path real = entry.toRealPath();
    Path whole = Files.exists(real.resolve("partition")) ? real.getParent() : real;
    Path name = whole == null ? null : whole.getFileName();
    return name == null ? number : name.toString();
  }
}
