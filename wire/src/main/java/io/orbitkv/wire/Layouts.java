package io.orbitkv.wire;

import io.orbitkv.api.copy.DeviceMemoryDescriptor;
import io.orbitkv.api.page.GroupRule;
import io.orbitkv.api.page.GroupSpec;
import io.orbitkv.api.page.LayerLayout;
import io.orbitkv.api.page.WorkerLayout;
import io.orbitkv.api.recovery.GroupRange;
import io.orbitkv.api.recovery.RecoveryDemand;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The value types of the contracts as JSON, property by property. */
final class Layouts {
  private static final String PREFIX = "prefix";
  private static final String WINDOW = "window";
  private static final String CHECKPOINT = "checkpoint";

  /** Reserved for GPU memory that is shared as file descriptors. */
  private static final String CUDA_FILES = "cuda-files";

  private Layouts() {}

  // ---- worker layout -------------------------------------------------------------------------

  static ObjectNode json(WorkerLayout layout) {
    ObjectNode node = JsonFields.create();
    node.put("rank", layout.rank());
    node.put("worldSize", layout.worldSize());
    node.put("pageTokens", layout.pageTokens());
    node.put("numaNode", layout.numaNode());
    ArrayNode groups = node.putArray("groups");
    for (GroupSpec group : layout.groups()) {
      ObjectNode groupNode = groups.addObject();
      groupNode.put("id", group.id());
      switch (group.rule()) {
        case GroupRule.Prefix _ -> groupNode.put("rule", PREFIX).put("tokens", 0);
        case GroupRule.Window window ->
            groupNode.put("rule", WINDOW).put("tokens", window.tokens());
        case GroupRule.Checkpoint _ -> groupNode.put("rule", CHECKPOINT).put("tokens", 0);
      }
    }
    ArrayNode layers = node.putArray("layers");
    for (LayerLayout layer : layout.layers()) {
      layers
          .addObject()
          .put("name", layer.name())
          .put("group", layer.group())
          .put("baseOffset", layer.baseOffset())
          .put("pages", layer.pages())
          .put("segmentBytes", layer.segmentBytes())
          .put("segments", layer.segments())
          .put("segmentStride", layer.segmentStride())
          .put("pageStride", layer.pageStride());
    }
    return node;
  }

  static WorkerLayout workerLayout(JsonFields parent, String name) throws ProtocolException {
    JsonFields in =
        parent.object(name, "rank", "worldSize", "pageTokens", "numaNode", "groups", "layers");
    List<GroupSpec> groups = new ArrayList<>();
    for (JsonFields group : in.objects("groups", GroupSpec.MAX_GROUPS, "id", "rule", "tokens")) {
      groups.add(groupSpec(group));
    }
    List<LayerLayout> layers = new ArrayList<>();
    List<JsonFields> layerFields =
        in.objects(
            "layers",
            WorkerLayout.MAX_LAYERS,
            "name",
            "group",
            "baseOffset",
            "pages",
            "segmentBytes",
            "segments",
            "segmentStride",
            "pageStride");
    for (JsonFields layer : layerFields) {
      layers.add(layerLayout(layer));
    }
    int rank = in.int32("rank");
    int worldSize = in.int32("worldSize");
    int pageTokens = in.int32("pageTokens");
    int numaNode = in.int32("numaNode");
    try {
      return new WorkerLayout(rank, worldSize, pageTokens, numaNode, groups, layers);
    } catch (IllegalArgumentException | ArithmeticException wrong) {
      throw invalid(wrong, in);
    }
  }

  private static GroupSpec groupSpec(JsonFields in) throws ProtocolException {
    int id = in.int32("id");
    int tokens = in.int32("tokens");
    String rule = in.text("rule");
    try {
      return new GroupSpec(
          id,
          switch (rule) {
            case PREFIX -> new GroupRule.Prefix();
            case WINDOW -> new GroupRule.Window(tokens);
            case CHECKPOINT -> new GroupRule.Checkpoint();
            default ->
                throw new IllegalArgumentException(
                    "rule [" + rule + "] is not prefix, window or checkpoint");
          });
    } catch (IllegalArgumentException wrong) {
      throw invalid(wrong, in);
    }
  }

  private static LayerLayout layerLayout(JsonFields in) throws ProtocolException {
    String name = in.text("name");
    int group = in.int32("group");
    long baseOffset = in.int64("baseOffset");
    int pages = in.int32("pages");
    int segmentBytes = in.int32("segmentBytes");
    int segments = in.int32("segments");
    long segmentStride = in.int64("segmentStride");
    long pageStride = in.int64("pageStride");
    try {
      return new LayerLayout(
          name, group, baseOffset, pages, segmentBytes, segments, segmentStride, pageStride);
    } catch (IllegalArgumentException | ArithmeticException wrong) {
      throw invalid(wrong, in);
    }
  }

  // ---- device memory -------------------------------------------------------------------------

