package io.orbitkv.manager.boot;

import io.orbitkv.manager.environment.ManagerException;
import io.orbitkv.wire.AlreadyOwnedException;
import io.orbitkv.wire.SingleOwnerLock;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The right to a socket's path: a lock beside it that only one living Manager can hold. Whoever
 * holds it may remove a socket file that a dead Manager left.
 */
final class SocketClaim implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(SocketClaim.class);

  /** What the system's address of a Unix socket holds, without its final zero. */
  static final int MOST_PATH_BYTES = 107;

  private static final String LOCK_SUFFIX = ".lock";
  private static final int TYPE_MASK = 0170000;
  private static final int TYPE_FOLDER = 0040000;
  private static final int ROOT = 0;
  private static final int GROUP_OR_OTHERS_WRITE = 0022;
  private static final int OTHERS_WRITE = 0002;
  private static final int STICKY = 01000;
  private static final int TYPE_SOCKET = 0140000;

  private final Path path;
  private final SingleOwnerLock lock;

  private SocketClaim(Path path, SingleOwnerLock lock) {
    this.path = path;
    this.lock = lock;
  }

  /**
   * Claims a path: makes its folder when missing, takes the lock, removes what a dead Manager left.
   *
   * @throws ManagerException saying what is in the way: with exit status 1 when another Manager
   *     serves there, otherwise 2
   */
  static SocketClaim of(Path socket) throws ManagerException {
    return of(socket, false);
  }

  /**
   * The same.
   *
   * @param chosenHere nobody named the path: its folder, whose name others can guess, must be this
   *     user's alone
   */
  static SocketClaim of(Path socket, boolean chosenHere) throws ManagerException {
    Path path = socket.toAbsolutePath().normalize();
    int bytes = path.toString().getBytes(StandardCharsets.UTF_8).length;
    if (bytes > MOST_PATH_BYTES) {
      throw ManagerException.usage(
          "socket path ["
              + path
              + "] has ["
              + bytes
              + "] bytes, the system takes at most "
              + MOST_PATH_BYTES
              + ": choose a shorter one (`socket`)");
    }
    checkOwner(makeFolder(path), chosenHere);
    SingleOwnerLock lock = lock(path);
    try {
      removeStale(path);
      return new SocketClaim(path, lock);
    } catch (ManagerException | RuntimeException refused) {
      lock.close();
      throw refused;
    }
  }

  Path path() {
    return path;
  }

  /**
   * Gives the path free. The lock's file stays: removing it would let two Managers lock two files
   * of one name.
   */
  @Override
  public void close() {
    lock.close();
  }

  private static Path makeFolder(Path path) throws ManagerException {
    Path folder = path.getParent();
    if (folder == null) {
      throw ManagerException.usage("socket path [" + path + "] names no file (`socket`)");
    }
    try {
      if (!Files.isDirectory(folder)) {
        Files.createDirectories(
            folder,
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
      }
    } catch (FileAlreadyExistsException inTheWay) {
      throw ManagerException.usage(
          "folder of the socket [" + folder + "] is a file: choose another path (`socket`)",
          inTheWay);
    } catch (IOException refused) {
      throw ManagerException.usage(
          "folder of the socket ["
              + folder
              + "] cannot be made ("
              + reason(refused)
              + "): make it or choose another path (`socket`)",
          refused);
    }
    if (!Files.isWritable(folder)) {
      throw ManagerException.usage(
          "folder of the socket [" + folder + "] is not writable: choose another path (`socket`)");
    }
    return folder;
  }

  /**
   * Whoever may replace files in the folder may put a socket of his own in the Manager's place: it
   * belongs to this user or to root, and is not open to everybody unless, like a temporary folder,
   * it keeps others from removing what is not theirs.
   *
   * @param chosenHere nobody vouches for the folder, so that it must be this user's alone
   */
  private static void checkOwner(Path folder, boolean chosenHere) throws ManagerException {
    int owner;
    int self;
    int mode;
    try {
      // A link is followed only where somebody named it.
      LinkOption[] links =
          chosenHere ? new LinkOption[] {LinkOption.NOFOLLOW_LINKS} : new LinkOption[0];
      owner = (Integer) Files.getAttribute(folder, "unix:uid", links);
      mode = (Integer) Files.getAttribute(folder, "unix:mode", links);
      self = (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
    } catch (IOException refused) {
      throw ManagerException.usage(
          "folder of the socket ["
              + folder
              + "] cannot be looked at ("
              + reason(refused)
              + "): choose another path (`socket`)",
          refused);
    }
    if (chosenHere
        && ((mode & TYPE_MASK) != TYPE_FOLDER
            || (mode & GROUP_OR_OTHERS_WRITE) != 0
            || owner != self)) {
      throw ManagerException.usage(
          "folder of the socket ["
              + folder
              + "] is not this user's alone: remove it, or make it yours with `chmod 700`, or"
              + " choose another path (`socket`)");
    }
    if (owner != self && owner != ROOT) {
      throw ManagerException.usage(
          "folder of the socket ["
              + folder
              + "] belongs to user id ["
              + owner
              + "], who could put another socket there: choose another path (`socket`)");
    }
    if ((mode & OTHERS_WRITE) != 0 && (mode & STICKY) == 0) {
      throw ManagerException.usage(
          "folder of the socket ["
              + folder
              + "] can be changed by everybody: take the right away (chmod o-w) or choose another"
              + " path (`socket`)");
    }
  }

  private static SingleOwnerLock lock(Path path) throws ManagerException {
    Path file = path.resolveSibling(path.getFileName() + LOCK_SUFFIX);
    try {
      return SingleOwnerLock.acquire(file);
    } catch (AlreadyOwnedException owned) {
      throw ManagerException.runtime(
          "another Manager"
              + (owned.ownerPid() > 0 ? " (process [" + owned.ownerPid() + "])" : "")
              + " serves socket ["
              + path
              + "]: stop it or choose another path (`socket`)",
          owned);
    } catch (IOException refused) {
      throw ManagerException.usage(
          "lock file ["
              + file
              + "] cannot be locked ("
              + reason(refused)
              + "): choose another path (`socket`)",
          refused);
    }
  }

  private static void removeStale(Path path) throws ManagerException {
    try {
      int mode = (Integer) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS);
      if ((mode & TYPE_MASK) != TYPE_SOCKET) {
        throw ManagerException.usage(
            "["
                + path
                + "] is there and is no socket: move it away or choose another path (`socket`)");
      }
      Files.delete(path);
      log.info("a socket that a Manager left at [{}] is replaced", path);
    } catch (NoSuchFileException free) {
      log.debug("nothing is in the way of [{}]", path);
    } catch (IOException refused) {
      throw ManagerException.usage(
          "the old socket [" + path + "] cannot be removed (" + reason(refused) + ")", refused);
    }
  }

  private static String reason(IOException refused) {
    String message = refused.getMessage();
    String kind = refused.getClass().getSimpleName().replace("Exception", "");
    return message == null ? kind : kind + ": " + message;
  }
}
