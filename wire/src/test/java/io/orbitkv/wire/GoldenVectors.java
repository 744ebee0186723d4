package io.orbitkv.wire;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The frames that every codec of this protocol, in any language, must read and write alike. The
 * main method writes the file anew after the protocol grew: {@code GoldenVectors
 * src/test/resources/golden/frames.json}. Frames that are in it already never change.
 */
final class GoldenVectors {
  static final String RESOURCE = "/golden/frames.json";

  private GoldenVectors() {}

  static JsonNode load() throws IOException {
    try (InputStream in = GoldenVectors.class.getResourceAsStream(RESOURCE)) {
      return Meaning.MAPPER.readTree(in);
    }
  }

  public static void main(String[] arguments) throws IOException {
    ObjectNode root = Meaning.MAPPER.createObjectNode();
    ArrayNode frames = root.putArray("frames");
    for (Map.Entry<String, ClientMessage> sample : Samples.ofClients().entrySet()) {
      frames
          .addObject()
          .put("name", sample.getKey())
          .put("from", "client")
          .put("epoch", sample.getValue() instanceof ClientMessage.Hello ? 0 : Samples.EPOCH)
          .put("hex", Frames.hex(Frames.encode(sample.getValue())))
          .set("meaning", Meaning.of(sample.getValue()));
    }
    for (Map.Entry<String, ServerMessage> sample : Samples.ofManager().entrySet()) {
      frames
          .addObject()
          .put("name", sample.getKey())
          .put("from", "manager")
          .put("epoch", Samples.EPOCH)
          .put("hex", Frames.hex(Frames.encode(sample.getValue())))
          .set("meaning", Meaning.of(sample.getValue()));
    }
    ArrayNode malformed = root.putArray("malformed");
    malformed()
        .forEach((name, frame) ->
            malformed
                .addObject()
                .put("name", name)
                .put("from", name.startsWith("manager") ? "manager" : "client")
                .put("hex", Frames.hex(frame)));
    Files.writeString(
        Path.of(arguments[0]),
        Meaning.MAPPER.writer().with(SerializationFeature.INDENT_OUTPUT).writeValueAsString(root)
            + "\n");
  }

