package io.orbitkv.workload.replay;

import java.util.HashMap;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What a replay needs of the Manager's status.
 *
 * @param reservedBytes query bytes reserved now
 * @param reservedPeakBytes most of them at one time since the Manager's start
 * @param budgetBytes the limit
 * @param leakedBytes allocated bytes that no state accounts for
 * @param heldBytes bytes of pages that are not findable: unsealed, orphaned, quarantined
 * @param capacityBytes of the pool
 * @param sessions connected
 * @param pending operations, leases and copies
 * @param counters by name
 * @param backingTier name of the tier behind host memory; empty without one
 * @param backingEngine how it reaches its device
 * @param deviceWrittenBytes since the Manager's start
 * @param payloadWrittenBytes since the Manager's start
 * @param backingDegraded why it is degraded; empty when healthy
 */
record ManagerFigures(
    long reservedBytes,
    long reservedPeakBytes,
    long budgetBytes,
    long leakedBytes,
    long heldBytes,
    long capacityBytes,
    int sessions,
    int pending,
    Map<String, Long> counters,
    String backingTier,
    String backingEngine,
    long deviceWrittenBytes,
    long payloadWrittenBytes,
    String backingDegraded) {
  /**
   * Reads a status.
   *
   * @throws IllegalStateException when a figure is missing: this Manager speaks another language
   */
  static ManagerFigures parse(String json) {
    JsonNode root;
    try {
      root = JsonMapper.shared().readTree(json);
    } catch (JacksonException malformed) {
      throw new IllegalStateException(
          "the Manager's status is not JSON: " + malformed.getOriginalMessage(), malformed);
    }
    Map<String, Long> counters = new HashMap<>();
    root.path("counters")
        .properties()
        .forEach(counter -> counters.put(counter.getKey(), counter.getValue().asLong()));
    return new ManagerFigures(
        figure(root, "reserved_bytes"),
        figure(root, "reserved_peak_bytes"),
        figure(root, "budget_bytes"),
        figure(root, "leaked_bytes"),
        figure(root, "unsealed_bytes")
            + figure(root, "orphan_bytes")
            + figure(root, "quarantined_bytes"),
        figure(root.path("pool"), "capacity_bytes"),
        (int) figure(root, "sessions"),
        (int) (figure(root, "operations") + figure(root, "leases") + figure(root, "copies")),
        Map.copyOf(counters),
        root.path("backing").path("tier").asString(""),
        root.path("backing").path("engine").asString(""),
        root.path("backing").path("written_bytes").asLong(0),
        root.path("backing").path("payload_written_bytes").asLong(0),
        root.path("backing").path("degraded").asString(""));
  }

  /** A counter, 0 when this Manager does not have it. */
  long counter(String name) {
    return counters.getOrDefault(name, 0L);
  }

  /** Whether nothing is reserved, pending or half-published. */
  boolean drained() {
    return reservedBytes == 0 && pending == 0 && heldBytes == 0;
  }

  private static long figure(JsonNode node, String name) {
    JsonNode figure = node.path(name);
    if (!figure.isNumber()) {
      throw new IllegalStateException(
          "the Manager's status has no figure ["
              + name
              + "]: use an orbitkv of the Manager's own version");
    }
    return figure.asLong();
  }
}
