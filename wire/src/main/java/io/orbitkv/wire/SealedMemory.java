package io.orbitkv.wire;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A memfd with a mapping. The seals are what makes the mapping safe: access to a file that somebody
 * truncates ends the process. So a foreign file is opened first, then proven to be a memfd of the
 * right size with its seals, and only then mapped, through the very descriptor that was checked.
 */
final class SealedMemory implements AutoCloseable {
  static final int SEAL_SEAL = 1;
  static final int SEAL_SHRINK = 2;
  static final int SEAL_GROW = 4;
  static final int SEAL_WRITE = 8;
  static final int SEAL_FUTURE_WRITE = 16;

  private final int descriptor;
  private final Arena arena;
  private final MemorySegment segment;
  private boolean closed;

  private SealedMemory(int descriptor, Arena arena, MemorySegment segment) {
    this.descriptor = descriptor;
    this.arena = arena;
    this.segment = segment;
  }

  /** A new file, mapped for reading and writing and then sealed. */
  static SealedMemory create(String name, long bytes, int seals) throws IOException {
    int descriptor = LibC.createMemoryFile(name);
    try {
      LibC.truncate(descriptor, bytes);
      // Mapped before sealing: FUTURE_WRITE spares the mappings that are there.
      SealedMemory memory = map(descriptor, bytes, MapMode.READ_WRITE);
      try {
        LibC.addSeals(descriptor, seals);
      } catch (IOException refused) {
        memory.arena.close();
        throw refused;
      }
      return memory;
    } catch (IOException | RuntimeException refused) {
      LibC.closeDescriptor(descriptor);
      throw refused;
    }
  }

  /**
   * Another process's file.
   *
   * @param seals that it must have; it may have more
   * @throws IOException saying why it cannot be used and what to do
   */
  static SealedMemory open(long pid, int foreign, long bytes, int seals, MapMode mode)
      throws IOException {
    Path path = Path.of("/proc/" + pid + "/fd/" + foreign);
    String link;
    try {
      // Looked at before it is opened: opening a device or a pipe may do things.
      link = Files.readSymbolicLink(path).toString();
    } catch (IOException absent) {
      throw new IOException(
          "descriptor ["
              + foreign
              + "] of process ["
              + pid
              + "] cannot be seen ("
              + path
              + "): run both sides in one process namespace (docker: --pid) as the same user",
          absent);
    }
    if (!link.startsWith("/memfd:")) {
      throw new IOException(
          path + " is [" + link + "], not a memfd: make the memory with memfd_create");
    }
    int flags = mode.equals(MapMode.READ_WRITE) ? LibC.O_RDWR : LibC.O_RDONLY;
    int descriptor;
    try {
      descriptor = LibC.openFile(path.toString(), flags | LibC.O_NONBLOCK, 0);
    } catch (IOException refused) {
      throw new IOException(refused.getMessage() + ": run both sides as the same user", refused);
    }
    try {
      int has = LibC.seals(descriptor);
      if (has < 0) {
        throw new IOException(
            path + " cannot have seals: make the memory with memfd_create and MFD_ALLOW_SEALING");
      }
      if ((has & seals) != seals) {
        throw new IOException(
            path
                + " has the seals ["
                + names(has)
                + "] and needs ["
                + names(seals)
                + "]: add them with fcntl F_ADD_SEALS");
      }
      return map(descriptor, bytes, mode);
    } catch (IOException | RuntimeException refused) {
      LibC.closeDescriptor(descriptor);
      throw refused;
    }
  }

  /** Size is checked here, after the seals, so that it is final. */
  // The arena lives as long as the object that is returned.
  @SuppressWarnings("MustBeClosedChecker")
  private static SealedMemory map(int descriptor, long bytes, MapMode mode) throws IOException {
    Path path = Path.of("/proc/self/fd/" + descriptor);
    Arena arena = Arena.ofShared();
    try (FileChannel channel =
        mode.equals(MapMode.READ_WRITE)
            ? FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)
            : FileChannel.open(path, StandardOpenOption.READ)) {
      if (channel.size() != bytes) {
        throw new IOException(
            "the memory has ["
                + channel.size()
                + "] bytes and should have ["
                + bytes
                + "]: name its whole size");
      }
      return new SealedMemory(descriptor, arena, channel.map(mode, 0, bytes, arena));
    } catch (IOException | RuntimeException refused) {
      arena.close();
      throw refused;
    }
  }

  MemorySegment segment() {
    return segment;
  }

  int descriptor() {
    return descriptor;
  }

  /**
   * Unmaps and closes. Access by another thread afterwards throws IllegalStateException.
   * Idempotent.
   */
  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      arena.close();
      LibC.closeDescriptor(descriptor);
    }
  }

  /** Names of seals for people. */
  static String names(int seals) {
    StringBuilder names = new StringBuilder();
    append(names, seals, SEAL_SEAL, "SEAL");
    append(names, seals, SEAL_SHRINK, "SHRINK");
    append(names, seals, SEAL_GROW, "GROW");
    append(names, seals, SEAL_WRITE, "WRITE");
    append(names, seals, SEAL_FUTURE_WRITE, "FUTURE_WRITE");
    return names.isEmpty() ? "none" : names.toString();
  }

  private static void append(StringBuilder names, int seals, int seal, String name) {
    if ((seals & seal) != 0) {
      names.append(names.isEmpty() ? "" : "|").append(name);
    }
  }
}
