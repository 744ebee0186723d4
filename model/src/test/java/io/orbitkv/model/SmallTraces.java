package io.orbitkv.model;

import java.util.SplittableRandom;

/** Traces made here. */
final class SmallTraces {
  private SmallTraces() {}

  /** One request a second; each names the ids of its pages. */
  static ModelTrace of(long[]... requests) {
    ModelTrace.Builder builder = new ModelTrace.Builder("small", 64);
    for (int r = 0; r < requests.length; r++) {
      builder.add(r * 1_000_000_000L, requests[r].length * 64, 1, requests[r]);
    }
    return builder.build();
  }

  /** Conversations behind one common page that return for some turns and grow. */
  static ModelTrace conversations(long seed, int requests) {
    SplittableRandom random = new SplittableRandom(seed);
    ModelTrace.Builder builder = new ModelTrace.Builder("conversations", 64);
    int[] length = new int[40];
    long[] name = new long[40];
    long names = 0;
    for (int r = 0; r < requests; r++) {
      int c = random.nextInt(length.length);
      if (length[c] == 0 || random.nextInt(4) == 0) {
        name[c] = ++names;
        length[c] = 2 + random.nextInt(6);
      } else {
        length[c] += 1 + random.nextInt(3);
      }
      long[] ids = new long[length[c]];
      ids[0] = 1;
      for (int i = 1; i < ids.length; i++) {
        ids[i] = name[c] << 20 | i;
      }
      builder.add(r * 500_000_000L, ids.length * 64, 1, ids);
    }
    return builder.build();
  }

  /**
   * Many conversations behind one common page: some return over and over, most come once or twice.
   */
  static ModelTrace comebacks(long seed, int requests, int regulars) {
    SplittableRandom random = new SplittableRandom(seed);
    ModelTrace.Builder builder = new ModelTrace.Builder("comebacks", 64);
    int[] length = new int[regulars];
    long once = 1L << 32;
    for (int r = 0; r < requests; r++) {
      boolean regular = random.nextInt(3) == 0;
      int c = random.nextInt(regulars);
      long name = regular ? c + 2 : once++;
      int pages = 3 + random.nextInt(4);
      if (regular) {
        length[c] = length[c] == 0 || length[c] > 6 ? 3 : length[c] + random.nextInt(2);
        pages = length[c];
      }
      long[] ids = new long[pages];
      ids[0] = 1;
      for (int i = 1; i < ids.length; i++) {
        ids[i] = name << 20 | i;
      }
      builder.add(r * 100_000_000L, ids.length * 64, 1, ids);
    }
    return builder.build();
  }
}
