package io.orbitkv.workload.policy;

import io.orbitkv.model.ModelTrace;
import java.util.SplittableRandom;

/**
 * The workload that engines with and without a cache were measured with: requests that draw one of
 * a number of prefixes, of 4,096 and 8,192 tokens in turn, followed by 64 tokens of their own. What
 * is in use is larger than an engine's own prefix cache.
 */
public final class ReuseWorkload {
  /** Prefixes of the measured runs. */
  public static final int PREFIXES = 32;

  private static final int PAGE_TOKENS = 64;
  private static final int SHORT_PAGES = 4096 / PAGE_TOKENS;
  private static final int LONG_PAGES = 8192 / PAGE_TOKENS;
  private static final int OUTPUT_TOKENS = 16;

  private ReuseWorkload() {}

  /** So many requests, for a closed loop: all arrive at once. */
  public static ModelTrace trace(long seed, int requests) {
    ModelTrace.Builder builder = new ModelTrace.Builder("reuse", PAGE_TOKENS);
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < requests; i++) {
      int prefix = random.nextInt(PREFIXES);
      int shared = prefix % 2 == 0 ? SHORT_PAGES : LONG_PAGES;
      long[] ids = new long[shared + 1];
      for (int page = 0; page < shared; page++) {
        ids[page] = mix((long) prefix << 32 | page);
      }
      ids[shared] = mix(-1L - i);
      builder.add(0, (shared + 1) * PAGE_TOKENS, OUTPUT_TOKENS, ids);
    }
    return builder.build();
  }

  private static long mix(long value) {
    long mixed = value + 0x9e37_79b9_7f4a_7c15L;
    mixed = (mixed ^ (mixed >>> 30)) * 0xbf58_476d_1ce4_e5b9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94d0_49bb_1331_11ebL;
    return mixed ^ (mixed >>> 31);
  }
}
