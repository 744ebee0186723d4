package io.orbitkv.workload.ab.simulate;

import io.orbitkv.workload.ab.assign.Arm;
import java.util.List;
import java.util.function.IntPredicate;

/** A model of the cache that runs variants over one trace. Deterministic. */
public interface SimulatedModel {
  /** What the trace is called in reports. */
  String trace();

  /** Requests of the trace. */
  int requests();

  /** From the first arrival to the last. */
  double durationSeconds();

  /** The conversation that a request belongs to. */
  long conversation(int request);

  /** Bytes of a page. */
  long pageBytes();

  /** Bytes of host memory. */
  long dramBytes();

  /** Bytes of the SSD; 0 without one. */
  long ssdBytes();

  /**
   * Runs a variant from empty tiers.
   *
   * @param share of every capacity that it has, above 0 and at most 1
   * @param requests which requests of the trace it meets
   * @return those requests in order
   */
  List<SimulatedRequest> run(Arm arm, double share, IntPredicate requests);

  /** What the trace offers at the whole capacity. */
  ReferenceLines references();
}
