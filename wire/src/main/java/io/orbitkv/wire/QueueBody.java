package io.orbitkv.wire;

import io.orbitkv.api.page.GroupSpec;
import io.orbitkv.api.recovery.GroupRange;
import io.orbitkv.api.recovery.RecoveryDemand;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The body of a queue report, whose layout {@link ClientCodec} tells. Groups and ranges are raw, so
 * that a report of the largest size stays within the JSON reader's limit of tokens.
 */
final class QueueBody {
  private static final int GROUP_BYTES = 2 * Integer.BYTES;
  private static final int SPAN_BYTES = 4 * Integer.BYTES;
  private static final int RANGE_BYTES = 3 * Integer.BYTES;

  private QueueBody() {}

  // ---- write ---------------------------------------------------------------------------------

  /**
   * The pages of all changes.
   *
   * @throws IllegalArgumentException when arrays of a change contradict each other
   */
  static long pages(ClientMessage.Queue queue) {
    long pages = 0;
    for (ClientMessage.Queue.Entry entry : queue.changes()) {
      long ofEntry = 0;
      for (int ofGroup : entry.pagesOfGroup()) {
        ClientCodec.require(ofGroup >= 0, "Queue: a group with [" + ofGroup + "] pages");
        ofEntry += ofGroup;
      }
      int groups = entry.groups().length;
      ClientCodec.require(
          groups == entry.pagesOfGroup().length && groups <= GroupSpec.MAX_GROUPS,
          "Queue: [" + groups + "] groups with [" + entry.pagesOfGroup().length + "] page counts");
      ClientCodec.require(
          entry.keys().length == ofEntry * ClientCodec.LONGS_OF_KEY,
          "Queue: [" + entry.keys().length + "] key halves for [" + ofEntry + "] pages");
      pages += ofEntry;
    }
    return pages;
  }

  static void put(ClientMessage.Queue queue, FrameBuffer out) throws ProtocolException {
    if (queue.changes().size() > Protocol.MAX_QUEUE_CHANGES) {
      throw new ProtocolException(
          "[" + queue.changes().size() + "] changes: at most " + Protocol.MAX_QUEUE_CHANGES,
          "Queue");
    }
    ObjectNode node = JsonFields.create().put("instance", queue.instance());
    ArrayNode changes = node.putArray("changes");
    for (ClientMessage.Queue.Entry entry : queue.changes()) {
      Texts.name(entry.requestId(), Protocol.MAX_REQUEST_ID_BYTES, "Queue.requestId");
      ObjectNode change =
          changes
              .addObject()
              .put("requestId", entry.requestId())
              .put("state", entry.state().name().toLowerCase(Locale.ROOT))
              .put("pages", entry.keys().length / ClientCodec.LONGS_OF_KEY);
      if (!isPrefix(entry)) {
        change.put("groups", entry.groups().length).put("ranges", ranges(entry.demand()));
      }
    }
    out.json(JsonFields.bytes(node));
    for (ClientMessage.Queue.Entry entry : queue.changes()) {
      putRaw(entry, out);
    }
  }

  private static void putRaw(ClientMessage.Queue.Entry entry, FrameBuffer out) {
    int groups = entry.groups().length;
    @Nullable RecoveryDemand demand = entry.demand();
    ByteBuffer bytes =
        out.reserve(
            (long) groups * GROUP_BYTES
                + SPAN_BYTES
                + (long) ranges(demand) * RANGE_BYTES
                + (long) entry.keys().length * Long.BYTES);
    if (!isPrefix(entry)) {
      for (int i = 0; i < groups; i++) {
        bytes.putInt(entry.groups()[i]).putInt(entry.pagesOfGroup()[i]);
      }
      if (demand != null) {
        bytes.putInt(demand.pageTokens()).putInt(demand.startToken()).putInt(demand.endToken());
        bytes.putInt(0);
        for (GroupRange range : demand.ranges()) {
          bytes.putInt(range.group()).putInt(range.startToken()).putInt(range.endToken());
        }
      }
    }
    ClientCodec.putLongs(bytes, entry.keys());
  }

