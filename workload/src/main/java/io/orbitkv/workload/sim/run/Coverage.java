package io.orbitkv.workload.sim.run;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Which pairs of a phase and a happening were visited, and how often. */
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

  /** Legal pairs in all. */
  public int legal() {
    int legal = 0;
    for (Phase phase : Phase.values()) {
      legal += phase.legal().size();
    }
    return legal;
  }

  /** Legal pairs that were not visited, by name. */
  public List<String> missing() {
    List<String> missing = new ArrayList<>();
    for (Phase phase : Phase.values()) {
      for (Happening happening : phase.legal()) {
        if (visits[phase.ordinal() * HAPPENINGS + happening.ordinal()] == 0) {
          missing.add((phase + "/" + happening).toLowerCase(Locale.ROOT).replace('_', '-'));
        }
      }
    }
    return missing;
  }
}
