package io.orbitkv.manager.doctor;

import io.orbitkv.api.plugin.Finding;
import io.orbitkv.api.settings.ByteSize;
import io.orbitkv.manager.config.HostFacts;
import io.orbitkv.manager.config.ManagerConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Whether a Manager with a configuration fits the machine. */
final class ConfiguredChecks {
  private ConfiguredChecks() {}

  /** A configuration that does not fit is refused before; this says how the sum stands. */
  static Finding memory(ManagerConfig config, HostFacts facts) {
    return Finding.good(
        "memory",
        "pool "
            + new ByteSize(config.poolBytes())
            + " + heap "
            + new ByteSize(facts.heapBytes())
            + " + native overhead "
            + new ByteSize(facts.nativeOverheadBytes())
            + " of the limit of "
            + new ByteSize(facts.memoryLimitBytes()));
  }

  static Finding socketFolder(Path socket) {
    Path folder = socket.getParent();
    if (folder == null) {
      return Finding.bad(
          "socket folder", "[" + socket + "] lies in none", "name a path with a folder (`socket`)");
    }
    Path there = existing(folder);
    if (there == null || !Files.isDirectory(there) || !Files.isWritable(there)) {
      return Finding.bad(
          "socket folder",
          "[" + folder + "] cannot be " + (folder.equals(there) ? "written" : "made"),
          "choose a folder of yours (`socket`, --socket), or change who may write ["
              + (there == null ? folder : there)
              + "]");
    }
    try {
      Set<PosixFilePermission> others =
          there.equals(folder) ? Files.getPosixFilePermissions(folder) : Set.of();
      if (others.contains(PosixFilePermission.OTHERS_WRITE)
          || others.contains(PosixFilePermission.GROUP_WRITE)) {
        return Finding.note(
            "socket folder",
            "[" + folder + "] can be written by others",
            "chmod 700 [" + folder + "], or name a private folder (`socket`)");
      }
    } catch (IOException | UnsupportedOperationException unknown) {
      return Finding.note(
          "socket folder",
          "[" + folder + "] does not tell its permissions",
          "use a folder on a local file system");
    }
    return Finding.good("socket folder", "[" + folder + "]");
  }

  /** Whether the page cache can be passed by where a store is to lie. */
  static Finding direct(Machine machine, Path store) {
    String check = "direct I/O at [" + store + "]";
    if (isDevice(store)) {
      return Files.isReadable(store) && Files.isWritable(store)
          ? Finding.good(check, "a device that can be read and written")
          : Finding.bad(
              check,
              "a device that this user may not read and write",
              "add the user to the device's group, or run as root");
    }
    Path folder = store.getParent();
    if (folder == null || !Files.isDirectory(folder)) {
      return Finding.bad(
          check, "there is no folder [" + folder + "]", "make it, or name another path");
    }
    if (Files.isDirectory(store)) {
      return Finding.bad(check, "a folder stands there", "name a file in it");
    }
    try {
      return Finding.good(check, "blocks of " + machine.directBlockBytes(folder) + " bytes");
    } catch (IOException refused) {
      return Finding.bad(
          check,
          "a direct write fails: " + refused.getMessage(),
          "use a file system that has O_DIRECT (ext4, xfs, a block device), and one that is not"
              + " full or read-only");
    }
  }

  /** The same of a store for each of two cells. */
  static Finding divided(Machine machine, Path store) {
    return isDevice(store)
        ? Finding.bad(
            "store at [" + store + "]",
            "a device, which cannot be divided into cells",
            "name files (`ssd.paths`), or take isolation: partition out of ab.assign")
        : direct(machine, store.resolveSibling(store.getFileName() + ".cell-1"));
  }

  private static boolean isDevice(Path path) {
    return Files.exists(path) && !Files.isRegularFile(path) && !Files.isDirectory(path);
  }

  private static @Nullable Path existing(Path folder) {
    Path path = folder.toAbsolutePath();
    while (path != null && !Files.exists(path)) {
      path = path.getParent();
    }
    return path;
  }
}
