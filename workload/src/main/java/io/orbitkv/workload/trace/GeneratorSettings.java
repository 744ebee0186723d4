package io.orbitkv.workload.trace;

import java.util.Locale;

/**
 * The shape of a generated trace. Lengths are drawn from lognormal distributions given by median
 * and sigma (the standard deviation of the logarithm), as prompt and answer lengths of published
 * traces roughly are.
 *
 * @param seed same settings and seed, same trace, on every machine
 * @param requests number of requests
 * @param sessionsPerSecond rate at which conversations start; the starts are a Poisson process
 * @param meanTurns mean number of requests of a conversation; their number is geometric
 * @param thinkSeconds mean time between two requests of a conversation; exponential
 * @param systemPrompts number of different system prompts; each conversation begins with one of
 *     them
 * @param zipfExponent popularity of system prompt number k is proportional to 1 / k^exponent; 0
 *     makes all equal
 * @param systemTokens median length of a system prompt
 * @param userTokens median length of what a user adds in a turn
 * @param outputTokens median length of an answer, which is part of the next prompt
 * @param sigma of the three lognormal distributions
 * @param maxInputTokens a conversation whose next prompt would be longer ends
 */
public record GeneratorSettings(
    long seed,
    int requests,
    double sessionsPerSecond,
    double meanTurns,
    double thinkSeconds,
    int systemPrompts,
    double zipfExponent,
    int systemTokens,
    int userTokens,
    int outputTokens,
    double sigma,
    int maxInputTokens) {
  /** Checks the ranges. */
  public GeneratorSettings {
    require(requests >= 1 && requests <= 10_000_000, "requests", requests, "1 to 10,000,000");
    require(
        sessionsPerSecond > 0 && sessionsPerSecond <= 1e6,
        "sessions a second",
        sessionsPerSecond,
        "above 0");
    require(meanTurns >= 1 && meanTurns <= 1e4, "mean turns", meanTurns, "1 to 10,000");
    require(
        thinkSeconds >= 0 && thinkSeconds <= 1e6,
        "think time",
        thinkSeconds,
        "0 to 1,000,000 seconds");
    require(
        systemPrompts >= 1 && systemPrompts <= 100_000,
        "system prompts",
        systemPrompts,
        "1 to 100,000");
    require(zipfExponent >= 0 && zipfExponent <= 10, "Zipf exponent", zipfExponent, "0 to 10");
    require(
        systemTokens >= 1 && systemTokens <= 1 << 20,
        "system tokens",
        systemTokens,
        "1 to 1,048,576");
    require(userTokens >= 1 && userTokens <= 1 << 20, "user tokens", userTokens, "1 to 1,048,576");
    require(
        outputTokens >= 1 && outputTokens <= 1 << 20,
        "output tokens",
        outputTokens,
        "1 to 1,048,576");
    require(sigma >= 0 && sigma <= 3, "sigma", sigma, "0 to 3");
    require(
        maxInputTokens >= 1 && maxInputTokens <= TraceRequest.MAX_TOKENS,
        "longest prompt",
        maxInputTokens,
        "1 to " + TraceRequest.MAX_TOKENS);
  }

  /**
   * Conversations as an assistant sees them: about four turns, eight system prompts, prompts of
   * some thousand tokens.
   */
  public static GeneratorSettings conversations(long seed, int requests) {
    return new GeneratorSettings(
        seed, requests, 1.0, 4.0, 20.0, 8, 1.0, 1024, 512, 256, 0.8, 16_384);
  }

  /** One line for reports. */
  public String describe() {
    return String.format(
        Locale.ROOT,
        "generated (seed %d, %d requests, %d system prompts, %.1f turns)",
        seed,
        requests,
        systemPrompts,
        meanTurns);
  }

  private static void require(boolean holds, String what, Object value, String range) {
    if (!holds) {
      throw new IllegalArgumentException(
          "generated trace: " + what + " [" + value + "] must be " + range);
    }
  }
}
