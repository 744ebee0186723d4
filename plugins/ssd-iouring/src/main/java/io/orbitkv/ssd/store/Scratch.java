package io.orbitkv.ssd.store;

import io.orbitkv.ssd.device.Geometry;
import io.orbitkv.ssd.device.Span;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The store's own native memory, of a fixed size: header blocks for reads and for writes, and a
 * region for each part that writes blocks of its own. Places are offsets in {@link #memory}.
 */
final class Scratch implements AutoCloseable {
  static final int KILL_BLOCKS = 16;
  static final int RENEWAL_BLOCKS = 16;

  /** Appends of moved pages beside those of the owner. */
  static final int COPY_HEADERS = 64;

  private static final long MOST_COPY_BYTES = 16L << 20;

  final MemorySegment memory;
  final long kills;
  final long renewals;
  final long superblock;
  final long footer;
  final long copies;
  final long copyBytes;

  private final int blockBytes;
  private final Arena arena = Arena.ofShared();
  private final long[] readHeaders;
  private final long[] writeHeaders;
  private int freeReadHeaders;
  private int freeWriteHeaders;
  private boolean abandoned;

  Scratch(Layout layout, Geometry geometry, StoreSettings settings) {
    blockBytes = layout.blockBytes();
    int reads = settings.mostPagesInFlight();
    int writes = settings.mostPagesInFlight() + COPY_HEADERS;
    copyBytes =
        Math.min(MOST_COPY_BYTES, layout.segmentBytes() * settings.reinsertPercent() / 100)
            / blockBytes
            * blockBytes;
    long at = 0;
    readHeaders = new long[reads];
    writeHeaders = new long[writes];
    for (int i = 0; i < reads; i++, at += blockBytes) {
      giveReadHeader(at);
    }
    for (int i = 0; i < writes; i++, at += blockBytes) {
      giveWriteHeader(at);
    }
    kills = at;
    at += (long) KILL_BLOCKS * blockBytes;
    renewals = at;
    at += (long) RENEWAL_BLOCKS * blockBytes;
    superblock = at;
    at += blockBytes;
    footer = at;
    at += (long) layout.mostFooterBlocks() * blockBytes;
    copies = at;
    at += copyBytes;
    memory = arena.allocate(at, Math.max(blockBytes, geometry.memoryAlignment()));
  }

  /** Whether a header is to be had. */
  boolean hasReadHeader() {
    return freeReadHeaders > 0;
  }

  boolean hasWriteHeader() {
    return freeWriteHeaders > 0;
  }

  long takeReadHeader() {
    return readHeaders[--freeReadHeaders];
  }

  long takeWriteHeader() {
    return writeHeaders[--freeWriteHeaders];
  }

  void giveReadHeader(long at) {
    readHeaders[freeReadHeaders++] = at;
  }

  void giveWriteHeader(long at) {
    writeHeaders[freeWriteHeaders++] = at;
  }

  Span span(long at, long bytes) {
    return new Span(memory.address() + at, bytes);
  }

  Span block(long at) {
    return span(at, blockBytes);
  }

  Span whole() {
    return span(0, memory.byteSize());
  }

  /** The device may still touch this memory: it is not given back to the system. */
  void abandon() {
    abandoned = true;
  }

  @Override
  public void close() {
    if (!abandoned) {
      arena.close();
    }
  }
}
