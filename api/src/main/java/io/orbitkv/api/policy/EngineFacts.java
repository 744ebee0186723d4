package io.orbitkv.api.policy;

/**
 * An engine instance at one moment.
 *
 * @param instance its name
 * @param prefillTokensPerSecond measured or configured, or {@link Facts#UNKNOWN}
 * @param prefillAgeNanos age of that figure, or {@link Facts#UNKNOWN}
 * @param queuedTokens what it still has to compute of accepted requests, the one in question and
 *     what is being restored left out, or {@link Facts#UNKNOWN}
 */
public record EngineFacts(
    String instance, long prefillTokensPerSecond, long prefillAgeNanos, long queuedTokens) {
  /** An engine of whose queue nothing is known. */
  public EngineFacts(String instance, long prefillTokensPerSecond, long prefillAgeNanos) {
    this(instance, prefillTokensPerSecond, prefillAgeNanos, Facts.UNKNOWN);
  }
}
