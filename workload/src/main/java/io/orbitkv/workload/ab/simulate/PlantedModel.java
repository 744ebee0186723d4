package io.orbitkv.workload.ab.simulate;

import io.orbitkv.workload.ab.assign.Arm;
import io.orbitkv.workload.ab.verdict.Measure;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;

/**
 * Another model of which variant B is made worse by a known effect: whatever is planted is what a
 * sound experiment finds. Times and bytes are multiplied; of hits each request loses its share,
 * rounded up or down by a hash of its place, so that the sum is right.
 */
final class PlantedModel extends ForwardingModel {
  private static final double UNIT = 0x1p-53;
  private static final long STEP = 0x9e37_79b9_7f4a_7c15L;

  private final Measure measure;
  private final double factor;

  /**
   * A model with a difference.
   *
   * @param measure which is multiplied; of percentiles and means of one column the same
   * @param factor above 0; at most 1 for hits
   * @throws IllegalArgumentException when nothing of that kind can be planted
   */
  PlantedModel(SimulatedModel model, Measure measure, double factor) {
    super(model);
    if (!(factor > 0) || (measure == Measure.PREFIX_HIT_RATIO && factor > 1)) {
      throw new IllegalArgumentException(
          "factor ["
              + factor
              + "] of "
              + measure.key()
              + " cannot be planted: what can be detected is larger than what there is, so take a"
              + " longer load");
    }
    this.measure = measure;
    this.factor = factor;
  }

  @Override
  public List<SimulatedRequest> run(Arm arm, double share, IntPredicate requests) {
    List<SimulatedRequest> run = model().run(arm, share, requests);
    if (arm == Arm.A) {
      return run;
    }
    List<SimulatedRequest> worse = new ArrayList<>(run.size());
    for (int i = 0; i < run.size(); i++) {
      worse.add(worse(run.get(i), i));
    }
    return worse;
  }

  private SimulatedRequest worse(SimulatedRequest of, int place) {
    boolean hits = measure == Measure.PREFIX_HIT_RATIO;
    boolean read = measure == Measure.SSD_READ_BYTES;
    boolean written = measure == Measure.SSD_WRITTEN_BYTES;
    return new SimulatedRequest(
        of.arrivalSeconds(),
        of.conversation(),
        of.promptPages(),
        hits ? left(of.dramHitPages(), 2L * place) : of.dramHitPages(),
        hits ? left(of.ssdHitPages(), 2L * place + 1) : of.ssdHitPages(),
        read ? Math.round(factor * of.ssdReadBytes()) : of.ssdReadBytes(),
        written ? Math.round(factor * of.ssdWrittenBytes()) : of.ssdWrittenBytes(),
        hits || read || written ? of.firstTokenSeconds() : factor * of.firstTokenSeconds());
  }

  private int left(int pages, long place) {
    long mixed = (place + 1) * STEP;
    mixed = (mixed ^ (mixed >>> 30)) * 0xbf58_476d_1ce4_e5b9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94d0_49bb_1331_11ebL;
    return (int) Math.floor(factor * pages + ((mixed ^ (mixed >>> 31)) >>> 11) * UNIT);
  }
}
