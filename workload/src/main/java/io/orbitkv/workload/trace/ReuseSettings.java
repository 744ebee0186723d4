package io.orbitkv.workload.trace;

import java.util.Arrays;
import java.util.Locale;

/**
 * The shape of a workload of repeated prompts: first each of some prompts once, then requests that
 * repeat one of them or are new.
 *
 * @param seed same settings and seed, same trace, on every machine
 * @param requests number of requests after the first {@code prefixes} ones
 * @param prefixes different prompts that are repeated
 * @param reuse probability in [0, 1] that a request repeats one
 * @param lengths of prompts in tokens, in turns; multiples of {@link TraceRequest#BLOCK_TOKENS}
 * @param outputTokens of every request
 * @param ownTokens that each repeated prompt ends with, new every time
 */
public record ReuseSettings(
    long seed,
    int requests,
    int prefixes,
    double reuse,
    int[] lengths,
    int outputTokens,
    int ownTokens) {
  /**
   * Checks the ranges.
   *
   * @throws IllegalArgumentException naming what does not fit
   */
  public ReuseSettings {
    require(requests >= 1 && requests <= 10_000_000, "requests", requests, "1 to 10,000,000");
    require(prefixes >= 1 && prefixes <= 1_000_000, "prefixes", prefixes, "1 to 1,000,000");
    require(reuse >= 0 && reuse <= 1, "reuse", reuse, "0 to 1");
    require(lengths.length >= 1 && lengths.length <= 64, "lengths", lengths.length, "1 to 64");
    lengths = lengths.clone();
    for (int length : lengths) {
      require(
          length >= TraceRequest.BLOCK_TOKENS
              && length <= TraceRequest.MAX_TOKENS / 2
              && length % TraceRequest.BLOCK_TOKENS == 0,
          "length",
          length,
          "a multiple of " + TraceRequest.BLOCK_TOKENS + " tokens");
    }
    require(
        outputTokens >= 1 && outputTokens <= 1 << 20,
        "output tokens",
        outputTokens,
        "1 to 1,048,576");
    require(ownTokens >= 0 && ownTokens <= 1 << 20, "own tokens", ownTokens, "0 to 1,048,576");
  }

  @Override
  public int[] lengths() {
    return lengths.clone();
  }

  /** One line for reports. */
  public String describe() {
    return String.format(
        Locale.ROOT,
        "reuse (seed %d, %d prefixes, %d requests, %.0f %% repeated, prompts of %s tokens)",
        seed,
        prefixes,
        requests,
        reuse * 100,
        Arrays.toString(lengths));
  }

  private static void require(boolean holds, String what, Object value, String range) {
    if (!holds) {
      throw new IllegalArgumentException(
          "reuse trace: " + what + " [" + value + "] must be " + range);
    }
  }
}
