package io.orbitkv.workload.trace;

/**
 * How fast a modelled engine computes, in real time. Prompts are computed one after another, as
 * prefills are on one device; a request is looked up when its turn to be scheduled comes, which is
 * not in the middle of somebody else's prompt.
 *
 * @param prefillTokensPerSecond of prompts; 0 computes nothing and waits for nothing
 * @param outputTokensPerSecond of one request's output; 0 for no output
 * @param reportsQueue whether the Manager is told of requests that wait to be scheduled
 */
public record EnginePace(
    double prefillTokensPerSecond, double outputTokensPerSecond, boolean reportsQueue) {
  /** An engine that computes in no time. */
  public static final EnginePace NONE = new EnginePace(0, 0, false);

  private static final double NANOS_PER_SECOND = 1e9;
  private static final double MOST = 1e9;

  /**
   * Checks the values.
   *
   * @throws IllegalArgumentException naming what does not fit
   */
  public EnginePace {
    require("prefill rate", prefillTokensPerSecond);
    require("output rate", outputTokensPerSecond);
  }

  private static void require(String what, double rate) {
    if (!(rate >= 0 && rate <= MOST)) {
      throw new IllegalArgumentException(
          what + " [" + rate + "] must be 0 (no time) to 1e9 tokens a second");
    }
  }

  /** Whether anything takes time or is reported. */
  public boolean any() {
    return prefillTokensPerSecond > 0 || outputTokensPerSecond > 0 || reportsQueue;
  }

  /** Time to compute so many tokens of a prompt. */
  public long prefillNanos(long tokens) {
    return nanos(tokens, prefillTokensPerSecond);
  }

  /** Time to give out so many tokens. */
  public long outputNanos(long tokens) {
    return nanos(tokens, outputTokensPerSecond);
  }

  private static long nanos(long tokens, double rate) {
    return rate == 0 ? 0 : (long) (tokens / rate * NANOS_PER_SECOND);
  }
}