  /** Frames that must be refused, each by one change of a good one. */
  static Map<String, byte[]> malformed() throws IOException {
    Map<String, ClientMessage> clients = Samples.ofClients();
    byte[] submit = Frames.encode(clients.get("submit-demand"));
    byte[] publish = Frames.encode(clients.get("publish"));
    byte[] restore = Frames.encode(clients.get("restore"));
    byte[] taken = Frames.encode(clients.get("taken"));
    byte[] commit = Frames.encode(clients.get("commit"));
    byte[] answer = Frames.encode(Samples.ofManager().get("answer-refused"));
    byte[] status = Frames.encode(Samples.ofManager().get("status-report"));
    byte[] attach = Frames.encode(clients.get("attach"));
    byte[] selected = Frames.encode(clients.get("submit-selected"));
    byte[] queue = Frames.encode(clients.get("queue-of-groups"));
    byte[] candidates = Frames.encode(Samples.ofManager().get("candidates"));
    Map<String, byte[]> bad = new LinkedHashMap<>();
    bad.put("kind-unknown", withShort(taken, FrameHeader.KIND, 63));
    bad.put("kind-of-the-manager", withShort(taken, FrameHeader.KIND, FrameKind.DONE));
    bad.put("version-unknown", withShort(taken, FrameHeader.VERSION, 2));
    bad.put("length-below-header", withInt(taken, 0, 39));
    bad.put("length-negative", withInt(taken, 0, -1));
    bad.put("length-over-limit", withInt(taken, 0, Protocol.DEFAULT_MAX_FRAME_BYTES + 1));
    bad.put("length-beyond-stream", withInt(taken, 0, 41));
    bad.put("json-longer-than-body", withInt(taken, FrameHeader.JSON_BYTES, 1));
    bad.put("json-negative", withInt(taken, FrameHeader.JSON_BYTES, -1));
    bad.put("flags-set", withInt(taken, FrameHeader.FLAGS, 1));
    bad.put("reserved-set", withInt(taken, FrameHeader.RESERVED, 1));
    bad.put("operation-zero", withLong(taken, FrameHeader.OPERATION, 0));
    bad.put("revision-where-none-is", withInt(commit, FrameHeader.REVISION, 1));
    bad.put("trailing-bytes", longer(taken, 4));
    bad.put("json-on-binary-message", withInt(longer(taken, 4), FrameHeader.JSON_BYTES, 4));
    bad.put("submit-kind-unknown", withInt(submit, 40 + 8, 6));
    bad.put("submit-request-id-negative", withInt(submit, 40 + 12, -1));
    bad.put("submit-groups-negative", withInt(submit, 40 + 16, -1));
    bad.put("submit-groups-over-limit", withInt(submit, 40 + 16, 17));
    bad.put("submit-pages-negative", withInt(submit, 40 + 20, -1));
    bad.put("submit-pages-over-limit", withInt(submit, 40 + 20, Protocol.DEFAULT_MAX_PAGES + 1));
    bad.put("submit-pages-not-of-groups", withInt(submit, 40 + 20, 3));
    bad.put("submit-group-pages-negative", withInt(submit, 40 + 28, -2));
    bad.put("submit-keys-missing", shorter(submit, 8));
    bad.put("submit-request-id-not-utf8", withByte(submit, submit.length - 1, 0xFF));
    bad.put("submit-selected-without-demand", withInt(submit, 40 + 8, 2));
    bad.put("restore-pages-negative", withInt(restore, 40 + 32, Integer.MIN_VALUE));
    bad.put("restore-pages-fewer-than-bytes", withInt(restore, 40 + 32, 2));
    bad.put("restore-pages-more-than-bytes", withInt(restore, 40 + 32, 4));
    bad.put("restore-reserved-set", withInt(restore, 40 + 36, 2));
    bad.put("publish-pages-negative", withInt(publish, 40 + 12, -1));
    bad.put("publish-pages-more-than-bytes", withInt(publish, 40 + 12, 3));
    bad.put("commit-neither-yes-nor-no", withInt(commit, 40, 2));
    bad.put("attach-json-cut", withByte(attach, attach.length - 1, ' '));
    bad.put("attach-property-unknown", json(FrameKind.ATTACH, "{\"instance\":\"a\",\"x\":1}"));
    bad.put("attach-property-missing", json(FrameKind.ATTACH, "{}"));
    bad.put(
        "attach-property-twice", json(FrameKind.ATTACH, "{\"instance\":\"a\",\"instance\":\"b\"}"));
    bad.put("attach-property-of-wrong-type", json(FrameKind.ATTACH, "{\"instance\":1}"));
    bad.put("attach-not-an-object", json(FrameKind.ATTACH, "[]"));
    bad.put("attach-two-values", json(FrameKind.ATTACH, "{\"instance\":\"a\"} {}"));
    bad.put("attach-half-a-surrogate-pair", json(FrameKind.ATTACH, "{\"instance\":\"\\ud800\"}"));
    bad.put(
        "hello-number-too-large",
        json(
            FrameKind.HELLO,
            "{\"client\":\"c\",\"protocolVersion\":1e3,\"features\":0,\"pid\":1}"));
    bad.put(
        "hello-with-epoch", withLong(Frames.encode(clients.get("hello")), FrameHeader.EPOCH, 5));
    bad.put("manager-state-unknown", withInt(answer, 40, 127));
    bad.put("manager-error-unknown", withInt(answer, 40 + 32, 13));
    bad.put("manager-message-longer-than-body", withInt(answer, 40 + 36, 4000));
    bad.put("manager-hits-negative", withInt(answer, 40 + 4, -1));
    bad.put("manager-kind-of-clients", withShort(answer, FrameHeader.KIND, FrameKind.TAKEN));
    bad.put("manager-status-not-json", withByte(status, 40, '}'));
    bad.put("submit-discover-with-demand", withInt(selected, kindOf(selected), 3));
    bad.put("submit-warm-with-demand", withInt(selected, kindOf(selected), 5));
    bad.put("queue-pages-not-of-groups", withInt(queue, rawOf(queue) + 4, 1));
    bad.put("queue-group-pages-negative", withInt(queue, rawOf(queue) + 4, -1));
    bad.put("queue-demand-reserved-set", withInt(queue, rawOf(queue) + 28, 1));
    bad.put("queue-demand-not-aligned", withInt(queue, rawOf(queue) + 20, 1));
    bad.put("queue-keys-missing", shorter(queue, 8));
    bad.put("queue-trailing-bytes", longer(queue, 8));
    bad.put("queue-groups-without-ranges", queue("\"pages\":0,\"groups\":0"));
    bad.put("queue-ranges-without-groups", queue("\"pages\":0,\"ranges\":0"));
    bad.put("queue-groups-over-limit", queue("\"pages\":0,\"groups\":17,\"ranges\":0"));
    bad.put("queue-ranges-over-limit", queue("\"pages\":0,\"groups\":0,\"ranges\":17"));
    bad.put("queue-pages-over-limit", queue("\"pages\":65537"));
    bad.put("manager-candidates-groups-over-limit", withInt(candidates, 40, 17));
    bad.put("manager-candidates-positions-negative", withInt(candidates, 40 + 4, -1));
    bad.put("manager-candidates-positions-over-bytes", withInt(candidates, 40 + 4, 1 << 30));
    bad.put("manager-candidates-not-of-groups", withInt(candidates, 40 + 12, 1));
    bad.put("manager-candidates-descend", withInt(candidates, 40 + 24, 1));
    bad.put("manager-candidates-position-negative", withInt(candidates, 40 + 24, -1));
    bad.put("manager-candidates-trailing-bytes", longer(candidates, 4));
    return bad;
  }

