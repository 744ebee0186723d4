package io.orbitkv.testkit.policy;

import io.orbitkv.model.ModelTotals;

/**
 * What a policy kept of a trace, beside what is kept without it.
 *
 * @param requests of the trace
 * @param pages of their prompts
 * @param policy sums with the policy
 * @param plain sums with every slot at its built-in default: the order of last use, everything
 *     written, everything restored
 * @param clairvoyant prefix hit ratio of one who knows what comes, at the size of all tiers
 * @param infinite prefix hit ratio of a cache without end
 * @param meanTtftSeconds modelled time to first token with the policy
 * @param plainMeanTtftSeconds the same without
 */
public record TraceResult(
    int requests,
    int pages,
    ModelTotals policy,
    ModelTotals plain,
    double clairvoyant,
    double infinite,
    double meanTtftSeconds,
    double plainMeanTtftSeconds) {
  /** Pages of prefix hits as a share of all, with the policy. */
  public double prefixHitRatio() {
    return policy.prefixHitRatio();
  }

  /** The same in the order of last use. */
  public double lru() {
    return plain.prefixHitRatio();
  }

  /** Hits as a share of those without the policy; 1 when there are none at all. */
  public double againstLru() {
    return lru() == 0 ? 1 : prefixHitRatio() / lru();
  }

  /** What was lost against one who knows what comes. */
  public double regret() {
    return clairvoyant - prefixHitRatio();
  }

  /** Bytes written to the backing tier as a share of those without the policy; 1 when none were. */
  public double writtenShare() {
    return plain.ssdWrittenBytes() == 0
        ? 1
        : (double) policy.ssdWrittenBytes() / plain.ssdWrittenBytes();
  }
}