  static ObjectNode json(DeviceMemoryDescriptor device) {
    ObjectNode node = JsonFields.create();
    node.put("kind", device.kind());
    switch (device) {
      case DeviceMemoryDescriptor.SharedMemory memory ->
          node.put("pid", memory.pid())
              .put("descriptor", memory.descriptor())
              .put("bytes", memory.bytes());
      case DeviceMemoryDescriptor.CudaIpc memory -> {
        node.put("gpuUuid", memory.gpuUuid());
        ArrayNode allocations = node.putArray("allocations");
        for (DeviceMemoryDescriptor.CudaIpc.Allocation allocation : memory.allocations()) {
          allocations
              .addObject()
              .put("handle", allocation.handle())
              .put("offset", allocation.offset())
              .put("bytes", allocation.bytes());
        }
        ArrayNode events = node.putArray("events");
        memory.events().forEach(events::add);
      }
    }
    return node;
  }

  static DeviceMemoryDescriptor device(JsonFields parent, String name) throws ProtocolException {
    JsonFields any =
        parent.object(
            name, "kind", "pid", "descriptor", "bytes", "gpuUuid", "allocations", "events");
    String kind = any.text("kind");
    return switch (kind) {
      case DeviceMemoryDescriptor.SharedMemory.KIND -> {
        JsonFields in = parent.object(name, "kind", "pid", "descriptor", "bytes");
        yield new DeviceMemoryDescriptor.SharedMemory(
            in.int64("pid"), in.int32("descriptor"), in.int64("bytes"));
      }
      case DeviceMemoryDescriptor.CudaIpc.KIND ->
          cudaIpc(parent.object(name, "kind", "gpuUuid", "allocations", "events"));
      case CUDA_FILES ->
          throw new ProtocolException(
              "kind ["
                  + CUDA_FILES
                  + "], memory of cuMemCreate, is not supported: start the engine without"
                  + " expandable segments, sleep mode or a memory saver, so that its KV cache is"
                  + " plain device memory",
              any.where());
      default ->
          throw new ProtocolException(
              "kind [" + kind + "] is not shared-memory or cuda-ipc", any.where());
    };
  }

  private static DeviceMemoryDescriptor cudaIpc(JsonFields in) throws ProtocolException {
    String gpuUuid = in.text("gpuUuid");
    List<JsonFields> parts =
        in.objects(
            "allocations",
            DeviceMemoryDescriptor.CudaIpc.MAX_ALLOCATIONS,
            "handle",
            "offset",
            "bytes");
    List<DeviceMemoryDescriptor.CudaIpc.Allocation> allocations = new ArrayList<>(parts.size());
    for (JsonFields part : parts) {
      String handle = part.text("handle");
      long offset = part.int64("offset");
      long bytes = part.int64("bytes");
      try {
        allocations.add(new DeviceMemoryDescriptor.CudaIpc.Allocation(handle, offset, bytes));
      } catch (IllegalArgumentException wrong) {
        throw invalid(wrong, part);
      }
    }
    List<String> events = in.texts("events", DeviceMemoryDescriptor.CudaIpc.MAX_EVENTS);
    try {
      return new DeviceMemoryDescriptor.CudaIpc(gpuUuid, allocations, events);
    } catch (IllegalArgumentException wrong) {
      throw invalid(wrong, in);
    }
  }

  // ---- recovery demand -----------------------------------------------------------------------

  static ObjectNode json(RecoveryDemand demand) {
    ObjectNode node = JsonFields.create();
    node.put("pageTokens", demand.pageTokens());
    node.put("startToken", demand.startToken());
    node.put("endToken", demand.endToken());
    ArrayNode ranges = node.putArray("ranges");
    for (GroupRange range : demand.ranges()) {
      ranges
          .addObject()
          .put("group", range.group())
          .put("startToken", range.startToken())
          .put("endToken", range.endToken());
    }
    return node;
  }

  static RecoveryDemand demand(Frame frame, String where) throws ProtocolException {
    JsonFields in =
        JsonFields.of(frame, where + ".demand", "pageTokens", "startToken", "endToken", "ranges");
    List<JsonFields> fields =
        in.objects("ranges", GroupSpec.MAX_GROUPS, "group", "startToken", "endToken");
    int pageTokens = in.int32("pageTokens");
    int startToken = in.int32("startToken");
    int endToken = in.int32("endToken");
    List<GroupRange> ranges = new ArrayList<>(fields.size());
    for (JsonFields range : fields) {
      int group = range.int32("group");
      int start = range.int32("startToken");
      int end = range.int32("endToken");
      try {
        ranges.add(new GroupRange(group, start, end));
      } catch (IllegalArgumentException wrong) {
        throw invalid(wrong, range);
      }
    }
    try {
      return new RecoveryDemand(pageTokens, startToken, endToken, ranges);
    } catch (IllegalArgumentException wrong) {
      throw invalid(wrong, in);
    }
  }

  private static ProtocolException invalid(RuntimeException wrong, JsonFields in) {
    return new ProtocolException(String.valueOf(wrong.getMessage()), in.where(), wrong);
  }
}
