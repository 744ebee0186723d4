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
    return new TextTable()
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
                + " % ready")
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
            count(status, "sessions") + " sessions, " + count(status, "instances") + " instances")
        .text();
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
