package io.orbitkv.workload.report;

import java.util.Locale;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A Manager's status for people. */
public final class StatusTable {
  private StatusTable() {}

  /**
   * The most important figures of a status.
   *
   * @throws IllegalStateException when the status is not JSON
   */
  public static String of(String statusJson) {
    JsonNode status;
    try {
      status = JsonMapper.shared().readTree(statusJson);
    } catch (JacksonException malformed) {
      throw new IllegalStateException(
          "the Manager's status is not JSON: " + malformed.getOriginalMessage(), malformed);
    }
    JsonNode pool = status.path("pool");
    JsonNode counters = status.path("counters");
    long asked = counters.path("query_pages").asLong(0);
    long hit = counters.path("query_hit_pages").asLong(0);
    TextTable table = new TextTable();
    table
        .row(
            "manager",
            status.path("version").asString("unknown")
                + ", up "
                + uptime(status.path("uptime_seconds").asLong(0))
                + (status.path("draining").asBoolean(false) ? ", draining" : ""))
        .row("socket", status.path("socket").asString("unknown"))
        .row(
            "pool",
            bytes(pool, "allocated_bytes")
                + " of "
                + bytes(pool, "capacity_bytes")
                + " in use, "
                + pool.path("ready_percent").asLong(100)
                + " % ready");
    putBacking(status, counters, table);
    table
        .row(
            "pages",
            count(status, "resident_pages")
                + " findable, "
                + count(status, "unsealed_pages")
                + " on their way")
        .row(
            "queries",
            count(counters, "queries")
                + " for "
                + Quantity.count(asked)
                + " pages, "
                + (asked == 0
                    ? "none found yet"
                    : Quantity.percent((double) hit / asked) + " found"))
        .row(
            "restored",
            count(counters, "restored_pages") + " pages, " + bytes(counters, "restored_bytes"))
        .row(
            "published",
            count(counters, "publish_stored_pages")
                + " pages, "
                + bytes(counters, "published_bytes"))
        .row(
            "lost",
            count(counters, "evicted_pages")
                + " pages evicted, "
                + count(counters, "publish_dropped_pages")
                + " without room, "
                + count(counters, "publish_refused_pages")
                + " not let in, "
                + count(counters, "publish_discarded_pages")
                + " discarded")
        .row(
            "query budget",
            bytes(status, "reserved_bytes")
                + " of "
                + bytes(status, "budget_bytes")
                + ", at most "
                + bytes(status, "reserved_peak_bytes"))
        .row(
            "clients",
            count(status, "sessions") + " sessions, " + count(status, "instances") + " instances");
    putCells(status, table);
    if (status.path("cells").isEmpty()) {
      putPolicies(status, "", table);
    }
    return table.text();
  }

  private static void putCells(JsonNode status, TextTable table) {
    for (JsonNode cell : status.path("cells")) {
      JsonNode counters = cell.path("counters");
      long asked = counters.path("query_pages").asLong(0);
      String name = "cell " + cell.path("cell").asString("");
      String variant = cell.path("variant").asString("none");
      table.row(
          name,
          (variant.equals("none") ? "" : "variant " + variant + ", ")
              + bytes(cell.path("pool"), "allocated_bytes")
              + " of "
              + bytes(cell.path("pool"), "capacity_bytes")
              + " in use, "
              + (asked == 0
                  ? "none found yet"
                  : Quantity.percent((double) counters.path("query_hit_pages").asLong(0) / asked)
                      + " of "
                      + Quantity.count(asked)
                      + " pages found")
              + ", budget "
              + bytes(cell, "reserved_bytes")
              + " of "
              + bytes(cell, "budget_bytes")
              + ", "
              + count(cell, "instances")
              + " instances");
      putPolicies(cell, name + " ", table);
    }
  }

  // Built-in defaults need no word.
  private static void putPolicies(JsonNode status, String where, TextTable table) {
    for (JsonNode policy : status.path("policies")) {
      String state = policy.path("state").asString("");
      if (state.equals("built-in")) {
        continue;
      }
      table.row(
          where + policy.path("slot").asString(""),
          policy.path("policy").asString("")
              + ", "
              + state
              + ", "
              + count(policy, "asked")
              + " asked, "
              + count(policy, "late")
              + " late, "
              + count(policy, "failed")
              + " failed"
              + (policy.path("class_loader_leaked").asBoolean(false)
                  ? "; its thread is stuck and its classes stay loaded"
                  : ""));
    }
  }

  private static void putBacking(JsonNode status, JsonNode counters, TextTable table) {
    JsonNode backing = status.path("backing");
    if (!backing.isObject()) {
      return;
    }
    String engine = backing.path("engine").asString("");
    table.row(
        "backing tier",
        backing.path("tier").asString("unknown")
            + (engine.isEmpty() ? "" : " (" + engine + ")")
            + ", "
            + count(backing, "pages")
            + " pages, "
            + bytes(backing, "used_bytes")
            + " of "
            + bytes(backing, "capacity_bytes"));
    String degraded = backing.path("degraded").asString("");
    if (!degraded.isEmpty()) {
      table.row("DEGRADED", degraded);
    }
    table.row(
        "written",
        count(counters, "written_pages")
            + " pages, "
            + bytes(backing, "payload_written_bytes")
            + String.format(
                Locale.ROOT,
                " (x %.2f on the device)",
                backing.path("write_amplification").asDouble(1))
            + (backing.path("write_budget_left_bytes").isNumber()
                ? ", " + bytes(backing, "write_budget_left_bytes") + " of the budget left"
                : ""));
    long lost = 0;
    StringBuilder causes = new StringBuilder();
    for (WriteLoss loss : WriteLoss.values()) {
      long pages = counters.path(loss.counter()).asLong(0);
      lost += pages;
      if (pages > 0) {
        causes.append(causes.isEmpty() ? "" : ", ");
        causes.append(Quantity.count(pages)).append(' ').append(loss.words());
      }
    }
    table.row(
        "not written", Quantity.count(lost) + " pages" + (lost == 0 ? "" : " (" + causes + ")"));
  }

  private static String count(JsonNode node, String name) {
    return Quantity.count(node.path(name).asLong(0));
  }

  private static String bytes(JsonNode node, String name) {
    return Quantity.bytes(node.path(name).asLong(0));
  }

  private static String uptime(long seconds) {
    return seconds < 120
        ? seconds + " s"
        : seconds < 7200
            ? seconds / 60 + " min"
            : String.format(Locale.ROOT, "%.1f h", seconds / 3600.0);
  }
}
