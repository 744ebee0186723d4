package io.orbitkv.workload.ab.traffic;

import io.orbitkv.workload.ab.assign.Arm;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * An experiment as a Manager tells of it.
 *
 * @param name of it
 * @param state {@code running}, {@code done}, {@code stopped}, {@code voided} or {@code
 *     interrupted}
 * @param reason why it does not run any more
 * @param setup what was fixed, as names and values in their order
 * @param policies of each variant, as JSON
 * @param shared whether both variants ran at once
 * @param primary measure that decides, as written; empty for the default
 * @param margin as written; empty for the default
 * @param guards limits as written, by measure
 * @param voids blocks that do not count, in words
 * @param notes what a reader must know
 * @param startedMillis milliseconds since 1970
 * @param blocks that are over
 */
public record TrafficExperiment(
    String name,
    String state,
    String reason,
    Map<String, String> setup,
    Map<Arm, String> policies,
    boolean shared,
    String primary,
    String margin,
    Map<String, String> guards,
    List<String> voids,
    List<String> notes,
    long startedMillis,
    List<Block> blocks) {
  /** Whether it goes on. */
  public boolean running() {
    return state.equals("running");
  }

  /**
   * One block of time.
   *
   * @param index from 0
   * @param same whether both variants ran A
   * @param half which half of its period it belongs to, 0 or 1
   * @param counts whether it is neither void, nor the first one after a restart, nor one in which
   *     caches settle
   * @param arms sums of each variant that ran in it, by column
   * @param waits queries of each by the upper end of their wait, in nanoseconds
   */
  public record Block(
      int index,
      boolean same,
      int half,
      boolean counts,
      Map<Arm, Map<String, Long>> arms,
      Map<Arm, Map<Long, Integer>> waits) {}

  /**
   * Reads a Manager's answer.
   *
   * @return empty when it has run no experiment
   * @throws IllegalArgumentException when it is no answer
   */
  public static Optional<TrafficExperiment> parse(String json) {
    JsonNode root;
    try {
      root = JsonMapper.shared().readTree(json).path("experiment");
    } catch (JacksonException malformed) {
      throw new IllegalArgumentException(
          "the Manager's answer is no JSON: " + malformed.getOriginalMessage(), malformed);
    }
    return root.isObject() ? Optional.of(of(root)) : Optional.empty();
  }

  private static TrafficExperiment of(JsonNode root) {
    List<Block> blocks = new ArrayList<>();
    root.path("blocks").forEach(block -> blocks.add(block(block)));
    Map<String, String> guards = new LinkedHashMap<>();
    root.path("guards")
        .properties()
        .forEach(guard -> guards.put(guard.getKey(), guard.getValue().asString("")));
    Map<Arm, String> policies = new EnumMap<>(Arm.class);
    policies.put(Arm.A, root.path("policies_a").asString("{}"));
    policies.put(Arm.B, root.path("policies_b").asString("{}"));
    return new TrafficExperiment(
        root.path("name").asString(""),
        root.path("state").asString(""),
        root.path("reason").asString(""),
        setup(root),
        policies,
        !root.path("turns").asBoolean(true),
        root.path("primary").asString(""),
        root.path("margin").asString(""),
        guards,
        texts(root.path("voids")),
        texts(root.path("notes")),
        root.path("started_millis").asLong(0),
        List.copyOf(blocks));
  }

  static Map<String, String> setup(JsonNode root) {
    Map<String, String> setup = new LinkedHashMap<>();
    boolean turns = root.path("turns").asBoolean(true);
    String label = root.path("label").asString("");
    setup.put(
        "isolation",
        root.path("isolation").asString("") + (label.isEmpty() ? "" : " (" + label + ")"));
    if (!turns) {
      setup.put("by", root.path("by").asString(""));
      int ofA = root.path("percent_of_a").asInt(50);
      setup.put("split", ofA + " : " + (100 - ofA) + ", swapped in the middle");
      setup.put("salt", Long.toString(root.path("salt").asLong(0)));
    }
    double seconds = root.path("block_nanos").asLong(0) / 1e9;
    setup.put(turns ? "turn" : "block", number(seconds) + " s");
    setup.put("aa_blocks", Integer.toString(root.path("same_blocks").asInt(0)));
    setup.put("blocks", Integer.toString(root.path("blocks_planned").asInt(0)));
    setup.put("blocks_over", Integer.toString(root.path("blocks_over").asInt(0)));
    int settle = root.path("settle_blocks").asInt(0);
    if (settle > 0) {
      setup.put("settle_blocks", settle + " after each change of policies");
    }
    setup.put("differing", String.join(", ", texts(root.path("differing"))));
    setup.put("state", root.path("state").asString(""));
    int restarts = root.path("restarts").asInt(0);
    if (restarts > 0) {
      setup.put("restarts", Integer.toString(restarts));
    }
    return setup;
  }

  private static String number(double value) {
    return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
  }

  private static List<String> texts(JsonNode list) {
    List<String> texts = new ArrayList<>();
    list.forEach(text -> texts.add(text.asString("")));
    return List.copyOf(texts);
  }

  private static Block block(JsonNode node) {
    Map<Arm, Map<String, Long>> arms = new EnumMap<>(Arm.class);
    Map<Arm, Map<Long, Integer>> waits = new EnumMap<>(Arm.class);
    for (Arm arm : Arm.values()) {
      JsonNode figures = node.path(arm.name());
      if (!figures.isObject()) {
        continue;
      }
      Map<String, Long> sums = new LinkedHashMap<>();
      figures
          .properties()
          .forEach(sum -> {
            if (sum.getValue().isIntegralNumber()) {
              sums.put(sum.getKey(), sum.getValue().asLong(0));
            }
          });
      Map<Long, Integer> counts = new TreeMap<>();
      figures
          .path("waits")
          .properties()
          .forEach(count -> counts.put(Long.parseLong(count.getKey()), count.getValue().asInt(0)));
      arms.put(arm, Map.copyOf(sums));
      waits.put(arm, counts);
    }
    return new Block(
        node.path("index").asInt(0),
        node.path("same").asBoolean(false),
        node.path("swapped").asBoolean(false) ? 1 : 0,
        node.path("voids").isEmpty()
            && !node.path("after_restart").asBoolean(false)
            && !node.path("settling").asBoolean(false),
        arms,
        waits);
  }
}
