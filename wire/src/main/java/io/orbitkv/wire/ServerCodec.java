package io.orbitkv.wire;

import io.orbitkv.api.copy.StagedMemory;
import io.orbitkv.api.lease.LeaseId;
import io.orbitkv.api.page.GroupSpec;
import io.orbitkv.api.page.WorkerLayout;
import io.orbitkv.api.query.AnswerState;
import io.orbitkv.api.query.ErrorCode;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Messages of the Manager as frames. Any thread.
 *
 * <p>Raw parts, little-endian (4: int, 8: long):
 *
 * <pre>
 * Answer      state(4) hits(4) detail(8) lease(16) error(4) messageBytes(4) message
 * Candidates  groups(4) positions(4)  groups × [group(4) positions(4)]  positions × position(4)
 * Done        value(8)
 * Refused     error(4) messageBytes(4) message
 * MetricsReport  text, UTF-8
 * PolicyReport   JSON, UTF-8
 * Echo        payload
 * </pre>
 *
 * Welcome, Registered and Attached have a JSON part; that of a StatusReport is the report. Answer
 * and Candidates carry the revision of their operation in the header. The positions of a group
 * ascend; no frame has more of them than its bytes hold.
 */
public final class ServerCodec {
  /** A codec; it has no state. */
  public ServerCodec() {}

  /**
   * Appends one frame. Texts of answers and refusals that are too long are cut.
   *
   * @throws ProtocolException when the message does not fit into a frame; the buffer is as before
   *     then
   * @throws IllegalArgumentException when arrays of the message contradict each other; the buffer
   *     is as before then
   */
  public void encode(ServerMessage message, long epoch, FrameBuffer out) throws ProtocolException {
    short kind = kind(message);
    out.begin(kind, epoch, message.operation(), revision(message));
    boolean done = false;
    try {
      put(message, out);
      out.end(FrameKind.name(kind));
      done = true;
    } finally {
      if (!done) {
        out.abandon();
      }
    }
  }

  private static void put(ServerMessage message, FrameBuffer out) throws ProtocolException {
    switch (message) {
      case ServerMessage.Welcome welcome -> putWelcome(welcome, out);
      case ServerMessage.Registered registered -> out.json(JsonFields.bytes(json(registered)));
      case ServerMessage.Attached attached -> {
        ObjectNode node =
            JsonFields.create()
                .put("instance", attached.instance())
                .put("generation", attached.generation())
                .put("worldSize", attached.worldSize())
                .put("pageTokens", attached.pageTokens());
        ArrayNode pageBytes = node.putArray("pageBytes");
        for (long bytes : attached.pageBytes()) {
          pageBytes.add(bytes);
        }
        out.json(JsonFields.bytes(node));
      }
      case ServerMessage.Answer answer -> {
        byte[] text = Texts.message(answer.message());
        ByteBuffer bytes = out.reserve(4L * Integer.BYTES + 3L * Long.BYTES + text.length);
        bytes.putInt(answer.state().code()).putInt(answer.hits()).putLong(answer.detail());
        bytes.putLong(answer.lease().high()).putLong(answer.lease().low());
        bytes.putInt(answer.error().code()).putInt(text.length).put(text);
      }
      case ServerMessage.Candidates candidates -> putCandidates(candidates, out);
      case ServerMessage.Done done -> out.reserve(Long.BYTES).putLong(done.value());
      case ServerMessage.Refused refused -> {
        byte[] text = Texts.message(refused.message());
        ByteBuffer bytes = out.reserve(2L * Integer.BYTES + text.length);
        bytes.putInt(refused.error().code()).putInt(text.length).put(text);
      }
      case ServerMessage.StatusReport report ->
          out.json(report.json().getBytes(StandardCharsets.UTF_8));
      case ServerMessage.MetricsReport report -> {
        byte[] text = report.text().getBytes(StandardCharsets.UTF_8);
        out.reserve(text.length).put(text);
      }
      case ServerMessage.PolicyReport report -> {
        byte[] json = report.json().getBytes(StandardCharsets.UTF_8);
        out.reserve(json.length).put(json);
      }
      case ServerMessage.Echo echo -> out.reserve(echo.payload().length).put(echo.payload());
    }
  }

