package io.orbitkv.wire;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * An open-file-description lock on a file of its own, which holds the owner's process id as text.
 * The system drops the lock when the process ends, however it ends. The file stays: removing it
 * would let two owners lock two files of one name.
 *
 * <p>Not a Java {@code FileLock}: that one is lost, and does not say so, when any other channel of
 * the file is closed.
 */
public final class SingleOwnerLock implements AutoCloseable {
  // struct flock on 64-bit Linux, x86-64 and aarch64: l_type(2) l_whence(2) pad(4) l_start(8)
  // l_len(8) l_pid(4) pad(4)
  private static final long FLOCK_BYTES = 32;
  private static final long FLOCK_TYPE = 0;
  private static final short F_WRLCK = 1;

  private static final int OWNER_ONLY = 0600;
  private static final int MAX_PID_DIGITS = 20;

  private final int descriptor;
  private boolean closed;

  private SingleOwnerLock(int descriptor) {
    this.descriptor = descriptor;
  }

  /**
   * Takes the lock at once or not at all. The file is made when it is missing; its folder must be
   * there.
   *
   * @throws AlreadyOwnedException when another owner has it, in this process or another
   * @throws IOException when the file cannot be made, opened or locked
   */
  public static SingleOwnerLock acquire(Path file) throws IOException {
    if (Files.isSymbolicLink(file)) {
      throw new IOException(
          "lock file [" + file + "] is a symbolic link, and what it names would be overwritten");
    }
    int descriptor =
        LibC.openFile(
            file.toAbsolutePath().toString(),
            LibC.O_RDWR | LibC.O_CREAT | LibC.O_NONBLOCK,
            OWNER_ONLY);
    try {
      if (!lock(descriptor)) {
        throw new AlreadyOwnedException(file, owner(file));
      }
      // Through the descriptor that holds the lock, not through the name, which might be another
      // file by now.
      Files.writeString(
          Path.of("/proc/self/fd/" + descriptor),
          ProcessHandle.current().pid() + "\n",
          StandardOpenOption.WRITE,
          StandardOpenOption.TRUNCATE_EXISTING);
      return new SingleOwnerLock(descriptor);
    } catch (IOException | RuntimeException refused) {
      LibC.closeDescriptor(descriptor);
      throw refused;
    }
  }

  private static boolean lock(int descriptor) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      // Zero: whence SEEK_SET, start 0, length 0 for the whole file, and pid 0 as this kind of lock
      // demands.
      MemorySegment flock = arena.allocate(FLOCK_BYTES, Long.BYTES);
      flock.set(ValueLayout.JAVA_SHORT, FLOCK_TYPE, F_WRLCK);
      return LibC.lock(descriptor, flock.address());
    }
  }

  private static long owner(Path file) {
    try (var in = Files.newInputStream(file)) {
      String text = new String(in.readNBytes(MAX_PID_DIGITS), StandardCharsets.US_ASCII).strip();
      return text.isEmpty() ? -1 : Long.parseLong(text);
    } catch (IOException | NumberFormatException unreadable) {
      // Only the message gets poorer.
      return -1;
    }
  }

  /** Gives the lock back. Idempotent. */
  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      LibC.closeDescriptor(descriptor);
    }
  }
}
