package io.orbitkv.workload.sim.run;

import io.orbitkv.workload.sim.rule.Scenario;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Which pairs of a phase and a happening were visited, and how often. */
@SuppressWarnings("EnumOrdinal") // Counted in each step; a map would box.
public final class Coverage {
  private final Map<Phase, Map<Happening, Long>> visits = new EnumMap<>(Phase.class);

  /** Nothing was visited. */
  public Coverage() {}

  void visit(Phase phase, Happening happening) {
    visits
        .computeIfAbsent(phase, key -> new EnumMap<>(Happening.class))
        .merge(happening, 1L, Long::sum);
  }

  /** Adds what another one visited. */
  public void merge(Coverage other) {
    other.visits.forEach((phase, happenings) -> {
      Map<Happening, Long> own =
          visits.computeIfAbsent(phase, key -> new EnumMap<>(Happening.class));
      happenings.forEach((happening, times) -> own.merge(happening, times, Long::sum));
    });
  }

  /** Legal pairs that a scenario can visit. */
  public int legal(Scenario scenario) {
    int legal = 0;
    for (Phase phase : Phase.values()) {
      legal += scenario.has(phase.part()) ? phase.legal().size() : 0;
    }
    return legal;
  }

  /** Legal pairs that a scenario can visit and that were not visited, by name. */
  public List<String> missing(Scenario scenario) {
    List<String> missing = new ArrayList<>();
    for (Phase phase : Phase.values()) {
      for (Happening happening : phase.legal()) {
        boolean visited = visits.getOrDefault(phase, Map.of()).containsKey(happening);
        if (!visited && scenario.has(phase.part())) {
          missing.add((phase + "/" + happening).toLowerCase(Locale.ROOT).replace('_', '-'));
        }
      }
    }
    return missing;
  }
}
