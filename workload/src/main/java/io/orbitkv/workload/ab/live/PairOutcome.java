package io.orbitkv.workload.ab.live;

import io.orbitkv.workload.ab.live.RunOutcome.VoidReason;
import java.util.ArrayList;
import java.util.List;

/**
 * Two runs of the same requests.
 *
 * @param index of the pair, from 0
 * @param firstRun index of its first run, over the whole experiment, from 0
 * @param firstIsA whether A went first
 * @param a the run of A
 * @param b the run of B
 */
public record PairOutcome(int index, int firstRun, boolean firstIsA, RunOutcome a, RunOutcome b) {
  /** What voids it, with the arm; empty when it counts. */
  public List<String> voids() {
    List<String> voids = new ArrayList<>();
    for (RunOutcome run : List.of(a, b)) {
      for (VoidReason reason : run.voids()) {
        voids.add(run.arm() + ": " + reason.cause().text() + " (" + reason.detail() + ")");
      }
    }
    if (a.requests() != b.requests()) {
      voids.add(
          "both: "
              + VoidCause.UNEQUAL_REQUESTS.text()
              + " (A "
              + a.requests()
              + ", B "
              + b.requests()
              + ")");
    }
    return List.copyOf(voids);
  }

  /** Whether it counts. */
  public boolean counts() {
    return voids().isEmpty();
  }

  /** As it is written. */
  public String order() {
    return firstIsA ? "AB" : "BA";
  }
}
