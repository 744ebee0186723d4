package io.orbitkv.wire;

import io.orbitkv.api.lease.LeaseId;
import io.orbitkv.api.page.GroupSpec;
import io.orbitkv.api.page.Namespace;
import io.orbitkv.api.page.PageKey;
import io.orbitkv.api.query.QueryKind;
import io.orbitkv.api.recovery.RecoveryDemand;
import org.jspecify.annotations.Nullable;

/** The reading half of {@link ClientCodec}, where the layouts are told. */
final class ClientDecoder {
  private final Limits limits;

  ClientDecoder(Limits limits) {
    this.limits = limits;
  }

  ClientMessage decode(Frame frame) throws ProtocolException {
    FrameHeader header = frame.header();
    long operation = header.operation();
    int revision = header.revision();
    String where = FrameKind.name(header.kind());
    if (operation == 0) {
      throw new ProtocolException("operation 0 is nobody's", where);
    }
    boolean revised =
        switch (header.kind()) {
          case FrameKind.SUBMIT,
              FrameKind.TAKEN,
              FrameKind.CANCEL,
              FrameKind.ASK,
              FrameKind.CLAIM ->
              true;
          default -> false;
        };
    if (!revised && revision != 0) {
      throw new ProtocolException("revision [" + revision + "] on a message that has none", where);
    }
    return switch (header.kind()) {
      case FrameKind.HELLO -> hello(frame, where);
      case FrameKind.REGISTER -> register(frame, where);
      case FrameKind.ATTACH -> {
        JsonFields in = JsonFields.of(frame, where, "instance");
        BodyReader.raw(frame, where).end();
        yield new ClientMessage.Attach(operation, in.text("instance"));
      }
      case FrameKind.UNREGISTER -> {
        BodyReader in = BodyReader.binary(frame, where);
        int instance = in.int32("instance");
        in.end();
        yield new ClientMessage.Unregister(operation, instance);
      }
      case FrameKind.SUBMIT -> submit(frame, where);
      case FrameKind.TAKEN -> {
        BodyReader.binary(frame, where).end();
        yield new ClientMessage.Taken(operation, revision);
      }
      case FrameKind.CANCEL -> {
        BodyReader.binary(frame, where).end();
        yield new ClientMessage.Cancel(operation, revision);
      }
      case FrameKind.STAGE_WAITED -> {
        BodyReader.binary(frame, where).end();
        yield new ClientMessage.StageWaited(operation);
      }
      case FrameKind.ASK -> {
        BodyReader.binary(frame, where).end();
        yield new ClientMessage.Ask(operation, revision);
      }
      case FrameKind.CLAIM -> {
        BodyReader in = BodyReader.binary(frame, where);
        int record = in.int32("record");
        boolean countLookup = in.flag("countLookup");
        in.end();
        yield new ClientMessage.Claim(operation, revision, record, countLookup);
      }
      case FrameKind.RELEASE -> {
        BodyReader in = BodyReader.binary(frame, where);
        LeaseId lease = new LeaseId(in.int64("lease"), in.int64("lease"));
        in.end();
        yield new ClientMessage.Release(operation, lease);
      }
      case FrameKind.RESTORE -> restore(frame, where);
      case FrameKind.PUBLISH -> publish(frame, where);
      case FrameKind.COMMIT -> {
        BodyReader in = BodyReader.binary(frame, where);
        boolean produced = in.flag("produced");
        in.end();
        yield new ClientMessage.Commit(operation, produced);
      }
      case FrameKind.QUEUE -> QueueBody.read(frame, where, limits.maxPages());
      case FrameKind.ENGINE_STATS -> {
        BodyReader in = BodyReader.binary(frame, where);
        int instance = in.int32("instance");
        in.zero("reserved");
        long rate = in.int64("prefillTokensPerSecond");
        in.end();
        yield new ClientMessage.EngineStats(operation, instance, rate);
      }
      case FrameKind.SYNC -> new ClientMessage.Sync(operation, flag(frame, where, "durable"));
      case FrameKind.EVICT -> new ClientMessage.Evict(operation, flag(frame, where, "everywhere"));
      case FrameKind.STATUS -> {
        BodyReader.binary(frame, where).end();
        yield new ClientMessage.Status(operation);
      }
      case FrameKind.METRICS -> {
        BodyReader in = BodyReader.binary(frame, where);
        boolean json = in.flag("json");
        in.end();
        yield new ClientMessage.Metrics(operation, json);
      }
      case FrameKind.POLICY -> {
        String json = JsonFields.text(frame, where);
        BodyReader.raw(frame, where).end();
        yield new ClientMessage.Policy(operation, json);
      }
      case FrameKind.ECHO -> {
        BodyReader in = BodyReader.binary(frame, where);
        int replyBytes = in.count("replyBytes", limits.maxFrameBytes() - Protocol.HEADER_BYTES);
        in.zero("reserved");
        yield new ClientMessage.Echo(operation, replyBytes, in.rest());
      }
      default -> throw new ProtocolException("no message of a client", where);
    };
  }

