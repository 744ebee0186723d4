package io.orbitkv.ssd.device;

import com.sun.jna.Native;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A regular file or block device, opened past the page cache, locked against every other opener of
 * this class, its space reserved. Owned by whoever opened it. Reads, writes and syncs: any thread;
 * {@link #grow} and {@link #close}: while nothing is under way.
 *
 * <p>The lock belongs to the descriptor that the transfers use, so it cannot be lost by closing
 * another one, and ends with the process however that ends.
 */
public final class DeviceFile implements BlockFile {
  /** Least block, whatever smaller unit the device allows. */
  public static final int MIN_BLOCK_BYTES = 4096;

  /** Attempts at the same bytes that move none before a transfer is given up. */
  private static final int MOST_FRUITLESS = 100;

  /** Most bytes of one call: what Linux moves at most, rounded down to any block. */
  private static final long CALL_BYTES = 1L << 30;

  private final Path path;
  private final int descriptor;
  private final FileStatus status;
  private volatile Geometry geometry;
  private boolean closed;

  private DeviceFile(Path path, int descriptor, FileStatus status, Geometry geometry) {
    this.path = path;
    this.descriptor = descriptor;
    this.status = status;
    this.geometry = geometry;
  }

  /**
   * Opens a file or block device. A file that does not exist is made, readable by its owner alone,
   * and an empty one gets its size; space for the whole size is reserved. A file that has content
   * keeps its size and content: see {@link #grow}.
   *
   * @param path of a file in an existing folder, or of a block device
   * @param sizeBytes of a file that is new or empty; rounded down to blocks
   * @param direct whether transfers must pass the page cache by; false where the file system cannot
   * @throws IOException with the path, what the system said and what to do; nothing stays open, and
   *     a file that was made is gone again
   */
  public static DeviceFile open(Path path, long sizeBytes, boolean direct) throws IOException {
    return new DeviceOpener(path, sizeBytes, direct).open();
  }

  static DeviceFile opened(Path path, int descriptor, FileStatus status, Geometry geometry) {
    return new DeviceFile(path, descriptor, status, geometry);
  }

  /** The path it was opened by. */
  public Path path() {
    return path;
  }

  /** Whether it is a block device rather than a file. */
  public boolean blockDevice() {
    return status.blockDevice();
  }

  @Override
  public Geometry geometry() {
    return geometry;
  }

  /**
   * Makes a file larger and reserves the space; a size that it has already changes nothing.
   *
   * @param sizeBytes rounded down to blocks
   * @throws IOException when the space is not there, or a block device is smaller; the size stays
   */
  public void grow(long sizeBytes) throws IOException {
    Geometry now = geometry;
    long wanted = sizeBytes - sizeBytes % now.blockBytes();
    if (wanted <= now.sizeBytes()) {
      return;
    }
    if (status.blockDevice()) {
      throw new IOException(
          "the device ["
              + path
              + "] has ["
              + now.sizeBytes()
              + "] bytes, not ["
              + wanted
              + "]: make the capacity smaller");
    }
    DeviceOpener.reserve(path, descriptor, now.sizeBytes(), wanted);
    geometry = new Geometry(wanted, now.blockBytes(), now.memoryAlignment(), now.direct());
  }

  /**
   * Looks whether the path still leads to what is open, and whether that has its size.
   *
   * @return what changed, in words; empty when nothing did
   */
  public Optional<String> change() {
    return switch (FileStatus.of(path.toString())) {
      case SystemResult.Refused<FileStatus>(int error) ->
          Optional.of("[" + path + "] cannot be looked at: " + Errors.describe(error));
      case SystemResult.Done<FileStatus>(FileStatus named) -> {
        if (!sameFile(named)) {
          yield Optional.of("[" + path + "] leads to another file now");
        }
        yield sizeChange();
      }
    };
  }

  @Override
  public void read(long offset, long address, long bytes) throws IOException {
    move(Lane.READ, offset, address, bytes);
  }

  @Override
  public void write(long offset, long address, long bytes) throws IOException {
    move(Lane.WRITE, offset, address, bytes);
  }

  @Override
  public void sync() throws IOException {
    int result = syncOnce();
    while (result == -Errors.EINTR) {
      result = syncOnce();
    }
    if (result < 0) {
      throw new IOException("sync of [" + path + "] failed: " + Errors.describe(-result));
    }
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      // A ring that had the file registered may hold it open for a while yet.
      unlock();
      // The number is free after the call whatever it returns, so it must not be repeated.
      int ignored = Libc.close(descriptor);
    }
  }

  private void unlock() {
    int ignored = Libc.flock(descriptor, Libc.LOCK_UN);
  }

  int descriptor() {
    return descriptor;
  }

  /** Single attempts at transfers, for the engines. */
  PositionalIo positional() {
    return new PositionalIo() {
      @Override
      public long transfer(Lane lane, long offset, long vectors, int count) {
        long moved =
            switch (lane) {
              case READ -> Libc.preadv(descriptor, vectors, count, offset);
              case WRITE -> Libc.pwritev(descriptor, vectors, count, offset);
            };
        return moved >= 0 ? moved : -Native.getLastError();
      }

      @Override
      public int sync() {
        return syncOnce();
      }
    };
  }

  private int syncOnce() {
    return Libc.fdatasync(descriptor) == 0 ? 0 : -Native.getLastError();
  }

  private void move(Lane lane, long offset, long address, long bytes) throws IOException {
    long done = 0;
    int fruitless = 0;
    while (done < bytes) {
      long piece = Math.min(bytes - done, CALL_BYTES);
      long result =
          switch (lane) {
            case READ -> Libc.pread(descriptor, address + done, piece, offset + done);
            case WRITE -> Libc.pwrite(descriptor, address + done, piece, offset + done);
          };
      int error = result < 0 ? Native.getLastError() : 0;
      // A device moves whole blocks; a rest below one is moved again.
      long blocks = result <= 0 ? 0 : result - result % geometry.blockBytes();
      done += blocks;
      fruitless = blocks > 0 ? 0 : fruitless + 1;
      if (result == 0 || fruitless > MOST_FRUITLESS) {
        throw failure(lane, offset, bytes, "it ended after [" + done + "] bytes");
      }
      if (error != 0 && error != Errors.EINTR && error != Errors.EAGAIN) {
        throw failure(lane, offset, bytes, Errors.describe(error));
      }
    }
  }

  private IOException failure(Lane lane, long offset, long bytes, String cause) {
    String verb =
        switch (lane) {
          case READ -> "read";
          case WRITE -> "write";
        };
    return new IOException(
        verb + " of [" + bytes + "] bytes at [" + offset + "] of [" + path + "] failed: " + cause);
  }

  private boolean sameFile(FileStatus named) {
    return status.blockDevice()
        ? named.blockDevice() && named.special() == status.special()
        : named.inode() == status.inode() && named.device() == status.device();
  }

  private Optional<String> sizeChange() {
    long expected = geometry.sizeBytes();
    SystemResult<Long> size = DeviceOpener.size(descriptor);
    return switch (size) {
      case SystemResult.Refused<Long>(int error) ->
          Optional.of("[" + path + "] cannot be looked at: " + Errors.describe(error));
      case SystemResult.Done<Long>(Long found) ->
          found < expected
              ? Optional.of("[" + path + "] has [" + found + "] bytes now, not [" + expected + "]")
              : Optional.empty();
    };
  }
}