  private static ObjectNode json(ServerMessage.Registered registered) {
    ObjectNode node =
        JsonFields.create()
            .put("instance", registered.instance())
            .put("generation", registered.generation())
            .put("sealed", registered.sealed());
    // Left out where there are none: clients that know nothing of staged restores never see it.
    if (!registered.stageEvents().isEmpty()) {
      node.put("stageSlots", registered.stageEvents().size());
      ArrayNode events = node.putArray("stageEvents");
      registered.stageEvents().forEach(slot -> slot.forEach(events::add));
    }
    return node;
  }

  private static ServerMessage registered(Frame frame, String where) throws ProtocolException {
    JsonFields in =
        JsonFields.of(
            frame, where, "instance", "generation", "sealed", "stageSlots", "stageEvents");
    BodyReader.raw(frame, where).end();
    List<List<String>> stageEvents = new ArrayList<>();
    if (in.has("stageSlots")) {
      int slots = in.int32("stageSlots");
      List<String> events =
          in.texts("stageEvents", StagedMemory.MAX_SLOTS * WorkerLayout.MAX_LAYERS);
      if (slots < 1 || slots > StagedMemory.MAX_SLOTS || events.size() % slots != 0) {
        throw new ProtocolException(
            "[" + events.size() + "] events for [" + slots + "] slots", where);
      }
      int layers = events.size() / slots;
      for (int slot = 0; slot < slots; slot++) {
        stageEvents.add(List.copyOf(events.subList(slot * layers, (slot + 1) * layers)));
      }
    }
    return new ServerMessage.Registered(
        frame.header().operation(),
        in.int32("instance"),
        in.int64("generation"),
        in.flag("sealed"),
        stageEvents);
  }

  private static void putWelcome(ServerMessage.Welcome welcome, FrameBuffer out)
      throws ProtocolException {
    Texts.name(welcome.manager(), Protocol.MAX_NAME_BYTES, "Welcome.manager");
    ObjectNode node =
        JsonFields.create()
            .put("protocolVersion", welcome.protocolVersion())
            .put("features", welcome.features())
            .put("epoch", welcome.epoch())
            .put("session", welcome.session())
            .put("maxFrameBytes", welcome.maxFrameBytes())
            .put("maxQueryPages", welcome.maxQueryPages())
            .put("manager", welcome.manager());
    ServerMessage.BoardLocation board = welcome.board();
    if (board == null) {
      node.putNull("board");
    } else {
      node.putObject("board")
          .put("pid", board.pid())
          .put("descriptor", board.descriptor())
          .put("records", board.records());
    }
    out.json(JsonFields.bytes(node));
  }

  /**
   * The message of a frame. The frame's epoch is the caller's to compare.
   *
   * @throws ProtocolException when the frame is no message of a Manager; nothing else is thrown
   */
  public ServerMessage decode(Frame frame) throws ProtocolException {
    FrameHeader header = frame.header();
    long operation = header.operation();
    String where = FrameKind.name(header.kind());
    if (operation == 0 && header.kind() != FrameKind.REFUSED) {
      throw new ProtocolException("operation 0 is nobody's", where);
    }
    if (header.revision() != 0
        && header.kind() != FrameKind.ANSWER
        && header.kind() != FrameKind.CANDIDATES) {
      throw new ProtocolException(
          "revision [" + header.revision() + "] on a message that has none", where);
    }
    return switch (header.kind()) {
      case FrameKind.WELCOME -> welcome(frame, where);
      case FrameKind.REGISTERED -> registered(frame, where);
      case FrameKind.ATTACHED -> {
        JsonFields in =
            JsonFields.of(
                frame, where, "instance", "generation", "worldSize", "pageTokens", "pageBytes");
        BodyReader.raw(frame, where).end();
        yield new ServerMessage.Attached(
            operation,
            in.int32("instance"),
            in.int64("generation"),
            in.int32("worldSize"),
            in.int32("pageTokens"),
            in.int64s("pageBytes", GroupSpec.MAX_GROUPS));
      }
      case FrameKind.ANSWER -> answer(frame, where);
      case FrameKind.CANDIDATES -> candidates(frame, where);
      case FrameKind.DONE -> {
        BodyReader in = BodyReader.binary(frame, where);
        long value = in.int64("value");
        in.end();
        yield new ServerMessage.Done(operation, value);
      }
      case FrameKind.REFUSED -> {
        BodyReader in = BodyReader.binary(frame, where);
        ErrorCode error = error(in, where);
        String message = in.text("message", in.count("messageBytes", Protocol.MAX_MESSAGE_BYTES));
        in.end();
        yield new ServerMessage.Refused(operation, error, message);
      }
      case FrameKind.STATUS_REPORT -> {
        String json = JsonFields.text(frame, where);
        BodyReader.raw(frame, where).end();
        yield new ServerMessage.StatusReport(operation, json);
      }
      case FrameKind.METRICS_REPORT -> {
        BodyReader in = BodyReader.binary(frame, where);
        String text = in.text("text", in.remaining());
        in.end();
        yield new ServerMessage.MetricsReport(operation, text);
      }
      case FrameKind.POLICY_REPORT -> {
        BodyReader in = BodyReader.binary(frame, where);
        String json = in.text("json", in.remaining());
        in.end();
        yield new ServerMessage.PolicyReport(operation, json);
      }
      case FrameKind.ECHO_REPLY ->
          new ServerMessage.Echo(operation, BodyReader.binary(frame, where).rest());
      default -> throw new ProtocolException("no message of a Manager", where);
    };
  }

