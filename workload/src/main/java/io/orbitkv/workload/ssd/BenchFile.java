package io.orbitkv.workload.ssd;

import io.orbitkv.workload.report.Quantity;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** The file that is measured: checked, emptied between subjects, and removed at the end. */
final class BenchFile implements AutoCloseable {
  /** What both superblocks of a store lie in. */
  private static final int HEAD_BYTES = 1 << 20;

  /** Left free on the file system. */
  private static final long RESERVE_BYTES = 64L << 20;

  private final Path path;
  private final boolean remove;

  private BenchFile(Path path, boolean remove) {
    this.path = path;
    this.remove = remove;
  }

  /** The same for a file that is alone. */
  static BenchFile of(Path file, long bytes, boolean overwrite, boolean keep) throws IOException {
    return of(file, bytes, 0, overwrite, keep);
  }

  /**
   * Checks that the file can be made, or may be overwritten. The tier makes it.
   *
   * @param bytes that it will have
   * @param besideBytes that others will need on its file system
   * @param overwrite whether what is in it may be lost
   * @param keep whether it stays; one that was there before always does
   * @throws IllegalArgumentException saying why it cannot be used and what to do
   */
  static BenchFile of(Path file, long bytes, long besideBytes, boolean overwrite, boolean keep)
      throws IOException {
    Path path = file.toAbsolutePath();
    Path folder = path.getParent();
    if (folder == null || !Files.isDirectory(folder)) {
      throw new IllegalArgumentException(
          "--file [" + path + "]: its folder does not exist: make it, or name another file");
    }
    boolean there = Files.exists(path, LinkOption.NOFOLLOW_LINKS);
    boolean regular = there && Files.isRegularFile(path);
    if (there && Files.isDirectory(path)) {
      throw new IllegalArgumentException("--file [" + path + "] is a folder: name a file in it");
    }
    if (there && !(regular && Files.size(path) == 0) && !overwrite) {
      throw new IllegalArgumentException(
          "--file ["
              + path
              + "] exists, and everything in it would be lost: name a file that does not exist, or"
              + " add --overwrite");
    }
    if (!there || regular) {
      long free = Files.getFileStore(folder).getUsableSpace() + (there ? Files.size(path) : 0);
      if (free - besideBytes < bytes + RESERVE_BYTES) {
        throw new IllegalArgumentException(
            "--size ["
                + bytes
                + "]: the file system of ["
                + folder
                + "] has "
                + Quantity.bytes(Math.max(0, free - besideBytes))
                + " free: make it smaller, or name a file elsewhere");
      }
    }
    return new BenchFile(path, !there && !keep);
  }

  /** Makes the file look as if no store had ever been in it. No tier may be open. */
  void forgetStore() throws IOException {
    if (!Files.exists(path)) {
      return;
    }
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
      ByteBuffer zeros = ByteBuffer.allocate(HEAD_BYTES);
      while (zeros.hasRemaining()) {
        int _ = channel.write(zeros, zeros.position());
      }
      channel.force(true);
    }
  }

  /** Removes the file, unless it is to stay. */
  @Override
  public void close() throws IOException {
    if (remove) {
      Files.deleteIfExists(path);
    }
  }
}
