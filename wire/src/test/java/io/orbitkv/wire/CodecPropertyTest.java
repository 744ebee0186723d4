package io.orbitkv.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.lease.LeaseId;
import io.orbitkv.api.page.PageKey;
import io.orbitkv.api.query.QueryKind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.constraints.StringLength;

final class CodecPropertyTest {
  private static final List<ClientMessage.Queue.State> STATES =
      List.of(ClientMessage.Queue.State.values());

  private final List<byte[]> frames = new ArrayList<>();

  CodecPropertyTest() throws ProtocolException {
    for (ClientMessage sample : Samples.ofClients().values()) {
      frames.add(Frames.encode(sample));
    }
    for (ServerMessage sample : Samples.ofManager().values()) {
      frames.add(Frames.encode(sample));
    }
  }

  @Property(tries = 2000)
  void decode_randomBytes_throwsNothingButProtocolException(@ForAll @Size(max = 300) byte[] bytes)
      throws IOException {
    decodeBoth(bytes);
  }

  @Property(tries = 2000)
  void decode_randomBodyOfEachKind_throwsNothingButProtocolException(
      @ForAll @Size(max = 300) byte[] body,
      @ForAll @IntRange(max = 80) int kind,
      @ForAll @IntRange(max = 300) int jsonBytes)
      throws IOException {
    ByteBuffer frame =
        ByteBuffer.allocate(Protocol.HEADER_BYTES + body.length).order(ByteOrder.LITTLE_ENDIAN);
    frame.putInt(frame.capacity()).putShort((short) kind).putShort((short) Protocol.VERSION);
    frame.putLong(0).putLong(1).putInt(0).putInt(kind % 2 == 0 ? 0 : jsonBytes).putLong(0);
    frame.put(body);
    decodeBoth(frame.array());
  }

  @Property(tries = 5000)
  void decode_mutatedFrame_throwsNothingButProtocolException(@ForAll long seed) throws IOException {
    Random random = new Random(seed);
    byte[] frame = frames.get(random.nextInt(frames.size())).clone();
    int mutations = 1 + random.nextInt(4);
    for (int i = 0; i < mutations; i++) {
      int at = random.nextInt(frame.length);
      switch (random.nextInt(4)) {
        case 0 -> frame[at] = (byte) random.nextInt();
        case 1 -> frame[at] ^= (byte) (1 << random.nextInt(8));
        case 2 -> frame[at] = (byte) (random.nextBoolean() ? 0xFF : 0x7F);
        default -> {
          frame = java.util.Arrays.copyOf(frame, 1 + random.nextInt(frame.length + 16));
          if (frame.length >= Integer.BYTES && random.nextBoolean()) {
            ByteBuffer.wrap(frame).order(ByteOrder.LITTLE_ENDIAN).putInt(0, frame.length);
          }
        }
      }
    }
    decodeBoth(frame);
  }

  @Property(tries = 300)
  void submit_comesBackAsItWas(
      @ForAll long operation,
      @ForAll int revision,
      @ForAll int record,
      @ForAll int instance,
      @ForAll @StringLength(max = 200) String requestId,
      @ForAll @Size(max = 16) List<@IntRange(max = 40) Integer> pagesOfGroup,
      @ForAll Random random)
      throws IOException {
    int[] pages = pagesOfGroup.stream().mapToInt(Integer::intValue).toArray();
    int[] groups = random.ints(pages.length).toArray();
    long[] keys = random.longs(2L * java.util.Arrays.stream(pages).sum()).toArray();
    ClientMessage.Submit submit =
        new ClientMessage.Submit(
            operation == 0 ? 1 : operation,
            revision,
            record,
            instance,
            QueryKind.DEMAND,
            wellFormed(requestId),
            groups,
            pages,
            keys,
            null);
    assertComesBack(submit);
  }

  @Property(tries = 300)
  void restoreAndPublish_comeBackAsTheyWere(
      @ForAll @Size(max = 300) int[] devicePages, @ForAll Random random) throws IOException {
    long[] keys = random.longs(2L * devicePages.length).toArray();
    assertComesBack(
        new ClientMessage.Restore(
            random.nextLong() | 1,
            random.nextInt(),
            random.nextInt(),
            new LeaseId(random.nextLong(), random.nextLong()),
            random.nextLong(),
            devicePages));
    assertComesBack(
        new ClientMessage.Publish(
            random.nextLong() | 1,
            random.nextInt(),
            random.nextInt(),
            random.nextInt(),
            random.nextLong(),
            new PageKey(random.nextLong(), random.nextLong()),
            keys,
            devicePages));
  }

  @Property(tries = 300)
  void queue_comesBackAsItWas(
      @ForAll @Size(max = 20) List<@IntRange(max = 6) Integer> groupsOfEntry, @ForAll Random random)
      throws IOException {
    List<ClientMessage.Queue.Entry> changes = new ArrayList<>();
    for (int count : groupsOfEntry) {
      int[] groups = random.ints(count).toArray();
      int[] pages = random.ints(count, 0, 5).toArray();
      long[] keys = random.longs(2L * java.util.Arrays.stream(pages).sum()).toArray();
      changes.add(
          new ClientMessage.Queue.Entry(
              "request " + changes.size(),
              STATES.get(random.nextInt(3)),
              groups,
              pages,
              keys,
              random.nextBoolean() ? Samples.demand() : null));
    }
    assertComesBack(new ClientMessage.Queue(random.nextLong() | 1, random.nextInt(), changes));
  }

  @Property(tries = 300)
  void candidates_comeBackAsTheyWere(
      @ForAll @Size(max = 16) List<@IntRange(max = 40) Integer> positionsOfGroup,
      @ForAll int revision,
      @ForAll Random random)
      throws IOException {
    int[] counts = positionsOfGroup.stream().mapToInt(Integer::intValue).toArray();
    int[] positions =
        java.util.Arrays.stream(counts)
            .flatMap(count -> random.ints(0, 1000).distinct().limit(count).sorted())
            .toArray();
    ServerMessage.Candidates candidates =
        new ServerMessage.Candidates(
            random.nextLong() | 1,
            revision,
            random.ints(counts.length).toArray(),
            counts,
            positions);
    ServerMessage decoded = Frames.decodeServer(Frames.encode(candidates));
    assertThat(Meaning.text((Record) decoded)).isEqualTo(Meaning.text(candidates));
  }

  private static void assertComesBack(ClientMessage message) throws IOException {
    ClientMessage decoded = Frames.decodeClient(Frames.encode(message));
    assertThat(Meaning.text((Record) decoded)).isEqualTo(Meaning.text((Record) message));
  }

  private static String wellFormed(String text) {
    return new String(
        text.getBytes(java.nio.charset.StandardCharsets.UTF_8),
        java.nio.charset.StandardCharsets.UTF_8);
  }

  private static void decodeBoth(byte[] bytes) throws IOException {
    try {
      Frames.decodeClient(bytes);
    } catch (ProtocolException expected) {
      assertThat(expected.getMessage()).isNotEmpty();
    }
    try {
      Frames.decodeServer(bytes);
    } catch (ProtocolException expected) {
      assertThat(expected.getMessage()).isNotEmpty();
    }
  }
}
