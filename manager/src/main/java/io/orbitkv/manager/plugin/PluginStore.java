package io.orbitkv.manager.plugin;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/*
 * A plugin's jars are opened from a folder named by the digest of what was installed, never from the
 * plugins directory: overwriting a jar that is in use breaks its classes, and an install may be
 * read-only. A folder is complete before it gets its name (one rename), is never changed
 * afterwards, and is held against the archive whenever it is found again.
 */

/** Expands plugins into the work directory. */
final class PluginStore {
  private final Path directory;
  private final PluginLimits limits;

  /**
   * A plugin as installed.
   *
   * @param folder with its descriptor and its jars, never changed again
   * @param digest SHA-256 in hexadecimal digits
   */
  record Expanded(Path folder, String digest) {}

  /**
   * @throws IllegalStateException when the directory cannot be made or is not this user's alone
   */
  PluginStore(Path directory, PluginLimits limits) {
    this.directory = directory.toAbsolutePath();
    this.limits = limits;
    try {
      Files.createDirectories(
          this.directory,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
      checkOwner();
    } catch (IOException failed) {
      throw new IllegalStateException(
          "plugins cannot be expanded into ["
              + this.directory
              + "]: "
              + RefusedException.describe(failed)
              + "; set plugins.work-directory to a folder that this user can write",
          failed);
    }
  }

  private void checkOwner() throws IOException {
    Object owner = Files.getAttribute(directory, "unix:uid");
    Object self = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
    Set<PosixFilePermission> others =
        EnumSet.of(PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_WRITE);
    others.retainAll(Files.getPosixFilePermissions(directory));
    if (!owner.equals(self) || !others.isEmpty()) {
      throw new IllegalStateException(
          "plugins are not expanded into ["
              + directory
              + "]: others than user ["
              + self
              + "] can change it; set plugins.work-directory to a private folder");
    }
  }

  /**
   * Expands a zip or copies a folder.
   *
   * @throws RefusedException when it is corrupt, breaks a limit or leads outside
   */
  Expanded expand(Path source) {
    Path staging = null;
    try {
      staging = Files.createTempDirectory(directory, ".staging-");
      PluginSource opened =
          Files.isDirectory(source)
              ? new FolderSource(source, limits)
              : new ZipSource(source, limits);
      String digest = opened.copyInto(staging);
      return new Expanded(settle(staging, digest), digest);
    } catch (IOException | UncheckedIOException failed) {
      throw new RefusedException(
          "it cannot be read: " + RefusedException.describe(failed),
          "install it again from its source",
          failed);
    } finally {
      if (staging != null) {
        delete(staging);
      }
    }
  }

  /** Gives a complete folder its final name, unless the same content has it already. */
  private Path settle(Path staging, String digest) throws IOException {
    Path settled = directory.resolve(digest);
    if (Files.exists(settled, LinkOption.NOFOLLOW_LINKS) && !same(staging, settled)) {
      // Torn by a crash of the host, or changed by hand: aside with it, whoever has it open keeps
      // it.
      Files.move(
          settled,
          Files.createTempDirectory(directory, ".damaged-").resolve("plugin"),
          StandardCopyOption.ATOMIC_MOVE);
    }
    if (!Files.exists(settled, LinkOption.NOFOLLOW_LINKS)) {
      try {
        Files.move(staging, settled, StandardCopyOption.ATOMIC_MOVE);
      } catch (FileAlreadyExistsException | java.nio.file.DirectoryNotEmptyException race) {
        if (!same(staging, settled)) {
          throw race;
        }
      }
    }
    return settled;
  }

  private static boolean same(Path left, Path right) throws IOException {
    List<String> names = files(left);
    if (!Files.isDirectory(right, LinkOption.NOFOLLOW_LINKS) || !names.equals(files(right))) {
      return false;
    }
    for (String name : names) {
      if (Files.mismatch(left.resolve(name), right.resolve(name)) >= 0) {
        return false;
      }
    }
    return true;
  }

  /** Paths of all files below a folder, sorted, with slashes. */
  static List<String> files(Path folder) throws IOException {
    try (Stream<Path> walk = Files.walk(folder)) {
      return walk.filter(path -> !Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS))
          .map(path -> folder.relativize(path).toString())
          .sorted()
          .toList();
    }
  }

  private static void delete(Path folder) {
    if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    try (Stream<Path> walk = Files.walk(folder)) {
      for (Path path : walk.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    } catch (IOException | UncheckedIOException leftBehind) {
      // Only space is lost; the name says that nothing uses it.
      System.getLogger(PluginStore.class.getName())
          .log(System.Logger.Level.DEBUG, "cannot remove [" + folder + "]", leftBehind);
    }
  }
}
