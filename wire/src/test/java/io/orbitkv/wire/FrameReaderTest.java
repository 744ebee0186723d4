package io.orbitkv.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.orbitkv.api.query.QueryKind;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ReadableByteChannel;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Test;

final class FrameReaderTest {
  @Test
  void next_bytesArriveOneByOne_yieldsEveryFrame() throws IOException {
    ByteArrayOutputStream stream = new ByteArrayOutputStream();
    for (ClientMessage sample : Samples.ofClients().values()) {
      stream.write(Frames.encode(sample));
    }
    try (FrameReader reader = reader(stream.toByteArray(), wanted -> 1)) {
      for (ClientMessage sample : Samples.ofClients().values()) {
        assertThat(Meaning.text((Record) Frames.CLIENT.decode(reader.next())))
            .isEqualTo(Meaning.text((Record) sample));
      }
      assertThat(reader.next()).isNull();
    }
  }

  @Test
  void next_manyFramesInOneRead_yieldsThemWithoutReadingAgain() throws IOException {
    byte[] taken = Frames.encode(new ClientMessage.Taken(6, 1));
    ByteArrayOutputStream stream = new ByteArrayOutputStream();
    for (int i = 0; i < 100; i++) {
      stream.write(taken);
    }
    int[] reads = new int[1];
    try (FrameReader reader =
        reader(
            stream.toByteArray(),
            wanted -> {
              reads[0]++;
              return wanted;
            })) {
      for (int i = 0; i < 100; i++) {
        assertThat(reader.next()).isNotNull();
        assertThat(reader.buffered()).isEqualTo(i < 99);
      }
      assertThat(reads[0]).isEqualTo(1);
      assertThat(reader.next()).isNull();
    }
  }

  @Test
  void next_largeFramesBetweenSmallOnes_yieldsAll() throws IOException {
    ClientMessage small = new ClientMessage.Taken(6, 1);
    ClientMessage large = submit(60_000);
    ByteArrayOutputStream stream = new ByteArrayOutputStream();
    for (int i = 0; i < 6; i++) {
      stream.write(Frames.encode(small));
      stream.write(Frames.encode(large));
    }
    try (FrameReader reader = reader(stream.toByteArray(), wanted -> Math.min(wanted, 50_000))) {
      for (int i = 0; i < 6; i++) {
        assertThat(Frames.CLIENT.decode(reader.next())).isEqualTo(small);
        ClientMessage.Submit decoded = (ClientMessage.Submit) Frames.CLIENT.decode(reader.next());
        assertThat(decoded.keys()).isEqualTo(((ClientMessage.Submit) large).keys());
      }
      assertThat(reader.next()).isNull();
    }
  }

  @Test
  void next_streamEndsInsideFrame_isProtocolException() throws IOException {
    byte[] frame = Frames.encode(submit(4));
    for (int length : new int[] {1, 39, 40, frame.length - 1}) {
      try (FrameReader reader = reader(java.util.Arrays.copyOf(frame, length), wanted -> wanted)) {
        assertThatExceptionOfType(ProtocolException.class)
            .isThrownBy(reader::next)
            .withMessageContaining("[" + length + "]");
      }
    }
  }

  @Test
  void next_headerPromisesMoreThanTheLimit_isProtocolExceptionBeforeTheBodyIsRead()
      throws IOException {
    byte[] frame = Frames.encode(submit(100));
    try (FrameReader reader =
        new FrameReader(new Trickle(frame, wanted -> wanted), frame.length - 1)) {
      assertThatExceptionOfType(ProtocolException.class)
          .isThrownBy(reader::next)
          .withMessageContaining("length [" + frame.length + "]");
    }
  }

