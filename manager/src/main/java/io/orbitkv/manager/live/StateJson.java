package io.orbitkv.manager.live;

import io.orbitkv.manager.experiment.ArmSplit;
import io.orbitkv.manager.experiment.Assignment;
import io.orbitkv.manager.experiment.Isolation;
import io.orbitkv.manager.experiment.Schedule;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** An experiment as a JSON object: what its file holds, and what reports are made of. */
final class StateJson {
  /** Of the file; another one is not read. */
  static final int VERSION = 1;

  private static final JsonMapper MAPPER = JsonMapper.builder().build();

  private StateJson() {}

  // ---- writing -------------------------------------------------------------------------------

  static String of(ExperimentRecord record) {
    ObjectNode root = MAPPER.createObjectNode();
    put(record, root, true);
    return MAPPER.writeValueAsString(root);
  }

  static void put(ExperimentRecord record, ObjectNode root, boolean withBlocks) {
    ExperimentRecord.Terms terms = record.terms();
    Schedule schedule = terms.schedule();
    root.put("version", VERSION);
    root.put("name", terms.name());
    root.put("state", record.state().key());
    root.put("reason", record.reason());
    root.put("restarts", record.restarts());
    root.put("isolation", terms.isolation().key());
    root.put("label", terms.isolation().label());
    root.put("by", terms.split().by().key());
    root.put("percent_of_a", terms.split().percent());
    root.put("salt", terms.split().salt());
    root.put("block_nanos", schedule.blockNanos());
    root.put("same_blocks", schedule.sameBlocks());
    root.put("blocks_planned", schedule.blocks());
    root.put("turns", schedule.turns());
    root.put("settle_blocks", schedule.settleBlocks());
    root.put("short_blocks", terms.shortBlocks());
    root.put("fallback_share", terms.fallbackShare());
    root.put("policies_a", terms.policiesA());
    root.put("policies_b", terms.policiesB());
    root.put("configured", terms.configured());
    texts(root, "differing", terms.differing());
    root.put("primary", terms.primary());
    root.put("margin", terms.margin());
    ObjectNode guards = root.putObject("guards");
    terms.guards().entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .forEach(guard -> guards.put(guard.getKey(), guard.getValue()));
    root.put("started_millis", terms.startedMillis());
    texts(root, "notes", terms.notes());
    texts(root, "voids", record.voids());
    root.put("blocks_over", record.blocks().size());
    if (withBlocks) {
      ArrayNode blocks = root.putArray("blocks");
      record.blocks().forEach(block -> put(block, blocks.addObject()));
    }
  }

  private static void texts(ObjectNode root, String name, List<String> texts) {
    ArrayNode list = root.putArray(name);
    texts.forEach(list::add);
  }

  private static void put(Block block, ObjectNode node) {
    node.put("index", block.index());
    node.put("same", block.same());
    node.put("swapped", block.swapped());
    node.put("after_restart", block.afterRestart());
    node.put("settling", block.settling());
    texts(node, "voids", block.voids());
    for (Arm arm : Arm.values()) {
      Block.Figures figures = block.arms().get(arm);
      if (figures == null) {
        continue;
      }
      ObjectNode of = node.putObject(arm.name());
      for (Column column : Column.values()) {
        Long sum = figures.sums().get(column);
        if (sum != null) {
          of.put(column.key(), sum);
        }
      }
      ObjectNode waits = of.putObject("waits");
      figures.waits().entrySet().stream()
          .sorted(Map.Entry.comparingByKey())
          .forEach(count -> waits.put(Long.toString(count.getKey()), count.getValue()));
    }
  }

  // ---- reading -------------------------------------------------------------------------------

  /**
   * Reads what {@link #of} wrote.
   *
   * @throws IllegalArgumentException saying what is wrong with it
   */
  static ExperimentRecord parse(String text) {
    try {
      JsonNode root = MAPPER.readTree(text);
      long version = number(root, "version");
      if (version != VERSION) {
        throw new IllegalArgumentException(
            "it is of version [" + version + "], and this Manager reads [" + VERSION + "]");
      }
      return record(root);
    } catch (JacksonException malformed) {
      throw new IllegalArgumentException(
          "it is no JSON: " + malformed.getOriginalMessage(), malformed);
    }
  }

