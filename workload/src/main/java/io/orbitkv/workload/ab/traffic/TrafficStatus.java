package io.orbitkv.workload.ab.traffic;

import io.orbitkv.workload.report.TextTable;
import java.time.Duration;
import java.time.Instant;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** How an experiment on live traffic stands, for a terminal. */
public final class TrafficStatus {
  private TrafficStatus() {}

  /**
   * The text; each line ends with a line feed.
   *
   * @param json a Manager's answer
   */
  public static String of(String json) {
    JsonNode root = JsonMapper.shared().readTree(json);
    JsonNode experiment = root.path("experiment");
    TextTable table = new TextTable();
    String trouble = root.path("trouble").asString("");
    if (!trouble.isEmpty()) {
      table.row("trouble", trouble);
    }
    if (!experiment.isObject()) {
      table.row(
          "experiment",
          root.path("configured").asBoolean(false)
              ? "none; the configuration has a section ab: 'orbitkv ab start' starts it"
              : "none");
      return table.text();
    }
    String reason = experiment.path("reason").asString("");
    table.row("experiment", experiment.path("name").asString(""));
    table.row(
        "state", experiment.path("state").asString("") + (reason.isEmpty() ? "" : ": " + reason));
    table.row(
        "started", Instant.ofEpochMilli(experiment.path("started_millis").asLong(0)).toString());
    TrafficExperiment.setup(experiment)
        .forEach((name, value) -> {
          if (!name.equals("state")) {
            table.row(name.replace('_', ' '), value);
          }
        });
    if (experiment.has("block")) {
      String turn = experiment.path("turn").asString("");
      table.row(
          "now",
          (turn.isEmpty() ? "block " : "turn of " + turn + ", ")
              + experiment.path("block").asInt(0)
              + " of "
              + experiment.path("blocks_total").asInt(0)
              + (experiment.path("period").asString("").equals("aa")
                  ? ", both variants run A"
                  : ", the variants")
              + (experiment.path("settling").asBoolean(false)
                  ? "; it does not count: caches settle"
                  : ""));
      table.row("left", duration(experiment.path("left_nanos").asLong(0)));
    }
    experiment.path("voids").forEach(line -> table.row("void", line.asString("")));
    experiment.path("notes").forEach(line -> table.row("note", line.asString("")));
    table.row("kept in", root.path("state_file").asString(""));
    return table.text();
  }

  private static String duration(long nanos) {
    Duration left = Duration.ofNanos(nanos);
    if (left.toHours() > 0) {
      return left.toHours() + " h " + left.toMinutesPart() + " min";
    }
    return left.toMinutes() > 0
        ? left.toMinutes() + " min " + left.toSecondsPart() + " s"
        : left.toSeconds() + " s";
  }
}
