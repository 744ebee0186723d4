package io.orbitkv.wire;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/**
 * Reads the raw part of a frame. Every count is checked against its limit and against the bytes
 * that are there before anything is allocated for it, so that decoding never takes more memory than
 * the frame itself.
 */
final class BodyReader {
  private final ByteBuffer bytes;
  private final String where;

  BodyReader(ByteBuffer bytes, String where) {
    this.bytes = bytes;
    this.where = where;
  }

  int remaining() {
    return bytes.remaining();
  }

  int int32(String field) throws ProtocolException {
    need(Integer.BYTES, field);
    return bytes.getInt();
  }

  long int64(String field) throws ProtocolException {
    need(Long.BYTES, field);
    return bytes.getLong();
  }

  /** A count between 0 and {@code limit}. */
  int count(String field, int limit) throws ProtocolException {
    int count = int32(field);
    if (count < 0 || count > limit) {
      throw new ProtocolException(field + " [" + count + "] is outside 0.." + limit, where);
    }
    return count;
  }

  /** A 0 or 1. */
  boolean flag(String field) throws ProtocolException {
    return count(field, 1) == 1;
  }

  /** A field that is there for alignment. */
  void zero(String field) throws ProtocolException {
    count(field, 0);
  }

  long[] longs(String field, int count) throws ProtocolException {
    need((long) count * Long.BYTES, field);
    long[] values = new long[count];
    bytes.asLongBuffer().get(values);
    bytes.position(bytes.position() + count * Long.BYTES);
    return values;
  }

  int[] ints(String field, int count) throws ProtocolException {
    need((long) count * Integer.BYTES, field);
    int[] values = new int[count];
    bytes.asIntBuffer().get(values);
    bytes.position(bytes.position() + count * Integer.BYTES);
    return values;
  }

  byte[] rest() {
    byte[] rest = new byte[bytes.remaining()];
    bytes.get(rest);
    return rest;
  }

  /** The next {@code length} bytes as UTF-8. */
  String text(String field, int length) throws ProtocolException {
    need(length, field);
    if (length == 0) {
      return "";
    }
    ByteBuffer slice = bytes.slice(bytes.position(), length);
    bytes.position(bytes.position() + length);
    return text(slice, where + " " + field);
  }

  /** Checks that nothing follows. */
  void end() throws ProtocolException {
    if (bytes.hasRemaining()) {
      throw new ProtocolException("[" + bytes.remaining() + "] bytes too many", where);
    }
  }

  /** Decodes UTF-8 strictly; consumes the buffer. */
  static String text(ByteBuffer utf8, String where) throws ProtocolException {
    try {
      return StandardCharsets.UTF_8
          .newDecoder()
          .onMalformedInput(CodingErrorAction.REPORT)
          .onUnmappableCharacter(CodingErrorAction.REPORT)
          .decode(utf8)
          .toString();
    } catch (CharacterCodingException malformed) {
      throw new ProtocolException("not UTF-8", where, malformed);
    }
  }

  /** Checks that a frame has no JSON part and gives its raw part, little-endian. */
  static BodyReader binary(Frame frame, String where) throws ProtocolException {
    if (frame.header().jsonBytes() != 0) {
      throw new ProtocolException(
          "JSON part of [" + frame.header().jsonBytes() + "] bytes, but the message has none",
          where);
    }
    return raw(frame, where);
  }

  /** The raw part of a frame, little-endian. */
  static BodyReader raw(Frame frame, String where) {
    ByteBuffer body = frame.body();
    int json = frame.header().jsonBytes();
    return new BodyReader(
        body.slice(json, body.limit() - json).order(ByteOrder.LITTLE_ENDIAN), where);
  }

  private void need(long length, String field) throws ProtocolException {
    if (length > bytes.remaining()) {
      throw new ProtocolException(
          field + " needs [" + length + "] bytes, [" + bytes.remaining() + "] are left", where);
    }
  }
}