  private static ServerMessage answer(Frame frame, String where) throws ProtocolException {
    BodyReader in = BodyReader.binary(frame, where);
    int stateCode = in.int32("state");
    AnswerState state;
    try {
      state = AnswerState.of(stateCode);
    } catch (IllegalArgumentException unknown) {
      throw new ProtocolException(String.valueOf(unknown.getMessage()), where, unknown);
    }
    int hits = in.count("hits", Integer.MAX_VALUE);
    long detail = in.int64("detail");
    LeaseId lease = new LeaseId(in.int64("lease"), in.int64("lease"));
    ErrorCode error = error(in, where);
    String message = in.text("message", in.count("messageBytes", Protocol.MAX_MESSAGE_BYTES));
    in.end();
    return new ServerMessage.Answer(
        frame.header().operation(),
        frame.header().revision(),
        state,
        hits,
        detail,
        lease,
        error,
        message);
  }

  private static void putCandidates(ServerMessage.Candidates candidates, FrameBuffer out) {
    int[] groups = candidates.groups();
    int[] pagesOfGroup = candidates.pagesOfGroup();
    int[] positions = candidates.positions();
    long sum = 0;
    for (int ofGroup : pagesOfGroup) {
      ClientCodec.require(ofGroup >= 0, "Candidates: a group with [" + ofGroup + "] positions");
      sum += ofGroup;
    }
    ClientCodec.require(
        groups.length == pagesOfGroup.length
            && groups.length <= GroupSpec.MAX_GROUPS
            && positions.length == sum,
        "Candidates: ["
            + groups.length
            + "] groups, ["
            + pagesOfGroup.length
            + "] counts, ["
            + positions.length
            + "] positions");
    ByteBuffer bytes =
        out.reserve(
            2L * Integer.BYTES
                + groups.length * 2L * Integer.BYTES
                + (long) positions.length * Integer.BYTES);
    bytes.putInt(groups.length).putInt(positions.length);
    for (int i = 0; i < groups.length; i++) {
      bytes.putInt(groups[i]).putInt(pagesOfGroup[i]);
    }
    ClientCodec.putInts(bytes, positions);
  }

  private static ServerMessage candidates(Frame frame, String where) throws ProtocolException {
    BodyReader in = BodyReader.binary(frame, where);
    int groupCount = in.count("groups", GroupSpec.MAX_GROUPS);
    int total = in.count("positions", in.remaining() / Integer.BYTES);
    int[] groups = new int[groupCount];
    int[] pagesOfGroup = new int[groupCount];
    long sum = 0;
    for (int i = 0; i < groupCount; i++) {
      groups[i] = in.int32("group");
      pagesOfGroup[i] = in.count("positions of a group", total);
      sum += pagesOfGroup[i];
    }
    if (sum != total) {
      throw new ProtocolException(
          "[" + total + "] positions, but the groups have [" + sum + "]", where);
    }
    int[] positions = in.ints("positions", total);
    in.end();
    int at = 0;
    for (int ofGroup : pagesOfGroup) {
      int previous = -1;
      for (int end = at + ofGroup; at < end; at++) {
        if (positions[at] <= previous) {
          throw new ProtocolException(
              "position [" + positions[at] + "] after [" + previous + "]: they must ascend", where);
        }
        previous = positions[at];
      }
    }
    return new ServerMessage.Candidates(
        frame.header().operation(), frame.header().revision(), groups, pagesOfGroup, positions);
  }

