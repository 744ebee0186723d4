package io.orbitkv.manager.plugin;

import io.orbitkv.wire.AlreadyOwnedException;
import io.orbitkv.wire.SingleOwnerLock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/*
 * A folder of one process, beside a lock that the system drops when the process ends, however that
 * ends. The lock is there before the folder and goes after it, so that a folder whose lock can be
 * had is nobody's. A lock's file is removed by its holder alone; who locked a file that was removed
 * in between notices that it has no name any more, and takes another.
 */

/** A place of this process's own in the work directory. */
final class WorkFolder implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(WorkFolder.class.getName());
  private static final String PREFIX = "run-";
  private static final String LOCK_SUFFIX = ".lock";
  private static final int ATTEMPTS = 16;

  private final Path folder;
  private final Path lockFile;
  private final SingleOwnerLock lock;

  private WorkFolder(Path folder, Path lockFile, SingleOwnerLock lock) {
    this.folder = folder;
    this.lockFile = lockFile;
    this.lock = lock;
  }

  /** Makes one. */
  static WorkFolder claim(Path directory) throws IOException {
    SplittableRandom random = new SplittableRandom();
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      Path folder =
          directory.resolve(
              PREFIX
                  + ProcessHandle.current().pid()
                  + "-"
                  + HexFormat.of().toHexDigits(random.nextInt()));
      Path lockFile = lockOf(folder);
      SingleOwnerLock lock;
      try {
        lock = SingleOwnerLock.acquire(lockFile);
      } catch (AlreadyOwnedException looking) {
        continue;
      }
      try {
        Files.createDirectory(folder);
        if (Files.exists(lockFile)) {
          return new WorkFolder(folder, lockFile, lock);
        }
        Files.delete(folder);
        lock.close();
      } catch (IOException | RuntimeException failed) {
        Files.deleteIfExists(lockFile);
        lock.close();
        throw failed;
      }
    }
    throw new IOException("no folder of this process's own could be made in [" + directory + "]");
  }

  /** Removes the folders of processes that have ended. What cannot be removed is left. */
  static void prune(Path directory) {
    List<Path> locks;
    try (Stream<Path> all = Files.list(directory)) {
      locks =
          all.filter(
                  path -> {
                    String name = path.getFileName().toString();
                    return name.startsWith(PREFIX) && name.endsWith(LOCK_SUFFIX);
                  })
              .toList();
    } catch (IOException | UncheckedIOException unlisted) {
      LOG.log(System.Logger.Level.DEBUG, "[" + directory + "] cannot be listed", unlisted);
      return;
    }
    for (Path lockFile : locks) {
      try (SingleOwnerLock _ = SingleOwnerLock.acquire(lockFile)) {
        String name = lockFile.getFileName().toString();
        delete(lockFile.resolveSibling(name.substring(0, name.length() - LOCK_SUFFIX.length())));
        Files.deleteIfExists(lockFile);
      } catch (AlreadyOwnedException running) {
        LOG.log(System.Logger.Level.DEBUG, "[{0}] is in use", lockFile);
      } catch (IOException left) {
        LOG.log(System.Logger.Level.DEBUG, "[" + lockFile + "] is left", left);
      }
    }
  }

  Path path() {
    return folder;
  }

  /** Removes it and all that is in it. Idempotent. */
  @Override
  public void close() {
    delete(folder);
    try {
      Files.deleteIfExists(lockFile);
    } catch (IOException left) {
      LOG.log(System.Logger.Level.DEBUG, "[" + lockFile + "] is left", left);
    }
    lock.close();
  }

  /** Removes a folder with everything in it, as far as that goes. */
  static void delete(Path folder) {
    if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    try (Stream<Path> walk = Files.walk(folder)) {
      for (Path path : walk.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    } catch (IOException | UncheckedIOException leftBehind) {
      // Only space is lost; the next start tries again.
      LOG.log(System.Logger.Level.DEBUG, "cannot remove [" + folder + "]", leftBehind);
    }
  }

  private static Path lockOf(Path folder) {
    return folder.resolveSibling(folder.getFileName() + LOCK_SUFFIX);
  }
}
