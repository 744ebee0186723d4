package io.orbitkv.workload.ab.simulate;

import io.orbitkv.workload.ab.assign.Arm;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;

/** Runs each variant of one split once: a model gives the same each time. */
final class RecordedModel extends ForwardingModel {
  private final Map<Arm, List<SimulatedRequest>> runs = new EnumMap<>(Arm.class);

  /**
   * Records a model.
   *
   * @param model asked at most once for each variant, so for one split alone
   */
  RecordedModel(SimulatedModel model) {
    super(model);
  }

  @Override
  public List<SimulatedRequest> run(Arm arm, double share, IntPredicate requests) {
    return runs.computeIfAbsent(arm, _ -> model().run(arm, share, requests));
  }
}
