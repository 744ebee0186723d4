package io.orbitkv.workload.sim;

import io.orbitkv.workload.sim.rule.InvariantViolation;
import io.orbitkv.workload.sim.rule.RecordedAction;
import io.orbitkv.workload.sim.rule.Scenario;
import io.orbitkv.workload.sim.run.SeedResult;
import io.orbitkv.workload.sim.run.SeedRunner;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * One run as a file of JSON lines. The first line names the seed, how many lines follow and what
 * was violated; a line with {@code action} is something that happened outside of the kernel, and
 * all that a replay needs; a line with {@code step} shows for people which event that made and what
 * the kernel answered.
 */
public final class SimulationTrace {
  private final long seed;
  private final long steps;
  private final Scenario scenario;
  private final List<RecordedAction> actions;

  private SimulationTrace(long seed, long steps, Scenario scenario, List<RecordedAction> actions) {
    this.seed = seed;
    this.steps = steps;
    this.scenario = scenario;
    this.actions = actions;
  }

  /** The run that shows a violation. */
  public static SimulationTrace of(SimulationOptions options, Violation violation) {
    return new SimulationTrace(
        violation.seed(), options.steps(), options.scenario(), violation.actions());
  }

  /** The whole run of a seed. */
  public static SimulationTrace of(SimulationOptions options, long seed) {
    List<RecordedAction> actions =
        new SeedRunner(options.scenario()).actions(seed, options.steps());
    return new SimulationTrace(seed, options.steps(), options.scenario(), actions);
  }

  // ---- writing ---------------------------------------------------------------------------------

  /** Runs it and writes what happens. */
  public void write(Path file) throws IOException {
    List<String> lines = new ArrayList<>();
    ArrayList<RecordedAction> left = new ArrayList<>(actions);
    SeedRunner runner =
        new SeedRunner(
            scenario,
            (step, nowNanos, text) -> {
              while (!left.isEmpty() && left.getFirst().atNanos() <= nowNanos) {
                lines.add(line(left.removeFirst()));
              }
              lines.add(line(step, nowNanos, text));
            });
    SeedResult result = runner.run(seed, steps, actions);
    left.forEach(action -> lines.add(line(action)));
    ObjectNode head = JsonMapper.shared().createObjectNode();
    head.put("seed", seed).put("steps", steps).put("scenario", scenario.name());
    head.put("lines", lines.size());
    InvariantViolation violation = result.violation();
    if (violation != null) {
      head.put("violated", violation.invariant().key()).put("what", violation.getMessage());
    }
    try (BufferedWriter writer = Files.newBufferedWriter(file)) {
      writer.write(head + "\n");
      for (String line : lines) {
        writer.write(line);
        writer.write('\n');
      }
    }
  }

  private static String line(RecordedAction action) {
    ObjectNode node = JsonMapper.shared().createObjectNode();
    node.put("action", action.kind())
        .put("index", action.index())
        .put("at_nanos", action.atNanos())
        .put("choices", action.choices());
    return node.toString();
  }

  private static String line(long step, long nowNanos, SeedRunner.StepText text) {
    ObjectNode node = JsonMapper.shared().createObjectNode();
    node.put("step", step).put("at_nanos", nowNanos).put("event", text.event());
    var commands = node.putArray("commands");
    text.commands().forEach(commands::add);
    return node.toString();
  }

  // ---- reading ---------------------------------------------------------------------------------

  /**
   * Reads a file that {@link #write} wrote.
   *
   * @throws IllegalArgumentException naming the line that is not part of a trace
   */
  public static SimulationTrace read(Path file) throws IOException {
    int number = 0;
    try (BufferedReader reader = Files.newBufferedReader(file)) {
      JsonNode head = null;
      List<RecordedAction> actions = new ArrayList<>();
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        number++;
        JsonNode node = object(line);
        if (head == null) {
          requireHead(node);
          head = node;
        } else if (node.has("action")) {
          actions.add(action(node));
        }
      }
      if (head == null) {
        throw new IllegalArgumentException("the file is empty");
      }
      return trace(head, actions, number - 1);
    } catch (CharacterCodingException notText) {
      throw unusable(file, number + 1, "this is not text in UTF-8", notText);
    } catch (IllegalArgumentException problem) {
      throw unusable(file, number, String.valueOf(problem.getMessage()), problem);
    }
  }

  private static SimulationTrace trace(JsonNode head, List<RecordedAction> actions, int lines) {
    if (number(head, "lines") != lines) {
      throw new IllegalArgumentException(
          "the file was cut short or changed: ["
              + lines
              + "] lines follow the first, which tells of ["
              + number(head, "lines")
              + "]");
    }
    Scenario scenario = Scenario.named(head.path("scenario").asString(""));
    if (scenario == null) {
      throw new IllegalArgumentException(
          "scenario [" + head.path("scenario").asString("") + "] is unknown");
    }
    long steps = number(head, "steps");
    if (steps < 1 || steps > SimulationOptions.MOST_STEPS) {
      throw new IllegalArgumentException(
          "[steps] is [" + steps + "]: must be 1 to " + SimulationOptions.MOST_STEPS);
    }
    return new SimulationTrace(number(head, "seed"), steps, scenario, actions);
  }

  private static JsonNode object(String line) {
    JsonNode node;
    try {
      node = JsonMapper.shared().readTree(line);
    } catch (JacksonException malformed) {
      throw new IllegalArgumentException("this is not a JSON object", malformed);
    }
    if (!node.isObject()) {
      throw new IllegalArgumentException("this is not a JSON object");
    }
    return node;
  }

  private static void requireHead(JsonNode node) {
    for (String name : List.of("seed", "steps", "lines")) {
      number(node, name);
    }
  }

  private static RecordedAction action(JsonNode node) {
    long index = number(node, "index");
    if (index < 0 || index > Integer.MAX_VALUE) {
      throw new IllegalArgumentException("[index] is [" + index + "]: no run has so many");
    }
    RecordedAction action =
        new RecordedAction(
            (int) index,
            number(node, "at_nanos"),
            node.path("action").asString(""),
            number(node, "choices"));
    SeedRunner.requireKnown(action);
    return action;
  }

  private static IllegalArgumentException unusable(
      Path file, int line, String problem, Exception cause) {
    return new IllegalArgumentException(
        "trace ["
            + file
            + "]"
            + (line == 0 ? "" : " line " + line)
            + ": "
            + problem
            + "; name a file that --trace-out wrote",
        cause);
  }

  private static long number(JsonNode node, String name) {
    JsonNode value = node.path(name);
    if (!value.isIntegralNumber() || !value.canConvertToLong()) {
      throw new IllegalArgumentException("[" + name + "] is missing or no whole number");
    }
    return value.asLong();
  }

  // ---- running ---------------------------------------------------------------------------------

  /** Runs it again; what it violates, or null. */
  public @Nullable Violation replay() {
    SeedResult result = new SeedRunner(scenario).run(seed, steps, actions);
    InvariantViolation found = result.violation();
    return found == null
        ? null
        : new Violation(
            seed, result.steps(), found.invariant(), found.getMessage(), result.trail(), actions);
  }
}
