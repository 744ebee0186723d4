package io.orbitkv.workload.policy;

/**
 * Sizes of a trial.
 *
 * @param dramBytes host memory for pages
 * @param ssdBytes the backing tier; 0 for none
 * @param tokenBytes bytes of a token's keys and values
 * @param writeBytesPerSecond write allowance of the backing tier; 0 for no limit
 * @param seed of the policies and of candidates that are sampled
 * @param decisions of the policy that are shown
 */
public record PolicyTrialOptions(
    long dramBytes,
    long ssdBytes,
    long tokenBytes,
    long writeBytesPerSecond,
    long seed,
    int decisions) {
  private static final int MOST_DECISIONS = 10_000;

  /**
   * Checks the sizes.
   *
   * @throws IllegalArgumentException naming the option that does not fit
   */
  public PolicyTrialOptions {
    if (dramBytes < 1) {
      throw new IllegalArgumentException("--capacity [" + dramBytes + "] must be positive");
    }
    if (ssdBytes < 0) {
      throw new IllegalArgumentException("--ssd [" + ssdBytes + "] is negative");
    }
    if (tokenBytes < 1) {
      throw new IllegalArgumentException("--token-bytes [" + tokenBytes + "] must be positive");
    }
    if (writeBytesPerSecond < 0) {
      throw new IllegalArgumentException("--write-limit [" + writeBytesPerSecond + "] is negative");
    }
    if (decisions < 0 || decisions > MOST_DECISIONS) {
      throw new IllegalArgumentException(
          "--decisions [" + decisions + "] must be 0 to " + MOST_DECISIONS);
    }
  }
}
