package io.orbitkv.workload.ab.live;

import io.orbitkv.workload.ab.assign.Arm;
import io.orbitkv.workload.ab.live.RunOutcome.VoidReason;
import io.orbitkv.workload.ab.verdict.Measure;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Runs that nobody has to wait for. */
public final class ScriptedArms implements ArmRunner {
  final List<Arm> ran = new ArrayList<>();
  private final Random random;
  private final double effectOfB;
  private final double deviation;
  private final Map<Integer, VoidReason> voids = new HashMap<>();
  private final Map<Integer, Long> requests = new HashMap<>();
  private int cancels;

  public ScriptedArms(long seed, double effectOfB, double deviation) {
    this.random = new Random(seed);
    this.effectOfB = effectOfB;
    this.deviation = deviation;
  }

  public ScriptedArms voidRun(int run, VoidCause cause) {
    voids.put(run, new VoidReason(cause, "planted"));
    return this;
  }

  ScriptedArms requestsOfRun(int run, long count) {
    requests.put(run, count);
    return this;
  }

  int cancels() {
    return cancels;
  }

  @Override
  public RunOutcome run(Arm arm) {
    int run = ran.size();
    ran.add(arm);
    double log = (arm == Arm.B ? effectOfB : 0) + deviation * random.nextGaussian();
    Map<Measure, Double> values = new EnumMap<>(Measure.class);
    values.put(Measure.TTFT_MEAN, 0.2 * Math.exp(log));
    values.put(Measure.TTFT_P95, 0.5 * Math.exp(log + deviation * random.nextGaussian()));
    values.put(Measure.THROUGHPUT, 10 * Math.exp(-log));
    values.put(Measure.PREFIX_HIT_RATIO, 0.25);
    values.put(Measure.ALLOCATION_FAILURES, 0.0);
    return new RunOutcome(
        arm,
        values,
        requests.getOrDefault(run, 64L),
        voids.containsKey(run) ? List.of(voids.get(run)) : List.of(),
        true,
        false,
        1);
  }

  @Override
  public void cancel() {
    cancels++;
  }
}