  private ServerMessage welcome(Frame frame, String where) throws ProtocolException {
    JsonFields in =
        JsonFields.of(
            frame,
            where,
            "protocolVersion",
            "features",
            "epoch",
            "session",
            "maxFrameBytes",
            "maxQueryPages",
            "manager",
            "board");
    BodyReader.raw(frame, where).end();
    ServerMessage.@Nullable BoardLocation board = null;
    if (!in.isNull("board")) {
      JsonFields location = in.object("board", "pid", "descriptor", "records");
      int records = location.int32("records");
      if (records < 1 || records > BoardLayout.MAX_RECORDS) {
        throw new ProtocolException(
            "records [" + records + "] is outside 1.." + BoardLayout.MAX_RECORDS, location.where());
      }
      board =
          new ServerMessage.BoardLocation(
              location.int64("pid"), location.int32("descriptor"), records);
    }
    int maxFrameBytes = in.int32("maxFrameBytes");
    int maxQueryPages = in.int32("maxQueryPages");
    long epoch = in.int64("epoch");
    if (maxFrameBytes < Protocol.HEADER_BYTES || maxQueryPages < 1) {
      throw new ProtocolException(
          "limits of [" + maxFrameBytes + "] bytes and [" + maxQueryPages + "] pages", where);
    }
    if (epoch == 0 || epoch != frame.header().epoch()) {
      throw new ProtocolException(
          "epoch [" + epoch + "] in a frame of epoch [" + frame.header().epoch() + "]", where);
    }
    return new ServerMessage.Welcome(
        frame.header().operation(),
        in.int32("protocolVersion"),
        in.int64("features"),
        epoch,
        in.int64("session"),
        maxFrameBytes,
        maxQueryPages,
        in.text("manager"),
        board);
  }

  private static ErrorCode error(BodyReader in, String where) throws ProtocolException {
    int code = in.int32("error");
    try {
      return ErrorCode.of(code);
    } catch (IllegalArgumentException unknown) {
      throw new ProtocolException(String.valueOf(unknown.getMessage()), where, unknown);
    }
  }

  private static int revision(ServerMessage message) {
    return switch (message) {
      case ServerMessage.Answer answer -> answer.revision();
      case ServerMessage.Candidates candidates -> candidates.revision();
      case ServerMessage.Welcome _,
          ServerMessage.Registered _,
          ServerMessage.Attached _,
          ServerMessage.Done _,
          ServerMessage.Refused _,
          ServerMessage.StatusReport _,
          ServerMessage.MetricsReport _,
          ServerMessage.PolicyReport _,
          ServerMessage.Echo _ ->
          0;
    };
  }

  private static short kind(ServerMessage message) {
    return switch (message) {
      case ServerMessage.Welcome _ -> FrameKind.WELCOME;
      case ServerMessage.Registered _ -> FrameKind.REGISTERED;
      case ServerMessage.Attached _ -> FrameKind.ATTACHED;
      case ServerMessage.Answer _ -> FrameKind.ANSWER;
      case ServerMessage.Candidates _ -> FrameKind.CANDIDATES;
      case ServerMessage.Done _ -> FrameKind.DONE;
      case ServerMessage.Refused _ -> FrameKind.REFUSED;
      case ServerMessage.StatusReport _ -> FrameKind.STATUS_REPORT;
      case ServerMessage.MetricsReport _ -> FrameKind.METRICS_REPORT;
      case ServerMessage.PolicyReport _ -> FrameKind.POLICY_REPORT;
      case ServerMessage.Echo _ -> FrameKind.ECHO_REPLY;
    };
  }
}
