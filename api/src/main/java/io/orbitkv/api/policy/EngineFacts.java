package io.orbitkv.api.policy;

/**
 * An engine instance at one moment.
 *
 * @param instance its name
 * @param prefillTokensPerSecond measured or configured, or {@link Facts#UNKNOWN}
 * @param prefillAgeNanos age of that figure, or {@link Facts#UNKNOWN}
 */
public record EngineFacts(String instance, long prefillTokensPerSecond, long prefillAgeNanos) {}
