package io.orbitkv.workload.ab.simulate;

import io.orbitkv.workload.ab.assign.Arm;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;

/** Runs each variant of one split once: a model gives the same each time. */
final class RecordedModel implements SimulatedModel {
  private final SimulatedModel model;
  private final Map<Arm, List<SimulatedRequest>> runs = new EnumMap<>(Arm.class);

  /**
   * Records a model.
   *
   * @param model asked at most once for each variant, so for one split alone
   */
  RecordedModel(SimulatedModel model) {
    this.model = model;
  }

  @Override
  public String trace() {
    return model.trace();
  }

  @Override
  public int requests() {
    return model.requests();
  }

  @Override
  public double durationSeconds() {
    return model.durationSeconds();
  }

  @Override
  public long conversation(int request) {
    return model.conversation(request);
  }

  @Override
  public long pageBytes() {
    return model.pageBytes();
  }

  @Override
  public long dramBytes() {
    return model.dramBytes();
  }

  @Override
  public long ssdBytes() {
    return model.ssdBytes();
  }

  @Override
  public ReferenceLines references() {
    return model.references();
  }

  @Override
  public List<SimulatedRequest> run(Arm arm, double share, IntPredicate requests) {
    return runs.computeIfAbsent(arm, _ -> model.run(arm, share, requests));
  }
}
