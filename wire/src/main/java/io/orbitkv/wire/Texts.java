package io.orbitkv.wire;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/** Texts as UTF-8. */
final class Texts {
  private Texts() {}

  /**
   * A name, which must survive the way unchanged.
   *
   * @throws ProtocolException when it is too long or holds half a surrogate pair
   */
  static byte[] name(String text, int maxBytes, String where) throws ProtocolException {
    ByteBuffer utf8;
    try {
      utf8 =
          StandardCharsets.UTF_8
              .newEncoder()
              .onMalformedInput(CodingErrorAction.REPORT)
              .encode(CharBuffer.wrap(text));
    } catch (CharacterCodingException malformed) {
      throw new ProtocolException("half a surrogate pair in a text", where, malformed);
    }
    if (utf8.remaining() > maxBytes) {
      throw new ProtocolException(
          "a text of [" + utf8.remaining() + "] bytes: at most " + maxBytes, where);
    }
    byte[] bytes = new byte[utf8.remaining()];
    utf8.get(bytes);
    return bytes;
  }

  /** A text for people, cut at a character when it is too long. */
  static byte[] message(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    if (bytes.length <= Protocol.MAX_MESSAGE_BYTES) {
      return bytes;
    }
    int end = Protocol.MAX_MESSAGE_BYTES;
    while ((bytes[end] & 0xC0) == 0x80) {
      end--;
    }
    return java.util.Arrays.copyOf(bytes, end);
  }
}