  static byte[] json(short kind, String json) {
    byte[] text = json.getBytes(java.nio.charset.StandardCharsets.UTF_8);
    ByteBuffer frame =
        ByteBuffer.allocate(Protocol.HEADER_BYTES + text.length).order(ByteOrder.LITTLE_ENDIAN);
    frame.putInt(frame.capacity()).putShort(kind).putShort((short) Protocol.VERSION);
    frame.putLong(kind == FrameKind.HELLO ? 0 : Samples.EPOCH).putLong(1).putInt(0);
    frame.putInt(text.length).putInt(0).putInt(0).put(text);
    return frame.array();
  }

  private static byte[] queue(String change) {
    return json(
        FrameKind.QUEUE,
        "{\"instance\":3,\"changes\":[{\"requestId\":\"a\",\"state\":\"accepted\","
            + change
            + "}]}");
  }

  /** Where the raw part of a frame begins. */
  private static int rawOf(byte[] frame) {
    return Protocol.HEADER_BYTES + copy(frame).getInt(FrameHeader.JSON_BYTES);
  }

  private static int kindOf(byte[] submit) {
    return rawOf(submit) + 8;
  }

  private static ByteBuffer copy(byte[] frame) {
    return ByteBuffer.wrap(frame.clone()).order(ByteOrder.LITTLE_ENDIAN);
  }

  private static byte[] withInt(byte[] frame, int at, int value) {
    return copy(frame).putInt(at, value).array();
  }

  private static byte[] withShort(byte[] frame, int at, int value) {
    return copy(frame).putShort(at, (short) value).array();
  }

  private static byte[] withLong(byte[] frame, int at, long value) {
    return copy(frame).putLong(at, value).array();
  }

  private static byte[] withByte(byte[] frame, int at, int value) {
    return copy(frame).put(at, (byte) value).array();
  }

  private static byte[] longer(byte[] frame, int by) {
    byte[] longer = java.util.Arrays.copyOf(frame, frame.length + by);
    return withInt(longer, 0, longer.length);
  }

  private static byte[] shorter(byte[] frame, int by) {
    byte[] shorter = java.util.Arrays.copyOf(frame, frame.length - by);
    return withInt(shorter, 0, shorter.length);
  }
}
