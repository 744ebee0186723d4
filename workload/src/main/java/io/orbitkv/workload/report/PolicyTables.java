package io.orbitkv.workload.report;

import java.util.ArrayList;
import java.util.List;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What a Manager tells of its policies, for people. */
public final class PolicyTables {
  private PolicyTables() {}

  /** Each slot with what serves in it and what could. */
  public static String list(String json) {
    JsonNode root = read(json);
    StringBuilder text = new StringBuilder();
    for (JsonNode slot : root.path("slots")) {
      text.append(line(slot)).append('\n');
    }
    for (JsonNode past : root.path("before")) {
      if (past.path("class_loader_leaked").asBoolean(false)) {
        text.append(line(past)).append('\n');
      }
    }
    text.append(ShadowTable.of(root.path("shadows")));
    StringBuilder offered = new StringBuilder();
    JsonNode names = root.path("offered");
    for (String slot : names.propertyNames()) {
      if (!names.path(slot).isEmpty()) {
        offered.append("  ").append(slot).append(": ").append(texts(names.path(slot)));
        offered.append('\n');
      }
    }
    return text
        + (offered.isEmpty() ? "no plugin offers a policy\n" : "offered by plugins:\n" + offered);
  }

  /**
   * What a change did.
   *
   * @param slot that was to change; empty for any
   */
  public static String changed(String json, String slot) {
    JsonNode root = read(json);
    StringBuilder text = new StringBuilder();
    for (JsonNode each : root.path("slots")) {
      if (slot.isEmpty() || slot.equals(each.path("slot").asString(""))) {
        text.append(line(each)).append('\n');
      }
    }
    for (JsonNode note : root.path("notes")) {
      text.append("note: ").append(note.asString("")).append('\n');
    }
    return (root.path("changed").asBoolean(false) ? "" : "nothing changed\n") + text;
  }

  /** Policies that do not serve, although they are to: they could not be made, or hang. */
  public static List<String> lost(String json, String slot) {
    List<String> lost = new ArrayList<>();
    for (JsonNode each : read(json).path("slots")) {
      boolean meant = slot.isEmpty() || slot.equals(each.path("slot").asString(""));
      if (meant && !each.path("serves").asBoolean(true)) {
        lost.add(each.path("policy").asString(""));
      }
    }
    return lost;
  }

  /** Entries of the journal, one after another. */
  public static String explain(String json) {
    JsonNode root = read(json);
    StringBuilder text = new StringBuilder();
    for (JsonNode entry : root.path("entries")) {
      if (entry.path("kind").asString("").equals("boundary")) {
        boundary(entry, text);
      } else {
        decision(entry, text);
      }
    }
    if (root.path("entries").isEmpty()) {
      text.append("no such decision is kept\n");
    }
    text.append(Quantity.count(root.path("decisions").asLong(0)))
        .append(" decisions so far, ")
        .append(Quantity.count(root.path("kept").asLong(0)))
        .append(" entries kept, ")
        .append(Quantity.count(root.path("overwritten").asLong(0)))
        .append(" overwritten\n");
    return text.toString();
  }

  private static void boundary(JsonNode entry, StringBuilder text) {
    text.append(entry.path("time").asString("")).append(" epoch ").append(entry.path("epoch"));
    text.append(" begins: ").append(entry.path("cause").asString("")).append('\n');
    for (JsonNode slot : entry.path("slots")) {
      text.append("    ").append(slot.path("slot").asString("")).append(' ');
      text.append(slot.path("serves").asString(""));
      text.append(slot.path("fresh").asBoolean(false) ? " (new)\n" : "\n");
    }
  }

  private static void decision(JsonNode entry, StringBuilder text) {
    text.append(entry.path("time").asString("")).append(' ');
    text.append(entry.path("slot").asString("")).append(' ');
    text.append(entry.path("policy").asString(""));
    if (entry.has("request")) {
      text.append(" request ").append(entry.path("request").asString(""));
    }
    if (entry.has("chain")) {
      text.append(" chain ").append(entry.path("chain").asString(""));
    }
    text.append(": ").append(entry.path("choice").asString(""));
    text.append(" (").append(entry.path("reason").asString("")).append(')');
    if (entry.has("detail")) {
      text.append(' ').append(entry.path("detail").asString(""));
    }
    text.append(
        entry.path("by_default").asBoolean(false)
            ? ", by default\n"
            : ", in " + entry.path("call_nanos").asLong(0) / 1000 + " us\n");
    if (entry.has("inputs")) {
      text.append("    saw ").append(entry.path("inputs")).append('\n');
    }
  }

  private static String line(JsonNode slot) {
    StringBuilder line = new StringBuilder();
    String cell = slot.path("cell").asString("");
    line.append(cell.isEmpty() ? "" : "cell " + cell + ": ");
    line.append(slot.path("slot").asString("")).append(": ");
    line.append(slot.path("policy").asString(""));
    if (slot.has("settings")) {
      line.append(" {").append(slot.path("settings").asString("")).append('}');
    }
    line.append(", ").append(slot.path("state").asString(""));
    if (!slot.path("state").asString("").equals("built-in")) {
      line.append(" since epoch ").append(slot.path("epoch").asLong(0)).append(", ");
      line.append(Quantity.count(slot.path("asked").asLong(0))).append(" asked, ");
      line.append(Quantity.count(slot.path("answered").asLong(0))).append(" answered, ");
      line.append(Quantity.count(slot.path("late").asLong(0))).append(" late, ");
      line.append(Quantity.count(slot.path("failed").asLong(0))).append(" failed");
      long dropped = slot.path("dropped_facts").asLong(0);
      line.append(dropped == 0 ? "" : ", " + Quantity.count(dropped) + " facts dropped");
    }
    if (slot.path("class_loader_leaked").asBoolean(false)) {
      line.append(", its thread is stuck and its classes stay loaded");
    }
    return line.toString();
  }

  private static String texts(JsonNode list) {
    List<String> texts = new ArrayList<>();
    list.forEach(each -> texts.add(each.asString("")));
    return String.join(", ", texts);
  }

  private static JsonNode read(String json) {
    try {
      return JsonMapper.shared().readTree(json);
    } catch (JacksonException malformed) {
      throw new IllegalStateException(
          "the Manager's answer is not JSON: " + malformed.getOriginalMessage(), malformed);
    }
  }
}
