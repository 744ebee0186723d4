package io.orbitkv.workload.ab.live;

import io.orbitkv.client.ClientOptions;
import io.orbitkv.client.OrbitKvClient;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What an experiment needs of a Manager's status.
 *
 * @param counters by name
 * @param budgetBytes that all queries may hold
 * @param storeCapacityBytes of the backing tier; 0 without one
 * @param storeUsedBytes of it
 * @param fallbacks policies that had to be stood in for, in words
 * @param policies by slot, in words
 */
record StatusFigures(
    Map<String, Long> counters,
    long budgetBytes,
    long storeCapacityBytes,
    long storeUsedBytes,
    List<String> fallbacks,
    List<String> policies) {
  private static final double FULL = 0.9;

  static StatusFigures of(Path socket) throws IOException, InterruptedException {
    try (OrbitKvClient client =
        OrbitKvClient.connect(socket, ClientOptions.defaults("orbitkv-ab"))) {
      return parse(client.status());
    }
  }

  static StatusFigures parse(String json) {
    JsonNode root = JsonMapper.shared().readTree(json);
    Map<String, Long> counters = new HashMap<>();
    root.path("counters")
        .properties()
        .forEach(counter -> counters.put(counter.getKey(), counter.getValue().asLong()));
    List<String> fallbacks = new ArrayList<>();
    List<String> policies = new ArrayList<>();
    for (JsonNode policy : root.path("policies")) {
      String name = policy.path("policy").asString("") + " in " + policy.path("slot").asString("");
      String state = policy.path("state").asString("");
      long late = policy.path("late").asLong(0);
      long failed = policy.path("failed").asLong(0);
      policies.add(name);
      if (late + failed > 0) {
        fallbacks.add(name + ": " + late + " late, " + failed + " failed answers");
      } else if (state.equals("failed") || state.equals("abandoned")) {
        fallbacks.add(name + ": " + state);
      }
    }
    return new StatusFigures(
        Map.copyOf(counters),
        root.path("budget_bytes").asLong(0),
        root.path("backing").path("capacity_bytes").asLong(0),
        root.path("backing").path("used_bytes").asLong(0),
        List.copyOf(fallbacks),
        List.copyOf(policies));
  }

  long counter(String name) {
    return counters.getOrDefault(name, 0L);
  }

  /** Whether everything that was there at the start has been replaced. */
  boolean turnedOver() {
    boolean memory = counter("evicted_pages") > 0;
    boolean store = storeCapacityBytes == 0 || storeUsedBytes >= FULL * storeCapacityBytes;
    return memory && store;
  }
}
