package io.orbitkv.wire;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** Frames as byte arrays. */
final class Frames {
  static final ClientCodec CLIENT = new ClientCodec(Limits.DEFAULT);
  static final ServerCodec SERVER = new ServerCodec();

  private Frames() {}

  static byte[] encode(ClientMessage message) throws ProtocolException {
    try (FrameBuffer out = new FrameBuffer(64, Protocol.DEFAULT_MAX_FRAME_BYTES)) {
      CLIENT.encode(message, Samples.EPOCH, out);
      return out.toByteArray();
    }
  }

  static byte[] encode(ServerMessage message) throws ProtocolException {
    try (FrameBuffer out = new FrameBuffer(64, Protocol.DEFAULT_MAX_FRAME_BYTES)) {
      SERVER.encode(message, Samples.EPOCH, out);
      return out.toByteArray();
    }
  }

  static ClientMessage decodeClient(byte[] frame) throws IOException {
    try (FrameReader reader = reader(frame)) {
      return CLIENT.decode(first(reader));
    }
  }

  static ServerMessage decodeServer(byte[] frame) throws IOException {
    try (FrameReader reader = reader(frame)) {
      return SERVER.decode(first(reader));
    }
  }

  static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }

  static FrameReader reader(byte[] bytes) {
    return new FrameReader(
        Channels.newChannel(new ByteArrayInputStream(bytes)), Protocol.DEFAULT_MAX_FRAME_BYTES);
  }

  private static Frame first(FrameReader reader) throws IOException {
    @Nullable Frame frame = reader.next();
    if (frame == null) {
      throw new ProtocolException("no frame", "test");
    }
    return frame;
  }
}
