package io.orbitkv.workload.ab.live;

import io.orbitkv.workload.ab.assign.Arm;
import io.orbitkv.workload.ab.verdict.Measure;
import java.util.List;
import java.util.Map;

/**
 * What one run gave.
 *
 * @param arm whose configuration ran
 * @param values by measure
 * @param requests completed in the timed part
 * @param voids what was wrong with it; empty for a sound run
 * @param turnedOver whether every tier had turned over when the timed part began
 * @param stopped whether it was ended before its end
 * @param seconds that the timed part took
 */
public record RunOutcome(
    Arm arm,
    Map<Measure, Double> values,
    long requests,
    List<VoidReason> voids,
    boolean turnedOver,
    boolean stopped,
    double seconds) {
  /** Copies the collections. */
  public RunOutcome {
    values = Map.copyOf(values);
    voids = List.copyOf(voids);
  }

  /**
   * What voids a pair.
   *
   * @param cause its kind
   * @param detail what was seen
   */
  public record VoidReason(VoidCause cause, String detail) {}
}
