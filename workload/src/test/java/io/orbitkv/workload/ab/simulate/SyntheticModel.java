package io.orbitkv.workload.ab.simulate;

import io.orbitkv.workload.ab.assign.Arm;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.IntPredicate;

/**
 * An hour of conversations whose hits differ between conversations and drift over minutes; B takes
 * longer to the first token by a planted effect.
 */
public final class SyntheticModel implements SimulatedModel {
  private static final int REQUESTS = 1_500;
  private static final int CONVERSATIONS = 500;

  private final double effectOfB;
  private final double seconds;
  private final List<SimulatedRequest> requests = new ArrayList<>();

  public SyntheticModel(long seed, double effectOfB, double seconds) {
    this.effectOfB = effectOfB;
    this.seconds = seconds;
    Random random = new Random(seed);
    double[] ofConversation = new double[CONVERSATIONS];
    for (int i = 0; i < CONVERSATIONS; i++) {
      ofConversation[i] = 0.6 * random.nextGaussian();
    }
    double drift = 0;
    for (int i = 0; i < REQUESTS; i++) {
      if (i % 25 == 0) {
        drift = 0.7 * drift + 0.2 * random.nextGaussian();
      }
      int conversation = random.nextInt(CONVERSATIONS);
      int pages = 4 + (int) (40 * Math.exp(0.5 * random.nextGaussian()));
      double share =
          1 / (1 + Math.exp(1 - drift - ofConversation[conversation] - random.nextGaussian()));
      int hits = (int) (pages * share);
      double first = 0.01 * (pages - hits) * Math.exp(0.3 * random.nextGaussian()) + 0.001;
      requests.add(
          new SimulatedRequest(
              seconds * i / REQUESTS,
              conversation * 0x9e37_79b9_7f4a_7c15L,
              pages,
              hits / 2,
              hits - hits / 2,
              (long) (hits - hits / 2) * pageBytes(),
              (long) (pages - hits) * pageBytes(),
              first));
    }
  }

  @Override
  public String trace() {
    return "synthetic";
  }

  @Override
  public int requests() {
    return REQUESTS;
  }

  @Override
  public double durationSeconds() {
    return seconds;
  }

  @Override
  public long conversation(int request) {
    return requests.get(request).conversation();
  }

  @Override
  public long pageBytes() {
    return 1 << 20;
  }

  @Override
  public long dramBytes() {
    return 64L << 20;
  }

  @Override
  public long ssdBytes() {
    return 256L << 20;
  }

  @Override
  public List<SimulatedRequest> run(Arm arm, double share, IntPredicate which) {
    List<SimulatedRequest> run = new ArrayList<>();
    for (int i = 0; i < REQUESTS; i++) {
      if (which.test(i)) {
        SimulatedRequest request = requests.get(i);
        double factor = arm == Arm.B ? Math.exp(effectOfB) : 1;
        run.add(
            new SimulatedRequest(
                request.arrivalSeconds(),
                request.conversation(),
                request.promptPages(),
                request.dramHitPages(),
                request.ssdHitPages(),
                request.ssdReadBytes(),
                request.ssdWrittenBytes(),
                request.firstTokenSeconds() * factor));
      }
    }
    return run;
  }

  @Override
  public ReferenceLines references() {
    return new ReferenceLines(0.1, 0.2, 0.3);
  }
}