  private static boolean isPrefix(ClientMessage.Queue.Entry entry) {
    int groups = entry.groups().length;
    return entry.demand() == null
        && (groups == 0 || (groups == 1 && entry.groups()[0] == 0 && entry.pagesOfGroup()[0] > 0));
  }

  private static int ranges(@Nullable RecoveryDemand demand) {
    return demand == null ? 0 : demand.ranges().size();
  }

  // ---- read ----------------------------------------------------------------------------------

  static ClientMessage.Queue read(Frame frame, String where, int maxPages)
      throws ProtocolException {
    JsonFields fields = JsonFields.of(frame, where, "instance", "changes");
    BodyReader in = BodyReader.raw(frame, where);
    List<ClientMessage.Queue.Entry> changes = new ArrayList<>();
    int budget = maxPages;
    for (JsonFields change :
        fields.objects(
            "changes",
            Protocol.MAX_QUEUE_CHANGES,
            "requestId",
            "state",
            "pages",
            "groups",
            "ranges")) {
      int pages = change.count("pages", budget);
      budget -= pages;
      changes.add(entry(change, in, pages));
    }
    in.end();
    return new ClientMessage.Queue(frame.header().operation(), fields.int32("instance"), changes);
  }

  private static ClientMessage.Queue.Entry entry(JsonFields change, BodyReader in, int pages)
      throws ProtocolException {
    String requestId = change.text("requestId");
    ClientMessage.Queue.State state = state(change);
    if (!change.has("groups") && !change.has("ranges")) {
      return new ClientMessage.Queue.Entry(
          requestId, state, in.longs("keys", pages * ClientCodec.LONGS_OF_KEY));
    }
    int groupCount = change.count("groups", GroupSpec.MAX_GROUPS);
    int rangeCount = change.count("ranges", GroupSpec.MAX_GROUPS);
    int[] groups = new int[groupCount];
    int[] pagesOfGroup = new int[groupCount];
    long sum = 0;
    for (int i = 0; i < groupCount; i++) {
      groups[i] = in.int32("group");
      pagesOfGroup[i] = in.count("pages of a group", pages);
      sum += pagesOfGroup[i];
    }
    if (sum != pages) {
      throw new ProtocolException(
          "[" + pages + "] pages, but the groups have [" + sum + "]", change.where());
    }
    @Nullable RecoveryDemand demand =
        rangeCount == 0 ? null : demand(in, rangeCount, change.where());
    return new ClientMessage.Queue.Entry(
        requestId,
        state,
        groups,
        pagesOfGroup,
        in.longs("keys", pages * ClientCodec.LONGS_OF_KEY),
        demand);
  }

  private static ClientMessage.Queue.State state(JsonFields change) throws ProtocolException {
    return switch (change.text("state")) {
      case "accepted" -> ClientMessage.Queue.State.ACCEPTED;
      case "executing" -> ClientMessage.Queue.State.EXECUTING;
      case "gone" -> ClientMessage.Queue.State.GONE;
      default ->
          throw new ProtocolException("state is not accepted, executing or gone", change.where());
    };
  }

  private static RecoveryDemand demand(BodyReader in, int rangeCount, String where)
      throws ProtocolException {
    int pageTokens = in.int32("pageTokens");
    int startToken = in.int32("startToken");
    int endToken = in.int32("endToken");
    in.zero("reserved");
    List<GroupRange> ranges = new ArrayList<>(rangeCount);
    try {
      for (int i = 0; i < rangeCount; i++) {
        ranges.add(new GroupRange(in.int32("group"), in.int32("start"), in.int32("end")));
      }
      return new RecoveryDemand(pageTokens, startToken, endToken, ranges);
    } catch (IllegalArgumentException wrong) {
      throw new ProtocolException(String.valueOf(wrong.getMessage()), where + ".demand", wrong);
    }
  }
}
