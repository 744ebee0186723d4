package io.orbitkv.wire;

import java.nio.ByteBuffer;

/**
 * The header of a frame. On the wire, little-endian: length(4) kind(2) version(2) epoch(8)
 * operation(8) revision(4) jsonBytes(4) flags(4, always 0) reserved(4, always 0).
 *
 * @param length bytes of the whole frame, this header included
 * @param kind one of {@link FrameKind}
 * @param version version of the protocol
 * @param epoch the Manager's epoch, 0 before the client knows it
 * @param operation the message's operation id
 * @param revision the message's revision, 0 where the kind has none
 * @param jsonBytes bytes of the JSON part, which comes first in the body
 */
public record FrameHeader(
    int length,
    short kind,
    short version,
    long epoch,
    long operation,
    int revision,
    int jsonBytes) {
  static final int KIND = 4;
  static final int VERSION = 6;
  static final int EPOCH = 8;
  static final int OPERATION = 16;
  static final int REVISION = 24;
  static final int JSON_BYTES = 28;
  static final int FLAGS = 32;
  static final int RESERVED = 36;

  /**
   * Reads the header at {@code offset}.
   *
   * @param bytes little-endian, with at least {@link Protocol#HEADER_BYTES} bytes from {@code
   *     offset} on
   * @throws ProtocolException when the header is malformed or the frame larger than {@code
   *     maxFrameBytes}
   */
  static FrameHeader read(ByteBuffer bytes, int offset, int maxFrameBytes)
      throws ProtocolException {
    int length = bytes.getInt(offset);
    short kind = bytes.getShort(offset + KIND);
    short version = bytes.getShort(offset + VERSION);
    int jsonBytes = bytes.getInt(offset + JSON_BYTES);
    if (version != Protocol.VERSION) {
      throw new ProtocolException(
          "version [" + version + "] is not spoken here, only " + Protocol.VERSION, "frame header");
    }
    if (length < Protocol.HEADER_BYTES || length > maxFrameBytes) {
      throw new ProtocolException(
          "length [" + length + "] is outside " + Protocol.HEADER_BYTES + ".." + maxFrameBytes,
          "frame header");
    }
    if (jsonBytes < 0 || jsonBytes > length - Protocol.HEADER_BYTES) {
      throw new ProtocolException(
          "JSON part of [" + jsonBytes + "] bytes in a frame of [" + length + "]", "frame header");
    }
    int flags = bytes.getInt(offset + FLAGS);
    int reserved = bytes.getInt(offset + RESERVED);
    if (flags != 0 || reserved != 0) {
      throw new ProtocolException(
          "flags [" + flags + "] and reserved [" + reserved + "] must be 0", "frame header");
    }
    return new FrameHeader(
        length,
        kind,
        version,
        bytes.getLong(offset + EPOCH),
        bytes.getLong(offset + OPERATION),
        bytes.getInt(offset + REVISION),
        jsonBytes);
  }
}
