package io.orbitkv.ssd.sim.disk;

import java.util.List;
import java.util.SplittableRandom;

/** A stream of random choices. */
public final class Chance {
  private final SplittableRandom random;

  /** The same seed gives the same choices. */
  public Chance(long seed) {
    random = new SplittableRandom(seed);
  }

  /** A stream of its own for one purpose, so that purposes do not shift each other. */
  public Chance split() {
    return new Chance(random.nextLong());
  }

  /** From 0 on, below the bound. */
  public int below(int bound) {
    return random.nextInt(bound);
  }

  /** From the first to the last, both included. */
  public int between(int first, int last) {
    return first + random.nextInt(last - first + 1);
  }

  /** From 0 on, below the bound. */
  public long below(long bound) {
    return random.nextLong(bound);
  }

  /** True once in so many times; never for 0. */
  public boolean oneIn(int times) {
    return times > 0 && random.nextInt(times) == 0;
  }

  /** True so many times in a hundred. */
  public boolean percent(int share) {
    return random.nextInt(100) < share;
  }

  /** Any number. */
  public long any() {
    return random.nextLong();
  }

  /** One of the list, which is not empty. */
  public <T> T pick(List<T> list) {
    return list.get(random.nextInt(list.size()));
  }

  /** One of the array, which is not empty. */
  public <T> T pick(T[] array) {
    return array[random.nextInt(array.length)];
  }
}
