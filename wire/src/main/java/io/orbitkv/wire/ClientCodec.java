package io.orbitkv.wire;

import io.orbitkv.api.page.GroupSpec;
import io.orbitkv.api.query.QueryKind;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
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
 * Restore      record(4) instance(4) lease(16) waitEvent(8) pages(4) staged(4)
 *              pages × device page(4)
 * Publish      record(4) instance(4) group(4) pages(4) waitEvent(8) parent(16)
 *              pages × key(16)  pages × device page(4)
 * Commit       produced(4)
 * Unregister   instance(4)
 * EngineStats  instance(4) 0(4) tokens a second(8)
 * Metrics      json(4)
 * Sync         nothing, or durable(4)
 * Evict        nothing, or everywhere(4)
 * Echo         replyBytes(4) 0(4) payload
 * Queue        for each change of the JSON part, one after another:
 *              groups × [group(4) pages(4)]
 *              with a demand: pageTokens(4) startToken(4) endToken(4) 0(4)
 *                             ranges × [group(4) startToken(4) endToken(4)]
 *              pages × key(16)
 * </pre>
 *
 * Taken, Cancel, Ask, StageWaited and Status have no body; Hello, Register, Attach, Queue and
 * Policy have a JSON part, and so has a Submit with a demand: {@code {pageTokens, startToken,
 * endToken, ranges: [{group, startToken, endToken}]}}.
 *
 * <p>The JSON part of a Queue is {@code {instance, changes: [{requestId, state, pages, groups,
 * ranges}]}} with the number of all its pages, of its groups and of its demand's ranges (0: no
 * demand). {@code groups} and {@code ranges} are both there or both left out; without them the
 * pages are a prefix of group 0.
 */
public final class ClientCodec {
  static final int LONGS_OF_KEY = 2;

  private final Limits limits;
  private final ClientDecoder decoder;

  /**
   * @param limits of the Manager
   */
  public ClientCodec(Limits limits) {
    this.limits = limits;
    this.decoder = new ClientDecoder(limits);
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
          ClientMessage.StageWaited _,
          ClientMessage.Status _ -> {}
      case ClientMessage.Sync sync -> putFlag(sync.durable(), out);
      case ClientMessage.Evict evict -> putFlag(evict.everywhere(), out);
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
      case ClientMessage.Metrics metrics ->
          out.reserve(Integer.BYTES).putInt(metrics.json() ? 1 : 0);
      case ClientMessage.Policy policy -> out.json(policy.json().getBytes(StandardCharsets.UTF_8));
      case ClientMessage.Queue queue -> {
        limit(QueueBody.pages(queue), "Queue");
        QueueBody.put(queue, out);
      }
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
        mayHaveDemand(submit.kind(), submit.demand() != null),
        "Submit: SELECTED has a demand, PREPARE may have one, nothing else does: ["
            + submit.kind()
            + "]");
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
    bytes.putLong(restore.waitEvent()).putInt(devicePages.length);
    bytes.putInt(restore.staged() ? 1 : 0);
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
    return decoder.decode(frame);
  }

  // ---- inside --------------------------------------------------------------------------------

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
      case ClientMessage.StageWaited _ -> FrameKind.STAGE_WAITED;
      case ClientMessage.Publish _ -> FrameKind.PUBLISH;
      case ClientMessage.Commit _ -> FrameKind.COMMIT;
      case ClientMessage.Queue _ -> FrameKind.QUEUE;
      case ClientMessage.EngineStats _ -> FrameKind.ENGINE_STATS;
      case ClientMessage.Sync _ -> FrameKind.SYNC;
      case ClientMessage.Evict _ -> FrameKind.EVICT;
      case ClientMessage.Status _ -> FrameKind.STATUS;
      case ClientMessage.Metrics _ -> FrameKind.METRICS;
      case ClientMessage.Policy _ -> FrameKind.POLICY;
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
          ClientMessage.StageWaited _,
          ClientMessage.Publish _,
          ClientMessage.Commit _,
          ClientMessage.Queue _,
          ClientMessage.EngineStats _,
          ClientMessage.Sync _,
          ClientMessage.Evict _,
          ClientMessage.Status _,
          ClientMessage.Metrics _,
          ClientMessage.Policy _,
          ClientMessage.Echo _ ->
          0;
    };
  }

  /** A flag that is left out when it is not set. */
  private static void putFlag(boolean flag, FrameBuffer out) throws ProtocolException {
    if (flag) {
      out.reserve(Integer.BYTES).putInt(1);
    }
  }

  /** Whether a query of this kind is complete with, or without, a demand. */
  static boolean mayHaveDemand(QueryKind kind, boolean demand) {
    return switch (kind) {
      case SELECTED -> demand;
      case PREPARE -> true;
      case DEMAND, PRODUCER_WAIT, DISCOVER, WARM -> !demand;
    };
  }

  static void putLongs(ByteBuffer bytes, long[] values) {
    bytes.asLongBuffer().put(values);
    bytes.position(bytes.position() + values.length * Long.BYTES);
  }

  static void putInts(ByteBuffer bytes, int[] values) {
    bytes.asIntBuffer().put(values);
    bytes.position(bytes.position() + values.length * Integer.BYTES);
  }

  static void require(boolean holds, String message) {
    if (!holds) {
      throw new IllegalArgumentException(message);
    }
  }
}