  private static ExperimentRecord record(JsonNode root) {
    Schedule schedule =
        new Schedule(
            positive(root, "block_nanos"),
            (int) positive(root, "same_blocks"),
            (int) positive(root, "blocks_planned"),
            root.path("turns").asBoolean(false),
            root.path("settle_blocks").asInt(0));
    if (schedule.total() > Schedule.MOST_BLOCKS) {
      throw new IllegalArgumentException("[blocks_planned] is [" + schedule.blocks() + "]");
    }
    ArmSplit split =
        new ArmSplit(
            constant(Assignment.By.values(), text(root, "by"), "by"),
            (int) positive(root, "percent_of_a"),
            number(root, "salt"));
    Map<String, String> guards = new LinkedHashMap<>();
    root.path("guards")
        .properties()
        .forEach(guard -> guards.put(guard.getKey(), guard.getValue().asString("")));
    ExperimentRecord.Terms terms =
        new ExperimentRecord.Terms(
            text(root, "name"),
            constant(Isolation.values(), text(root, "isolation"), "isolation"),
            split,
            schedule,
            root.path("short_blocks").asBoolean(false),
            root.path("fallback_share").asDouble(0),
            text(root, "policies_a"),
            text(root, "policies_b"),
            text(root, "configured"),
            texts(root, "differing"),
            text(root, "primary"),
            text(root, "margin"),
            guards,
            number(root, "started_millis"),
            texts(root, "notes"));
    List<Block> blocks = new ArrayList<>();
    for (JsonNode block : root.path("blocks")) {
      blocks.add(block(block, blocks.size()));
    }
    if (blocks.size() > schedule.total()) {
      throw new IllegalArgumentException(
          "it has [" + blocks.size() + "] blocks, more than planned");
    }
    return new ExperimentRecord(
        terms,
        constant(ExperimentRecord.State.values(), text(root, "state"), "state"),
        text(root, "reason"),
        (int) number(root, "restarts"),
        blocks);
  }

  private static Block block(JsonNode node, int index) {
    if (number(node, "index") != index) {
      throw new IllegalArgumentException("block [" + index + "] is missing");
    }
    Map<Arm, Block.Figures> arms = new EnumMap<>(Arm.class);
    for (Arm arm : Arm.values()) {
      JsonNode figures = node.path(arm.name());
      if (figures.isObject()) {
        Map<Column, Long> sums = new EnumMap<>(Column.class);
        for (Column column : Column.values()) {
          if (figures.has(column.key())) {
            sums.put(column, number(figures, column.key()));
          }
        }
        Map<Long, Integer> waits = new LinkedHashMap<>();
        figures
            .path("waits")
            .properties()
            .forEach(count -> waits.put(Long.parseLong(count.getKey()), count.getValue().asInt(0)));
        arms.put(arm, new Block.Figures(sums, waits));
      }
    }
    return new Block(
        index,
        node.path("same").asBoolean(false),
        node.path("swapped").asBoolean(false),
        node.path("after_restart").asBoolean(false),
        node.path("settling").asBoolean(false),
        texts(node, "voids"),
        arms);
  }

  private static List<String> texts(JsonNode root, String name) {
    List<String> texts = new ArrayList<>();
    root.path(name).forEach(text -> texts.add(text.asString("")));
    return texts;
  }

  private static String text(JsonNode root, String name) {
    JsonNode node = root.path(name);
    if (!node.isString()) {
      throw new IllegalArgumentException("[" + name + "] is missing");
    }
    return node.asString("");
  }

  private static long number(JsonNode root, String name) {
    JsonNode node = root.path(name);
    if (!node.isIntegralNumber()) {
      throw new IllegalArgumentException("[" + name + "] is no number");
    }
    return node.asLong(0);
  }

  private static long positive(JsonNode root, String name) {
    long value = number(root, name);
    if (value < 1) {
      throw new IllegalArgumentException("[" + name + "] is [" + value + "]");
    }
    return value;
  }

  private static <E extends Enum<E>> E constant(E[] values, String text, String name) {
    for (E value : values) {
      if (value.name().toLowerCase(Locale.ROOT).equals(text)) {
        return value;
      }
    }
    throw new IllegalArgumentException("[" + name + "] is [" + text + "]");
  }
}