  /** A flag that may be left out. */
  private static boolean flag(Frame frame, String where, String field) throws ProtocolException {
    BodyReader in = BodyReader.binary(frame, where);
    boolean flag = in.remaining() > 0 && in.flag(field);
    in.end();
    return flag;
  }

  private static ClientMessage hello(Frame frame, String where) throws ProtocolException {
    if (frame.header().epoch() != 0) {
      throw new ProtocolException("epoch [" + frame.header().epoch() + "] must be 0", where);
    }
    JsonFields in = JsonFields.of(frame, where, "client", "protocolVersion", "features", "pid");
    BodyReader.raw(frame, where).end();
    return new ClientMessage.Hello(
        frame.header().operation(),
        in.text("client"),
        in.int32("protocolVersion"),
        in.int64("features"),
        in.int64("pid"));
  }

  private static ClientMessage register(Frame frame, String where) throws ProtocolException {
    JsonFields in = JsonFields.of(frame, where, "instance", "namespace", "layout", "device");
    BodyReader.raw(frame, where).end();
    String digest = in.text("namespace");
    Namespace namespace;
    try {
      namespace = new Namespace(digest);
    } catch (IllegalArgumentException wrong) {
      throw new ProtocolException(String.valueOf(wrong.getMessage()), where, wrong);
    }
    return new ClientMessage.Register(
        frame.header().operation(),
        in.text("instance"),
        namespace,
        Layouts.workerLayout(in, "layout"),
        Layouts.device(in, "device"));
  }

  private ClientMessage submit(Frame frame, String where) throws ProtocolException {
    BodyReader in = BodyReader.raw(frame, where);
    int record = in.int32("record");
    int instance = in.int32("instance");
    int kindCode = in.int32("kind");
    int requestIdBytes = in.count("requestIdBytes", Protocol.MAX_REQUEST_ID_BYTES);
    int groupCount = in.count("groups", GroupSpec.MAX_GROUPS);
    int pages = in.count("pages", limits.maxPages());
    QueryKind kind;
    try {
      kind = QueryKind.of(kindCode);
    } catch (IllegalArgumentException unknown) {
      throw new ProtocolException(String.valueOf(unknown.getMessage()), where, unknown);
    }
    int[] groups = new int[groupCount];
    int[] pagesOfGroup = new int[groupCount];
    long sum = 0;
    for (int i = 0; i < groupCount; i++) {
      groups[i] = in.int32("group");
      pagesOfGroup[i] = in.count("pages of a group", limits.maxPages());
      sum += pagesOfGroup[i];
    }
    if (sum != pages) {
      throw new ProtocolException(
          "[" + pages + "] pages, but the groups have [" + sum + "]", where);
    }
    long[] keys = in.longs("keys", pages * ClientCodec.LONGS_OF_KEY);
    String requestId = in.text("request id", requestIdBytes);
    in.end();
    boolean hasDemand = frame.header().jsonBytes() > 0;
    if (!ClientCodec.mayHaveDemand(kind, hasDemand)) {
      throw new ProtocolException(
          "kind [" + kind + (hasDemand ? "] with a demand" : "] without a demand"), where);
    }
    @Nullable RecoveryDemand demand = hasDemand ? Layouts.demand(frame, where) : null;
    return new ClientMessage.Submit(
        frame.header().operation(),
        frame.header().revision(),
        record,
        instance,
        kind,
        requestId,
        groups,
        pagesOfGroup,
        keys,
        demand);
  }

  private ClientMessage restore(Frame frame, String where) throws ProtocolException {
    BodyReader in = BodyReader.binary(frame, where);
    int record = in.int32("record");
    int instance = in.int32("instance");
    LeaseId lease = new LeaseId(in.int64("lease"), in.int64("lease"));
    long waitEvent = in.int64("waitEvent");
    int pages = in.count("pages", limits.maxPages());
    boolean staged = in.flag("staged");
    int[] devicePages = in.ints("device pages", pages);
    in.end();
    return new ClientMessage.Restore(
        frame.header().operation(), record, instance, lease, waitEvent, devicePages, staged);
  }

  private ClientMessage publish(Frame frame, String where) throws ProtocolException {
    BodyReader in = BodyReader.binary(frame, where);
    int record = in.int32("record");
    int instance = in.int32("instance");
    int group = in.int32("group");
    int pages = in.count("pages", limits.maxPages());
    long waitEvent = in.int64("waitEvent");
    PageKey parent = new PageKey(in.int64("parent"), in.int64("parent"));
    long[] keys = in.longs("keys", pages * ClientCodec.LONGS_OF_KEY);
    int[] devicePages = in.ints("device pages", pages);
    in.end();
    return new ClientMessage.Publish(
        frame.header().operation(), record, instance, group, waitEvent, parent, keys, devicePages);
  }
}
