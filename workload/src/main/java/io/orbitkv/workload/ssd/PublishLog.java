package io.orbitkv.workload.ssd;

import io.orbitkv.api.page.PageKey;
import java.util.BitSet;
import java.util.SplittableRandom;

/**
 * What was published, kept where no kill of a Manager reaches it. Pages come in chains; a chain is
 * known by its number, which its keys follow from, so that a page can be told from one that nobody
 * ever published. Any thread.
 */
final class PublishLog {
  private final long seed;
  private final int chainPages;
  // Guarded by this.
  private final BitSet acknowledged = new BitSet();
  private final BitSet present = new BitSet();
  private int chains;

  PublishLog(long seed, int chainPages) {
    this.seed = seed;
    this.chainPages = chainPages;
  }

  int chainPages() {
    return chainPages;
  }

  /** A chain that is published from now on, whether or not an acknowledgement comes. */
  synchronized int begin() {
    return chains++;
  }

  /** The Manager said that the chain is published. */
  synchronized void acknowledge(int chain) {
    acknowledged.set(chain);
  }

  /** Whether a check found any page of the chain. */
  synchronized void found(int chain, boolean any) {
    present.set(chain, any);
  }

  /** Chains that were begun. */
  synchronized int chains() {
    return chains;
  }

  /** Chains that were acknowledged. */
  synchronized int acknowledgedChains() {
    return acknowledged.cardinality();
  }

  /** Whether it was found by the last check that looked for it. */
  synchronized boolean wasFound(int chain) {
    return present.get(chain);
  }

  /** Any chain that was begun, newer ones more often; -1 when there is none. */
  synchronized int any(SplittableRandom random) {
    if (chains == 0) {
      return -1;
    }
    double newer = 1 - random.nextDouble() * random.nextDouble();
    return (int) Math.min(chains - 1L, (long) (chains * newer));
  }

  /** Keys of pages of a chain, from one place on, as (high, low) pairs. */
  long[] keys(int chain, int from) {
    long[] keys = new long[2 * (chainPages - from)];
    for (int page = from; page < chainPages; page++) {
      PageKey key = key(chain, page);
      keys[2 * (page - from)] = key.high();
      keys[2 * (page - from) + 1] = key.low();
    }
    return keys;
  }

  PageKey key(int chain, int page) {
    return key((long) chain * chainPages + page);
  }

  /** Keys that no chain has, as (high, low) pairs. */
  long[] strangers(SplittableRandom random, int count) {
    long[] keys = new long[2 * count];
    for (int i = 0; i < count; i++) {
      // Numbers of chains are not negative.
      PageKey key = key(-1 - random.nextLong(Long.MAX_VALUE));
      keys[2 * i] = key.high();
      keys[2 * i + 1] = key.low();
    }
    return keys;
  }

  private PageKey key(long number) {
    return new PageKey(PageBytes.mix(seed + PageBytes.mix(number)), number);
  }
}