  @Test
  void next_headerPromisesMuchAndSendsNothing_asksForNoMoreThanTheFirstBuffer() throws IOException {
    byte[] frame = Frames.encode(new ClientMessage.Taken(1, 1));
    ByteBuffer.wrap(frame)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putInt(0, Protocol.DEFAULT_MAX_FRAME_BYTES);
    int[] largest = new int[1];
    try (FrameReader reader =
        reader(
            frame,
            wanted -> {
              largest[0] = Math.max(largest[0], wanted);
              return wanted;
            })) {
      assertThatExceptionOfType(ProtocolException.class).isThrownBy(reader::next);
    }
    assertThat(largest[0]).isLessThanOrEqualTo(64 << 10);
  }

  @Test
  void encode_frameOverTheLimit_leavesTheBufferAsItWas() throws IOException {
    try (FrameBuffer out = new FrameBuffer(64, 4096)) {
      Frames.CLIENT.encode(new ClientMessage.Taken(1, 1), 5, out);
      int before = out.bytes();
      assertThatExceptionOfType(ProtocolException.class)
          .isThrownBy(() -> Frames.CLIENT.encode(submit(1000), 5, out));
      assertThat(out.bytes()).isEqualTo(before);
      Frames.CLIENT.encode(new ClientMessage.Taken(2, 1), 5, out);
      try (FrameReader reader = Frames.reader(out.toByteArray())) {
        assertThat(Frames.CLIENT.decode(reader.next())).isEqualTo(new ClientMessage.Taken(1, 1));
        assertThat(Frames.CLIENT.decode(reader.next())).isEqualTo(new ClientMessage.Taken(2, 1));
      }
    }
  }

  @Test
  void encode_contradictingArrays_isRefusedAndLeavesTheBufferAsItWas() {
    try (FrameBuffer out = new FrameBuffer(64, 4096)) {
      assertThatExceptionOfType(IllegalArgumentException.class)
          .isThrownBy(() ->
              Frames.CLIENT.encode(
                  new ClientMessage.Submit(
                      1,
                      1,
                      0,
                      1,
                      QueryKind.DEMAND,
                      "r",
                      new int[1],
                      new int[] {2},
                      new long[2],
                      null),
                  5,
                  out));
      assertThat(out.bytes()).isZero();
    }
  }

  @Test
  void refusedText_tooLong_isCutAtACharacter() throws IOException {
    String text = "\u00e9".repeat(Protocol.MAX_MESSAGE_BYTES);
    ServerMessage.Refused refused =
        (ServerMessage.Refused)
            Frames.decodeServer(
                Frames.encode(
                    new ServerMessage.Refused(
                        1, io.orbitkv.api.query.ErrorCode.INVALID, "x" + text)));
    assertThat(refused.message()).hasSize(1 + (Protocol.MAX_MESSAGE_BYTES - 1) / 2);
  }

  static ClientMessage.Submit submit(int pages) {
    long[] keys = new long[2 * pages];
    java.util.Arrays.setAll(keys, i -> i * 31L);
    return new ClientMessage.Submit(
        7, 1, 0, 1, QueryKind.DEMAND, "r", new int[] {0}, new int[] {pages}, keys, null);
  }

  private static FrameReader reader(byte[] bytes, IntUnaryOperator chunk) {
    return new FrameReader(new Trickle(bytes, chunk), Protocol.DEFAULT_MAX_FRAME_BYTES);
  }

  /** Hands out at most as many bytes a read as it is told. */
  private static final class Trickle implements ReadableByteChannel {
    private final ByteBuffer bytes;
    private final IntUnaryOperator chunk;

    Trickle(byte[] bytes, IntUnaryOperator chunk) {
      this.bytes = ByteBuffer.wrap(bytes);
      this.chunk = chunk;
    }

    @Override
    public int read(ByteBuffer into) {
      if (!bytes.hasRemaining()) {
        return -1;
      }
      int length = Math.min(chunk.applyAsInt(into.remaining()), bytes.remaining());
      length = Math.min(length, into.remaining());
      into.put(bytes.slice(bytes.position(), length));
      bytes.position(bytes.position() + length);
      return length;
    }

    @Override
    public boolean isOpen() {
      return true;
    }

    @Override
    public void close() {}
  }
}
