package io.orbitkv.manager.plugin;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/*
 * A plugin's jars are opened from a folder of this process's own, never from the plugins directory:
 * overwriting a jar that is in use breaks its classes, and an install may be read-only. It is
 * expanded anew each time, since finding out whether an older copy is still whole reads as much.
 */

/**
 * Expands plugins into the work directory. Closing it removes what it expanded: unload the plugins
 * before.
 */
final class PluginStore implements AutoCloseable {
  /** With less room than this nothing can be expanded, whatever the system says is wrong. */
  private static final long LEAST_USABLE_BYTES = 64 << 10;

  private final Path directory;
  private final PluginLimits limits;
  private final WorkFolder own;

  /**
   * A plugin as installed.
   *
   * @param folder with its descriptor and its jars, never changed again until the store is closed
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
      WorkFolder.prune(this.directory);
      this.own = WorkFolder.claim(this.directory);
    } catch (IOException failed) {
      if (full(failed)) {
        throw new WorkDirectoryException(this.directory, failed);
      }
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
   * @throws WorkDirectoryException when there is no room for it
   */
  Expanded expand(Path source) {
    Path folder = null;
    boolean complete = false;
    try {
      folder = Files.createTempDirectory(own.path(), "plugin-");
      PluginSource opened =
          Files.isDirectory(source)
              ? new FolderSource(source, limits)
              : new ZipSource(source, limits);
      Expanded expanded = new Expanded(folder, opened.copyInto(folder));
      complete = true;
      return expanded;
    } catch (IOException | UncheckedIOException failed) {
      if (folder == null || full(failed)) {
        throw new WorkDirectoryException(directory, failed);
      }
      throw new RefusedException(
          "it cannot be read: " + RefusedException.describe(failed),
          "install it again from its source",
          failed);
    } finally {
      if (folder != null && !complete) {
        WorkFolder.delete(folder);
      }
    }
  }

  private boolean full(Exception failed) {
    if (failed instanceof UnwritableException) {
      return true;
    }
    try {
      return Files.getFileStore(directory).getUsableSpace() < LEAST_USABLE_BYTES;
    } catch (IOException unknown) {
      return false;
    }
  }

  /** Removes what was expanded. Idempotent. */
  @Override
  public void close() {
    own.close();
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
}
