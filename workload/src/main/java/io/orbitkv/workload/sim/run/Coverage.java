package io.orbitkv.workload.sim.run;

import io.orbitkv.workload.sim.Scenario;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Which pairs of a phase and a happening were visited, and how often. */
@SuppressWarnings("EnumOrdinal") // Counted in each step; a map would box.
public final class Coverage {
  private static final int HAPPENINGS = Happening.values().length;

  private final long[] visits = new long[Phase.values().length * HAPPENINGS];

  /** Nothing was visited. */
  public Coverage() {}

  void visit(Phase phase, Happening happening) {
    visits[phase.ordinal() * HAPPENINGS + happening.ordinal()]++;
  }

  /** Adds what another one visited. */
  public void merge(Coverage other) {
    for (int i = 0; i < visits.length; i++) {
      visits[i] += other.visits[i];
    }
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
        boolean visited = visits[phase.ordinal() * HAPPENINGS + happening.ordinal()] != 0;
        if (!visited && scenario.has(phase.part())) {
          missing.add((phase + "/" + happening).toLowerCase(Locale.ROOT).replace('_', '-'));
        }
      }
    }
    return missing;
  }
}
