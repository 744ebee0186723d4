package io.orbitkv.ssd.store;

import io.orbitkv.ssd.device.BlockFile;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Decides by the superblocks what a file is, and makes a store of an empty one. */
final class Opening {
  /** Even, so that the first superblock of an empty file goes to its start. */
  private static final int FIRST_SEQUENCE = 2;

  private static final String FORMAT = "plugin-settings.ssd-iouring.format: true";

  private final BlockFile file;
  private final StoreSettings settings;
  private final RandomGenerator random;
  private final MemorySegment window;
  private final int deviceBlockBytes;
  private boolean formatted;
  private boolean doubtful;

  /**
   * @param window memory to read into and write from, aligned
   */
  Opening(BlockFile file, StoreSettings settings, RandomGenerator random, MemorySegment window) {
    this.file = file;
    this.settings = settings;
    this.random = random;
    this.window = window;
    this.deviceBlockBytes = file.geometry().blockBytes();
  }

  /** The superblock of the store in the file, made now if it is empty or may be overwritten. */
  Superblock superblock() throws IOException {
    Superblock newest = null;
    String problem = "";
    boolean isEmpty = true;
    boolean isOtherVersion = false;
    IOException unreadable = null;
    for (int slot = 0; slot < 2; slot++) {
      long offset = slot * Layout.SUPERBLOCK_DISTANCE_BYTES;
      if (!holds(offset)) {
        continue;
      }
      try {
        file.read(offset, window.address(), deviceBlockBytes);
      } catch (IOException failed) {
        unreadable = failed;
        continue;
      }
      Superblock found = Superblock.decode(window, 0);
      if (found != null) {
        newest = newest == null || found.sequence() > newest.sequence() ? found : newest;
      } else if (!Blocks.isZero(window, 0, deviceBlockBytes)) {
        // A first superblock whose writing was cut off is nothing that could be lost.
        isEmpty &= slot == 0 && Superblock.hasMagic(window, 0) && !Superblock.isIntact(window, 0);
        isOtherVersion |= Superblock.isIntact(window, 0);
        problem = problem.isEmpty() || isOtherVersion ? problem() : problem;
      }
    }
    if (newest != null && !isOtherVersion) {
      doubtful = unreadable != null;
      return usable(newest);
    }
    if (unreadable != null && !settings.format()) {
      throw unreadable; // Nobody can say what the file is.
    }
    if ((isEmpty && isRestEmpty()) || settings.format()) {
      requireRoom();
      return format(FIRST_SEQUENCE);
    }
    throw new IllegalStateException(
        (problem.isEmpty() ? "the file is not empty and not a store" : problem)
            + ": use another path, empty the file, or set "
            + FORMAT
            + " to overwrite it");
  }

  private boolean holds(long offset) {
    return offset + deviceBlockBytes <= file.geometry().sizeBytes();
  }

  private void requireRoom() {
    long size = file.geometry().sizeBytes();
    if (size < settings.capacityBytes()) {
      throw new IllegalStateException(
          "the file has ["
              + size
              + "] bytes, fewer than the capacity ["
              + settings.capacityBytes()
              + "]: remove it, so that it is made anew, or set the capacity to what it has");
    }
  }

  boolean isFormatted() {
    return formatted;
  }

  /** Whether the other superblock could not be read, and may be the newer one. */
  boolean isDoubtful() {
    return doubtful;
  }

  private String problem() {
    if (!Superblock.hasMagic(window, 0)) {
      return "the file is not empty and not a store";
    }
    return Superblock.isIntact(window, 0)
        ? "the store has format version ["
            + Superblock.version(window, 0)
            + "], this build reads version ["
            + Superblock.VERSION
            + "]"
        : "both superblocks of the store are damaged";
  }

  /** Whether the place of the first segment's header is empty, which a store had written. */
  private boolean isRestEmpty() throws IOException {
    Layout layout = layout(settings.segmentBytes(), deviceBlockBytes);
    if (!holds(layout.segment(0))) {
      return true;
    }
    file.read(layout.segment(0), window.address(), deviceBlockBytes);
    return Blocks.isZero(window, 0, deviceBlockBytes);
  }

  private Superblock usable(Superblock found) throws IOException {
    @Nullable String problem = mismatch(found);
    if (problem == null) {
      return found;
    }
    if (settings.format()) {
      requireRoom();
      return format(found.sequence() + 1);
    }
    throw new IllegalStateException(
        problem + ", or set " + FORMAT + " to start with an empty store");
  }

  private @Nullable String mismatch(Superblock found) {
    long size = file.geometry().sizeBytes();
    if (size < found.capacityBytes()) {
      return "the file has ["
          + size
          + "] bytes, but its store was made with ["
          + found.capacityBytes()
          + "]: it was truncated; remove it";
    }
    if (found.capacityBytes() != settings.capacityBytes()) {
      return "the store was made with a capacity of ["
          + found.capacityBytes()
          + "] bytes, but ["
          + settings.capacityBytes()
          + "] are configured: set the former capacity";
    }
    if (settings.segmentBytes() != 0
        && settings.segmentBytes() / found.blockBytes() * found.blockBytes()
            != found.segmentBytes()) {
      return "the store was made with segments of ["
          + found.segmentBytes()
          + "] bytes, but ["
          + settings.segmentBytes()
          + "] are configured: set the former size";
    }
    if (found.blockBytes() % deviceBlockBytes != 0) {
      return "the store was made with blocks of ["
          + found.blockBytes()
          + "] bytes, but the device needs multiples of ["
          + deviceBlockBytes
          + "]: put it back on a device like the former one";
    }
    return null;
  }

  /** Where the parts of a store are. */
  Layout layout(long segmentBytes, int blockBytes) {
    return Layout.of(
        settings.capacityBytes(), segmentBytes, blockBytes, settings.reserveSegments());
  }

  /**
   * Clears what could be taken for a part of the new store, then writes both superblocks. Until
   * these are durable the file is what it was, or empty.
   */
  private Superblock format(long sequence) throws IOException {
    formatted = true;
    Layout layout = layout(settings.segmentBytes(), deviceBlockBytes);
    window.fill((byte) 0);
    long killEnd = layout.killHalf(0) + 2 * layout.killHalfBytes();
    for (long at = layout.killHalf(0); at < killEnd; at += window.byteSize()) {
      file.write(at, window.address(), Math.min(window.byteSize(), killEnd - at));
    }
    for (int segment = 0; segment < layout.segments(); segment++) {
      file.write(layout.segment(segment), window.address(), deviceBlockBytes);
    }
    file.sync();
    Superblock made =
        new Superblock(
            new Identity(random.nextLong(), random.nextLong()),
            settings.shard(),
            settings.shards(),
            deviceBlockBytes,
            settings.capacityBytes(),
            layout.segmentBytes(),
            sequence,
            random.nextLong(),
            true,
            1,
            0,
            0,
            0,
            settings.writesPerDayBytes());
    write(made, layout);
    Superblock second = made.next();
    write(second, layout);
    return second;
  }

  private void write(Superblock superblock, Layout layout) throws IOException {
    superblock.encode(window, 0);
    file.write(layout.superblock(superblock.sequence()), window.address(), superblock.blockBytes());
    file.sync();
  }
}
