package io.orbitkv.wire;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;

/**
 * Outgoing frames in memory outside the heap, little-endian. Grows up to what one frame of the
 * largest size needs beyond the frames that wait already. Used by one thread at a time; {@link
 * #close} frees the memory at once.
 */
public final class FrameBuffer implements AutoCloseable {
  /**
   * What a buffer keeps after it was written: a rare large frame does not hold its memory for good.
   */
  private static final int RETAINED_BYTES = 1 << 20;

  private final int initialBytes;
  private final int maxFrameBytes;
  private OffHeapBytes memory;
  private ByteBuffer bytes;
  private int frameStart;
  private boolean closed;

  /**
   * @param initialBytes capacity before the first growth
   * @param maxFrameBytes largest frame that the other side accepts
   */
  public FrameBuffer(int initialBytes, int maxFrameBytes) {
    this.initialBytes = Math.max(Protocol.HEADER_BYTES, initialBytes);
    this.maxFrameBytes = maxFrameBytes;
    this.memory = OffHeapBytes.allocate(this.initialBytes);
    this.bytes = memory.bytes();
  }

  /** Bytes that were encoded and not written yet. */
  public int bytes() {
    return bytes.position();
  }

  /**
   * Writes everything to a channel in blocking mode and empties the buffer; empties it too when
   * writing fails, since a channel with half a frame in it is of no more use.
   */
  public void writeTo(WritableByteChannel channel) throws IOException {
    bytes.flip();
    try {
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
    } finally {
      clear();
    }
  }

  /** Forgets what was not written. */
  public void clear() {
    if (bytes.capacity() > Math.max(RETAINED_BYTES, initialBytes)) {
      memory.close();
      memory = OffHeapBytes.allocate(initialBytes);
      bytes = memory.bytes();
    }
    bytes.clear();
  }

  /** A copy of what was not written, for tests and tools. */
  byte[] toByteArray() {
    byte[] copy = new byte[bytes.position()];
    bytes.get(0, copy);
    return copy;
  }

  /** Starts a frame and puts its header; {@link #end} sets the length. */
  void begin(short kind, long epoch, long operation, int revision) {
    frameStart = bytes.position();
    reserve(Protocol.HEADER_BYTES);
    bytes.putInt(0).putShort(kind).putShort((short) Protocol.VERSION);
    bytes.putLong(epoch).putLong(operation).putInt(revision);
    bytes.putInt(0).putInt(0).putInt(0);
  }

  /**
   * Room for {@code more} bytes at the position of the answer, which is valid until the next call.
   */
  ByteBuffer reserve(long more) {
    long needed = bytes.position() + more;
    if (needed > bytes.capacity()) {
      if (needed > Integer.MAX_VALUE) {
        throw new IllegalStateException("[" + needed + "] bytes wait: write them first");
      }
      long capacity = Math.min(Integer.MAX_VALUE, Math.max(needed, 2L * bytes.capacity()));
      OffHeapBytes larger = OffHeapBytes.allocate((int) capacity);
      larger.bytes().put(bytes.flip());
      memory.close();
      memory = larger;
      bytes = larger.bytes();
    }
    return bytes;
  }

  /** Appends the JSON part. Comes right after {@link #begin}. */
  void json(byte[] json) {
    reserve(json.length).put(json);
    bytes.putInt(frameStart + FrameHeader.JSON_BYTES, json.length);
  }

  /** Finishes the frame that {@link #begin} started. */
  void end(String where) throws ProtocolException {
    int length = bytes.position() - frameStart;
    if (length > maxFrameBytes) {
      throw new ProtocolException(
          "a frame of ["
              + length
              + "] bytes is larger than the other side accepts, "
              + maxFrameBytes
              + ": send fewer pages at a time",
          where);
    }
    bytes.putInt(frameStart, length);
  }

  /** Forgets what was appended since the last {@link #begin}. */
  void abandon() {
    bytes.position(frameStart);
  }

  /** Frees the memory. Idempotent. The thread that uses the buffer. */
  @Override
  public void close() {
    if (!closed) {
      closed = true;
      memory.close();
    }
  }
}
