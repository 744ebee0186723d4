package io.orbitkv.wire;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ReadableByteChannel;
import org.jspecify.annotations.Nullable;

/**
 * Cuts the bytes of one channel into frames. Reads as much as is there, so that pipelined frames
 * cost one system call. The buffer doubles as bytes arrive, never because a header promises many.
 * One thread; the channel is the caller's.
 */
public final class FrameReader implements AutoCloseable {
  private static final int INITIAL_BYTES = 64 << 10;

  /** What is kept between frames: a rare large frame does not hold its memory for good. */
  private static final int RETAINED_BYTES = 1 << 20;

  private final ReadableByteChannel channel;
  private final int maxFrameBytes;
  private OffHeapBytes memory;

  /** Position 0..start: consumed; start..end: received. */
  private ByteBuffer bytes;

  private int start;
  private int end;
  private boolean closed;

  /**
   * @param channel in blocking mode
   * @param maxFrameBytes largest frame that is accepted
   */
  public FrameReader(ReadableByteChannel channel, int maxFrameBytes) {
    this.channel = channel;
    this.maxFrameBytes = maxFrameBytes;
    this.memory = OffHeapBytes.allocate(INITIAL_BYTES);
    this.bytes = memory.bytes();
  }

  /**
   * Blocks until a frame is there. The frame's body is valid until the next call.
   *
   * @return null at the end of the stream
   * @throws ProtocolException when the header is malformed, the frame too large, or the stream ends
   *     inside a frame
   * @throws IOException when the channel fails
   */
  public @Nullable Frame next() throws IOException {
    if (start == end) {
      start = 0;
      end = 0;
      shrink();
    }
    @Nullable FrameHeader header = null;
    while (true) {
      if (header == null && end - start >= Protocol.HEADER_BYTES) {
        header = FrameHeader.read(bytes, start, maxFrameBytes);
      }
      if (header != null && end - start >= header.length()) {
        int body = header.length() - Protocol.HEADER_BYTES;
        ByteBuffer slice =
            bytes.slice(start + Protocol.HEADER_BYTES, body).order(ByteOrder.LITTLE_ENDIAN);
        start += header.length();
        return new Frame(header, slice);
      }
      if (end == bytes.capacity()) {
        makeRoom();
      }
      bytes.limit(bytes.capacity()).position(end);
      if (channel.read(bytes) < 0) {
        if (start == end) {
          return null;
        }
        throw new ProtocolException(
            "the stream ended after [" + (end - start) + "] bytes of a frame", "frame");
      }
      end = bytes.position();
      bytes.clear();
    }
  }

  /** Whether the next call of {@link #next} returns or throws without waiting for the channel. */
  public boolean buffered() {
    int received = end - start;
    if (received < Protocol.HEADER_BYTES) {
      return false;
    }
    int length = bytes.getInt(start);
    return length < Protocol.HEADER_BYTES || length <= received;
  }

  /** Frees the buffer; the channel stays as it is. Idempotent. The thread that reads. */
  @Override
  public void close() {
    if (!closed) {
      closed = true;
      memory.close();
    }
  }

  private void makeRoom() {
    if (start > 0) {
      bytes.limit(end).position(start);
      bytes.compact();
      bytes.clear();
      end -= start;
      start = 0;
      return;
    }
    // Full of one unfinished frame, which its header limits to maxFrameBytes.
    long capacity = Math.min(2L * bytes.capacity(), Math.max(maxFrameBytes, INITIAL_BYTES));
    OffHeapBytes larger = OffHeapBytes.allocate((int) capacity);
    bytes.limit(end).position(0);
    larger.bytes().put(bytes).clear();
    memory.close();
    memory = larger;
    bytes = larger.bytes();
  }

  private void shrink() {
    if (bytes.capacity() > RETAINED_BYTES) {
      memory.close();
      memory = OffHeapBytes.allocate(INITIAL_BYTES);
      bytes = memory.bytes();
    }
  }
}
