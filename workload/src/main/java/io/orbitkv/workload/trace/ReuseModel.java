package io.orbitkv.workload.trace;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Makes up who continues whom for requests of which only arrival and lengths are known. A request
 * continues an open conversation half of the time, if one fits: its prompt and answer so far are
 * not longer than the request's prompt, and it waited for at least its think time, which is
 * lognormal with a median of 60 s. Among those that fit the one with the longest history is taken,
 * since a long prompt is more likely a late turn than a first one. Other requests begin a
 * conversation, behind one of eight system prompts that are not equally popular. Seeded; one
 * thread.
 */
final class ReuseModel {
  static final int BLOCK_TOKENS = 64;
  private static final double CONTINUED = 0.5;
  private static final double THINK_MEDIAN_SECONDS = 60;
  private static final double THINK_SIGMA = 1.2;
  private static final int SYSTEM_PROMPTS = 8;
  private static final int SYSTEM_BLOCKS = 4;
  private static final int MOST_OPEN = 2048;
  private static final double NANOS_PER_SECOND = 1e9;

  private final SplittableRandom random;
  private final List<Conversation> open = new ArrayList<>();
  private long nextId = (long) SYSTEM_PROMPTS * SYSTEM_BLOCKS;

  /** Blocks that are complete, tokens of prompt and answer, and when the next turn may come. */
  private record Conversation(long[] blocks, int complete, int tokens, long readyNanos) {}

  ReuseModel(long seed) {
    random = new SplittableRandom(seed);
  }

  /** One id for each block of the prompt, the last one partial as a rule. */
  long[] blocks(long atNanos, int inputTokens, int outputTokens) {
    int found = random.nextDouble() < CONTINUED ? longestReady(atNanos, inputTokens) : -1;
    long[] ids = new long[Math.ceilDiv(inputTokens, BLOCK_TOKENS)];
    int complete = inputTokens / BLOCK_TOKENS;
    int shared;
    if (found >= 0) {
      Conversation before = open.remove(found);
      shared = Math.min(before.complete(), complete);
      System.arraycopy(before.blocks(), 0, ids, 0, shared);
    } else {
      // Prompt k is half as popular as prompt k - 1, the last two are alike.
      int prompt = Math.min(SYSTEM_PROMPTS - 1, Long.numberOfTrailingZeros(random.nextLong()));
      shared = Math.min(SYSTEM_BLOCKS, complete);
      for (int i = 0; i < shared; i++) {
        ids[i] = (long) prompt * SYSTEM_BLOCKS + i;
      }
    }
    for (int i = shared; i < ids.length; i++) {
      ids[i] = nextId++;
    }
    double think =
        THINK_MEDIAN_SECONDS * StrictMath.exp(THINK_SIGMA * gaussian()) * NANOS_PER_SECOND;
    open.add(
        new Conversation(ids, complete, inputTokens + outputTokens, atNanos + Math.round(think)));
    if (open.size() > MOST_OPEN) {
      open.removeFirst();
    }
    return ids;
  }

  private int longestReady(long atNanos, int inputTokens) {
    int best = -1;
    for (int i = 0; i < open.size(); i++) {
      Conversation one = open.get(i);
      boolean fits = one.readyNanos() <= atNanos && one.tokens() <= inputTokens;
      if (fits && (best < 0 || one.tokens() > open.get(best).tokens())) {
        best = i;
      }
    }
    return best;
  }

  /** Of functions that the platform defines exactly, so that a seed gives the same everywhere. */
  private double gaussian() {
    double radius = StrictMath.sqrt(-2 * StrictMath.log(1 - random.nextDouble()));
    return radius * StrictMath.cos(2 * StrictMath.PI * random.nextDouble());
  }
}
