package io.orbitkv.ssd.store;

import io.orbitkv.ssd.device.BlockFile;
import io.orbitkv.ssd.device.Geometry;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** A file in memory. What is written is there; failures are asked for by the test. */
final class MemoryFile implements BlockFile {
  final byte[] bytes;
  private final Geometry geometry;
  long writes;
  long syncs;
  long failReadsFrom = Long.MAX_VALUE;
  long failReadsTo;

  /** So many reads of that range fail; those after them succeed. */
  long failingReads = Long.MAX_VALUE;

  boolean failWrites;

  /** From then on everything that changes the file fails. */
  long failWritesAfter = Long.MAX_VALUE;

  MemoryFile(int bytes) {
    this(bytes, 4096);
  }

  MemoryFile(int bytes, int blockBytes) {
    this.bytes = new byte[bytes];
    this.geometry = new Geometry(bytes, blockBytes, 512, true);
  }

  /** The same contents in a file of its own. */
  MemoryFile copy() {
    MemoryFile copy = new MemoryFile(bytes.length, geometry.blockBytes());
    System.arraycopy(bytes, 0, copy.bytes, 0, bytes.length);
    return copy;
  }

  @Override
  public Geometry geometry() {
    return geometry;
  }

  @Override
  public void read(long offset, long address, long length) throws IOException {
    check(offset, address, length);
    if (offset < failReadsTo && offset + length > failReadsFrom && failingReads > 0) {
      failingReads--;
      throw new IOException("read at [" + offset + "] fails");
    }
    MemorySegment.copy(
        bytes, (int) offset, memory(address, length), ValueLayout.JAVA_BYTE, 0, (int) length);
  }

  @Override
  public void write(long offset, long address, long length) throws IOException {
    check(offset, address, length);
    if (failWrites || writes >= failWritesAfter) {
      failWrites = true;
      throw new IOException("write at [" + offset + "] fails");
    }
    writes++;
    MemorySegment.copy(
        memory(address, length), ValueLayout.JAVA_BYTE, 0, bytes, (int) offset, (int) length);
  }

  private void check(long offset, long address, long length) {
    int block = geometry.blockBytes();
    if (offset % block != 0
        || length % block != 0
        || length <= 0
        || address % geometry.memoryAlignment() != 0
        || offset + length > bytes.length) {
      throw new IllegalArgumentException(
          "transfer of [" + length + "] bytes at [" + offset + "] does not fit the file");
    }
  }

  @Override
  public void sync() throws IOException {
    if (failWrites) {
      throw new IOException("sync fails");
    }
    syncs++;
  }

  @Override
  public void close() {}

  @SuppressWarnings("restricted") // Buffers belong to their transfers.
  static MemorySegment memory(long address, long length) {
    return MemorySegment.ofAddress(address).reinterpret(length);
  }
}
