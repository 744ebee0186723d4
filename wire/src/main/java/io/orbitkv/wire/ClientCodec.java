package io.orbitkv.wire;

import io.orbitkv.api.lease.LeaseId;
import io.orbitkv.api.page.GroupSpec;
import io.orbitkv.api.page.Namespace;
import io.orbitkv.api.page.PageKey;
import io.orbitkv.api.query.QueryKind;
import io.orbitkv.api.recovery.RecoveryDemand;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Messages of clients as frames. Any thread. What {@link #decode} accepts is well formed; whether
 * it makes sense is the Manager's to judge.
 *
 * <p>Raw parts, little-endian (4: int, 8: long):
 *
 * <pre>
 * Submit       record(4) instance(4) kind(4) requestIdBytes(4) groups(4) pages(4)
 *              groups × [group(4) pages(4)]  pages × key(16)  request id
 * Claim        record(4) countLookup(4)
 * Release      lease(16)
 * Restore      record(4) instance(4) lease(16) waitEvent(8) pages(4) 0(4)  pages × device page(4)
 * Publish      record(4) instance(4) group(4) pages(4) waitEvent(8) parent(16)
 *              pages × key(16)  pages × device page(4)
 * Commit       produced(4)
 * Unregister   instance(4)
 * EngineStats  instance(4) 0(4) tokens a second(8)
 * Echo         replyBytes(4) 0(4) payload
 * Queue        keys of the JSON part's entries, one after another
 * </pre>
 *
 * Taken, Cancel, Ask, Sync, Evict and Status have no body; Hello, Register, Attach and Queue have a
 * JSON part, and so has a Submit with a demand.
 */
public final class ClientCodec {
  private static final int LONGS_OF_KEY = 2;

  private final Limits limits;

  /**
   * @param limits of the Manager
   */
  public ClientCodec(Limits limits) {
    this.limits = limits;
  }

  // ---- encode --------------------------------------------------------------------------------

  /**
   * Appends one frame. Arrays of the message are read and not kept.
   *
   * @param epoch from Welcome; a Hello carries 0 whatever is given here
   * @throws ProtocolException when the message does not fit into a frame; the buffer is as before
   *     then
   * @throws IllegalArgumentException when arrays of the message contradict each other; the buffer
   *     is as before then
   */
  public void encode(ClientMessage message, long epoch, FrameBuffer out) throws ProtocolException {
    short kind = kind(message);
    out.begin(
        kind,
        message instanceof ClientMessage.Hello ? 0 : epoch,
        message.operation(),
        revision(message));
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

  private void put(ClientMessage message, FrameBuffer out) throws ProtocolException {
    switch (message) {
      case ClientMessage.Hello hello -> putHello(hello, out);
      case ClientMessage.Register register -> putRegister(register, out);
      case ClientMessage.Attach attach -> {
        Texts.name(attach.instance(), Protocol.MAX_NAME_BYTES, "Attach.instance");
        out.json(JsonFields.bytes(JsonFields.create().put("instance", attach.instance())));
      }
      case ClientMessage.Unregister unregister ->
          out.reserve(Integer.BYTES).putInt(unregister.instance());
      case ClientMessage.Submit submit -> putSubmit(submit, out);
      case ClientMessage.Taken _,
          ClientMessage.Cancel _,
          ClientMessage.Ask _,
          ClientMessage.Sync _,
          ClientMessage.Evict _,
          ClientMessage.Status _ -> {}
      case ClientMessage.Claim claim ->
          out.reserve(2 * Integer.BYTES).putInt(claim.record()).putInt(claim.countLookup() ? 1 : 0);
      case ClientMessage.Release release ->
          out.reserve(2 * Long.BYTES)
              .putLong(release.lease().high())
              .putLong(release.lease().low());
      case ClientMessage.Restore restore -> putRestore(restore, out);
      case ClientMessage.Publish publish -> putPublish(publish, out);
      case ClientMessage.Commit commit ->
          out.reserve(Integer.BYTES).putInt(commit.produced() ? 1 : 0);
      case ClientMessage.Queue queue -> putQueue(queue, out);
      case ClientMessage.EngineStats stats ->
          out.reserve(2 * Integer.BYTES + Long.BYTES)
              .putInt(stats.instance())
              .putInt(0)
              .putLong(stats.prefillTokensPerSecond());
      case ClientMessage.Echo echo ->
          out.reserve(2L * Integer.BYTES + echo.payload().length)
              .putInt(echo.replyBytes())
              .putInt(0)
              .put(echo.payload());
    }
  }

  private static void putHello(ClientMessage.Hello hello, FrameBuffer out)
      throws ProtocolException {
    Texts.name(hello.client(), Protocol.MAX_NAME_BYTES, "Hello.client");
    out.json(
        JsonFields.bytes(
            JsonFields.create()
                .put("client", hello.client())
                .put("protocolVersion", hello.protocolVersion())
                .put("features", hello.features())
                .put("pid", hello.pid())));
  }

  private static void putRegister(ClientMessage.Register register, FrameBuffer out)
      throws ProtocolException {
    Texts.name(register.instance(), Protocol.MAX_NAME_BYTES, "Register.instance");
    ObjectNode node = JsonFields.create();
    node.put("instance", register.instance());
    node.put("namespace", register.namespace().digest());
    node.set("layout", Layouts.json(register.layout()));
    node.set("device", Layouts.json(register.device()));
    out.json(JsonFields.bytes(node));
  }

  private void putSubmit(ClientMessage.Submit submit, FrameBuffer out) throws ProtocolException {
    int[] groups = submit.groups();
    int[] pagesOfGroup = submit.pagesOfGroup();
    long[] keys = submit.keys();
    long pages = 0;
    for (int ofGroup : pagesOfGroup) {
      require(ofGroup >= 0, "Submit: a group with [" + ofGroup + "] pages");
      pages += ofGroup;
    }
    require(
        groups.length == pagesOfGroup.length && groups.length <= GroupSpec.MAX_GROUPS,
        "Submit: [" + groups.length + "] groups with [" + pagesOfGroup.length + "] page counts");
    require(
        keys.length == pages * LONGS_OF_KEY,
        "Submit: [" + keys.length + "] key halves for [" + pages + "] pages");
    require(
        (submit.kind() == QueryKind.SELECTED) == (submit.demand() != null),
        "Submit: a demand belongs to SELECTED alone, not to [" + submit.kind() + "]");
    limit(pages, "Submit");
    byte[] requestId =
        Texts.name(submit.requestId(), Protocol.MAX_REQUEST_ID_BYTES, "Submit.requestId");
    if (submit.demand() != null) {
      out.json(JsonFields.bytes(Layouts.json(submit.demand())));
    }
    ByteBuffer bytes =
        out.reserve(
            6L * Integer.BYTES
                + groups.length * 2L * Integer.BYTES
                + (long) keys.length * Long.BYTES
                + requestId.length);
    bytes.putInt(submit.record()).putInt(submit.instance()).putInt(submit.kind().code());
    bytes.putInt(requestId.length).putInt(groups.length).putInt((int) pages);
    for (int i = 0; i < groups.length; i++) {
      bytes.putInt(groups[i]).putInt(pagesOfGroup[i]);
    }
    putLongs(bytes, keys);
    bytes.put(requestId);
  }

  private void putRestore(ClientMessage.Restore restore, FrameBuffer out) throws ProtocolException {
    int[] devicePages = restore.devicePages();
    limit(devicePages.length, "Restore");
    ByteBuffer bytes =
        out.reserve(4L * Integer.BYTES + 3L * Long.BYTES + (long) devicePages.length * 4);
    bytes.putInt(restore.record()).putInt(restore.instance());
    bytes.putLong(restore.lease().high()).putLong(restore.lease().low());
    bytes.putLong(restore.waitEvent()).putInt(devicePages.length).putInt(0);
    putInts(bytes, devicePages);
  }

  private void putPublish(ClientMessage.Publish publish, FrameBuffer out) throws ProtocolException {
    int[] devicePages = publish.devicePages();
    long[] keys = publish.keys();
    require(
        keys.length == devicePages.length * (long) LONGS_OF_KEY,
        "Publish: [" + keys.length + "] key halves for [" + devicePages.length + "] pages");
    limit(devicePages.length, "Publish");
    ByteBuffer bytes =
        out.reserve(
            4L * Integer.BYTES
                + 3L * Long.BYTES
                + (long) keys.length * Long.BYTES
                + (long) devicePages.length * Integer.BYTES);
    bytes.putInt(publish.record()).putInt(publish.instance());
    bytes.putInt(publish.group()).putInt(devicePages.length).putLong(publish.waitEvent());
    bytes.putLong(publish.parent().high()).putLong(publish.parent().low());
    putLongs(bytes, keys);
    putInts(bytes, devicePages);
  }

  private void putQueue(ClientMessage.Queue queue, FrameBuffer out) throws ProtocolException {
    if (queue.changes().size() > Protocol.MAX_QUEUE_CHANGES) {
      throw new ProtocolException(
          "[" + queue.changes().size() + "] changes: at most " + Protocol.MAX_QUEUE_CHANGES,
          "Queue");
    }
    long pages = 0;
    ObjectNode node = JsonFields.create().put("instance", queue.instance());
    ArrayNode changes = node.putArray("changes");
    for (ClientMessage.Queue.Entry entry : queue.changes()) {
      Texts.name(entry.requestId(), Protocol.MAX_REQUEST_ID_BYTES, "Queue.requestId");
      require(
          entry.keys().length % LONGS_OF_KEY == 0,
          "Queue: [" + entry.keys().length + "] key halves");
      changes
          .addObject()
          .put("requestId", entry.requestId())
          .put("state", entry.state().name().toLowerCase(Locale.ROOT))
          .put("pages", entry.keys().length / LONGS_OF_KEY);
      pages += entry.keys().length / LONGS_OF_KEY;
    }
    limit(pages, "Queue");
    out.json(JsonFields.bytes(node));
    ByteBuffer bytes = out.reserve(pages * PageKey.BYTES);
    for (ClientMessage.Queue.Entry entry : queue.changes()) {
      putLongs(bytes, entry.keys());
    }
  }

  private void limit(long pages, String where) throws ProtocolException {
    if (pages > limits.maxPages()) {
      throw new ProtocolException(
          "[" + pages + "] pages: at most " + limits.maxPages() + " at a time", where);
    }
  }

  // ---- decode --------------------------------------------------------------------------------

  /**
   * The message of a frame. The frame's epoch is the caller's to compare, but a Hello must carry 0.
   *
   * @throws ProtocolException when the frame is no message of a client; nothing else is thrown
   */
  public ClientMessage decode(Frame frame) throws ProtocolException {
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
      case FrameKind.QUEUE -> queue(frame, where);
      case FrameKind.ENGINE_STATS -> {
        BodyReader in = BodyReader.binary(frame, where);
        int instance = in.int32("instance");
        in.zero("reserved");
        long rate = in.int64("prefillTokensPerSecond");
        in.end();
        yield new ClientMessage.EngineStats(operation, instance, rate);
      }
      case FrameKind.SYNC -> {
        BodyReader.binary(frame, where).end();
        yield new ClientMessage.Sync(operation);
      }
      case FrameKind.EVICT -> {
        BodyReader.binary(frame, where).end();
        yield new ClientMessage.Evict(operation);
      }
      case FrameKind.STATUS -> {
        BodyReader.binary(frame, where).end();
        yield new ClientMessage.Status(operation);
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
    long[] keys = in.longs("keys", pages * LONGS_OF_KEY);
    String requestId = in.text("request id", requestIdBytes);
    in.end();
    boolean hasDemand = frame.header().jsonBytes() > 0;
    if (hasDemand != (kind == QueryKind.SELECTED)) {
      throw new ProtocolException("kind [" + kind + "] with a demand or SELECTED without", where);
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
    in.zero("reserved");
    int[] devicePages = in.ints("device pages", pages);
    in.end();
    return new ClientMessage.Restore(
        frame.header().operation(), record, instance, lease, waitEvent, devicePages);
  }

  private ClientMessage publish(Frame frame, String where) throws ProtocolException {
    BodyReader in = BodyReader.binary(frame, where);
    int record = in.int32("record");
    int instance = in.int32("instance");
    int group = in.int32("group");
    int pages = in.count("pages", limits.maxPages());
    long waitEvent = in.int64("waitEvent");
    PageKey parent = new PageKey(in.int64("parent"), in.int64("parent"));
    long[] keys = in.longs("keys", pages * LONGS_OF_KEY);
    int[] devicePages = in.ints("device pages", pages);
    in.end();
    return new ClientMessage.Publish(
        frame.header().operation(), record, instance, group, waitEvent, parent, keys, devicePages);
  }

  private ClientMessage queue(Frame frame, String where) throws ProtocolException {
    JsonFields fields = JsonFields.of(frame, where, "instance", "changes");
    BodyReader in = BodyReader.raw(frame, where);
    List<ClientMessage.Queue.Entry> changes = new ArrayList<>();
    int budget = limits.maxPages();
    for (JsonFields change :
        fields.objects("changes", Protocol.MAX_QUEUE_CHANGES, "requestId", "state", "pages")) {
      int pages = change.int32("pages");
      if (pages < 0 || pages > budget) {
        throw new ProtocolException(
            "pages [" + pages + "] is outside 0.." + budget, change.where());
      }
      budget -= pages;
      ClientMessage.Queue.State state =
          switch (change.text("state")) {
            case "accepted" -> ClientMessage.Queue.State.ACCEPTED;
            case "executing" -> ClientMessage.Queue.State.EXECUTING;
            case "gone" -> ClientMessage.Queue.State.GONE;
            default ->
                throw new ProtocolException(
                    "state is not accepted, executing or gone", change.where());
          };
      changes.add(
          new ClientMessage.Queue.Entry(
              change.text("requestId"), state, in.longs("keys", pages * LONGS_OF_KEY)));
    }
    in.end();
    return new ClientMessage.Queue(frame.header().operation(), fields.int32("instance"), changes);
  }

  // ---- both ----------------------------------------------------------------------------------

  private static short kind(ClientMessage message) {
    return switch (message) {
      case ClientMessage.Hello _ -> FrameKind.HELLO;
      case ClientMessage.Register _ -> FrameKind.REGISTER;
      case ClientMessage.Attach _ -> FrameKind.ATTACH;
      case ClientMessage.Unregister _ -> FrameKind.UNREGISTER;
      case ClientMessage.Submit _ -> FrameKind.SUBMIT;
      case ClientMessage.Taken _ -> FrameKind.TAKEN;
      case ClientMessage.Cancel _ -> FrameKind.CANCEL;
      case ClientMessage.Ask _ -> FrameKind.ASK;
      case ClientMessage.Claim _ -> FrameKind.CLAIM;
      case ClientMessage.Release _ -> FrameKind.RELEASE;
      case ClientMessage.Restore _ -> FrameKind.RESTORE;
      case ClientMessage.Publish _ -> FrameKind.PUBLISH;
      case ClientMessage.Commit _ -> FrameKind.COMMIT;
      case ClientMessage.Queue _ -> FrameKind.QUEUE;
      case ClientMessage.EngineStats _ -> FrameKind.ENGINE_STATS;
      case ClientMessage.Sync _ -> FrameKind.SYNC;
      case ClientMessage.Evict _ -> FrameKind.EVICT;
      case ClientMessage.Status _ -> FrameKind.STATUS;
      case ClientMessage.Echo _ -> FrameKind.ECHO;
    };
  }

  private static int revision(ClientMessage message) {
    return switch (message) {
      case ClientMessage.Submit submit -> submit.revision();
      case ClientMessage.Taken taken -> taken.revision();
      case ClientMessage.Cancel cancel -> cancel.revision();
      case ClientMessage.Ask ask -> ask.revision();
      case ClientMessage.Claim claim -> claim.revision();
      case ClientMessage.Hello _,
          ClientMessage.Register _,
          ClientMessage.Attach _,
          ClientMessage.Unregister _,
          ClientMessage.Release _,
          ClientMessage.Restore _,
          ClientMessage.Publish _,
          ClientMessage.Commit _,
          ClientMessage.Queue _,
          ClientMessage.EngineStats _,
          ClientMessage.Sync _,
          ClientMessage.Evict _,
          ClientMessage.Status _,
          ClientMessage.Echo _ ->
          0;
    };
  }

  private static void putLongs(ByteBuffer bytes, long[] values) {
    bytes.asLongBuffer().put(values);
    bytes.position(bytes.position() + values.length * Long.BYTES);
  }

  private static void putInts(ByteBuffer bytes, int[] values) {
    bytes.asIntBuffer().put(values);
    bytes.position(bytes.position() + values.length * Integer.BYTES);
  }

  private static void require(boolean holds, String message) {
    if (!holds) {
      throw new IllegalArgumentException(message);
    }
  }
}
