package io.orbitkv.workload.sim.hardware;

import java.util.List;
import java.util.SplittableRandom;

/** A stream of random choices. */
public final class Chance {
  private final SplittableRandom random;

  /** The same seed gives the same choices. */
  public Chance(long seed) {
    random = new SplittableRandom(seed);
  }

  /** From 0 on, below the bound. */
  public int below(int bound) {
    return random.nextInt(bound);
  }

  /** From 0 on, below the bound. */
  public long below(long bound) {
    return random.nextLong(bound);
  }

  /** True once in so many times. */
  public boolean oneIn(int times) {
    return random.nextInt(times) == 0;
  }

  /** Any number. */
  public long any() {
    return random.nextLong();
  }

  /** One of the list, which is not empty. */
  public <T> T pick(List<T> list) {
    return list.get(random.nextInt(list.size()));
  }
}
