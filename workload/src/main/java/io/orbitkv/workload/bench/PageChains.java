package io.orbitkv.workload.bench;

import io.orbitkv.api.page.PageKey;
import java.util.random.RandomGenerator;

/**
 * The pages of a benchmark: half of them in short chains, half in long ones. A key is a function of
 * generation, chain and place, so that ten million of them take no memory.
 */
final class PageChains {
  /** Pages of a short chain. */
  static final int SHORT = 8;

  /** Pages of a long chain. */
  static final int LONG = 512;

  private static final int LONGS = 2;
  private static final long GENERATION_STEP = 0xd1b5_4a32_d192_ed03L;
  private static final long STEP = 0x9e37_79b9_7f4a_7c15L;

  private final int longChains;
  private final int chains;

  /**
   * @param pages in all; what is no multiple of {@link #SHORT} is left out
   */
  PageChains(int pages) {
    longChains = pages / 2 / LONG;
    chains = longChains + (pages - longChains * LONG) / SHORT;
  }

  /** Number of chains: the long ones come first. */
  int chains() {
    return chains;
  }

  /** Number of pages. */
  int pages() {
    return longChains * LONG + (chains - longChains) * SHORT;
  }

  /** Pages of a chain. */
  int length(int chain) {
    return chain < longChains ? LONG : SHORT;
  }

  /** Any short chain. */
  int anyShort(RandomGenerator random) {
    return random.nextInt(longChains, chains);
  }

  /** Any long chain. */
  int anyLong(RandomGenerator random) {
    return random.nextInt(longChains);
  }

  /** Whether there are long chains. */
  boolean hasLong() {
    return longChains > 0;
  }

  /** All chains in some order. */
  int[] shuffled(RandomGenerator random) {
    int[] order = new int[chains];
    for (int i = 1; i < chains; i++) {
      int other = random.nextInt(i + 1);
      order[i] = order[other];
      order[other] = i;
    }
    return order;
  }

  /** The keys of consecutive pages of a chain, as (high, low). */
  static long[] keys(int generation, int chain, int firstPlace, int count) {
    long[] keys = new long[count * LONGS];
    for (int i = 0; i < count; i++) {
      long name = name(generation, chain, firstPlace + i);
      keys[LONGS * i] = mix(name);
      keys[LONGS * i + 1] = mix(name ^ STEP);
    }
    return keys;
  }

  /** The key before a page on its chain, or none. */
  static PageKey parent(int generation, int chain, int place) {
    if (place == 0) {
      return PageKey.NONE;
    }
    long name = name(generation, chain, place - 1);
    return new PageKey(mix(name), mix(name ^ STEP));
  }

  private static long name(int generation, int chain, int place) {
    return generation * GENERATION_STEP + (((long) chain << 32 | place) + 1) * STEP;
  }

  private static long mix(long value) {
    long hash = value;
    hash = (hash ^ (hash >>> 30)) * 0xbf58_476d_1ce4_e5b9L;
    hash = (hash ^ (hash >>> 27)) * 0x94d0_49bb_1331_11ebL;
    return hash ^ (hash >>> 31);
  }
}
