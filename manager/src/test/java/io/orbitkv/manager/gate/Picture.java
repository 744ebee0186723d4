package io.orbitkv.manager.gate;

import io.orbitkv.api.query.ErrorCode;
import io.orbitkv.client.OrbitKvClient;
import io.orbitkv.client.OrbitKvException;
import java.util.function.Predicate;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The Manager's status as an administrator sees it, over a connection of its own. */
record Picture(JsonNode root) {
  private static final JsonMapper MAPPER = JsonMapper.builder().build();

  static Picture of(OrbitKvClient administrator) {
    try {
      return new Picture(MAPPER.readTree(administrator.status()));
    } catch (InterruptedException interrupted) {
      throw new OrbitKvException(ErrorCode.INTERNAL, "interrupted");
    }
  }

  /** Waits until the picture is as wanted. */
  static Picture await(OrbitKvClient administrator, String what, Predicate<Picture> wanted) {
    Picture[] last = new Picture[1];
    try {
      Wait.until(
          what,
          () -> {
            last[0] = of(administrator);
            return wanted.test(last[0]);
          });
    } catch (AssertionError late) {
      throw new AssertionError(late.getMessage() + ": " + last[0], late);
    }
    return last[0];
  }

  /** A figure by its key. */
  long get(String key) {
    JsonNode value = root.get(key);
    if (value == null || !value.isNumber()) {
      throw new AssertionError("[" + key + "] is no figure of the status: " + root);
    }
    return value.asLong();
  }

  /** Reserved bytes of a phase. */
  long phase(String phase) {
    JsonNode value = root.get("reserved_by_phase").get(phase);
    return value == null ? 0 : value.asLong();
  }

  /** A counter of the kernel. */
  long counter(String key) {
    JsonNode value = root.get("counters").get(key);
    if (value == null) {
      throw new AssertionError("[" + key + "] is not counted: " + root.get("counters"));
    }
    return value.asLong();
  }

  /** Bytes that are allocated in the pool. */
  long allocatedBytes() {
    return root.get("pool").get("allocated_bytes").asLong();
  }

  /** Seconds since the Manager's start, by its own clock. */
  double uptimeSeconds() {
    return root.get("uptime_seconds").asDouble();
  }

  /** Nothing of anybody is under way, and nothing is held for anybody. */
  boolean idle() {
    return get("reserved_bytes") == 0
        && get("speculative_bytes") == 0
        && get("operations") == 0
        && get("leases") == 0
        && get("copies") == 0
        && get("reads") == 0
        && get("writes") == 0
        && get("queued_writes") == 0
        && get("reading_bytes") == 0
        && get("unsealed_bytes") == 0
        && get("orphan_bytes") == 0;
  }
}
