package io.orbitkv.workload.policy;

/**
 * What is measured.
 *
 * @param role what the policies are measured at
 * @param dramBytes host memory for pages
 * @param ssdBytes the backing tier; 0 for none
 * @param tokenBytes bytes of a token's keys and values
 * @param seeds runs of each policy, each with a seed of its own; their median is told
 */
public record PolicyBenchOptions(
    PolicyRole role, long dramBytes, long ssdBytes, long tokenBytes, int seeds) {
  /** Bytes of a token of Qwen3-8B in BF16. */
  public static final long QWEN3_8B_TOKEN_BYTES = 147_456;

  private static final int MOST_SEEDS = 101;

  /**
   * Checks the sizes.
   *
   * @throws IllegalArgumentException naming the option that does not fit
   */
  public PolicyBenchOptions {
    if (dramBytes < 1) {
      throw new IllegalArgumentException("--capacity [" + dramBytes + "] must be positive");
    }
    if (ssdBytes < 0) {
      throw new IllegalArgumentException("--ssd [" + ssdBytes + "] is negative");
    }
    if (role != PolicyRole.RETENTION && ssdBytes == 0) {
      throw new IllegalArgumentException(
          "--role " + role.key() + " needs a backing tier: give --ssd, such as 1tb");
    }
    if (tokenBytes < 1) {
      throw new IllegalArgumentException("--token-bytes [" + tokenBytes + "] must be positive");
    }
    if (seeds < 1 || seeds > MOST_SEEDS) {
      throw new IllegalArgumentException("--seeds [" + seeds + "] must be 1 to " + MOST_SEEDS);
    }
  }
}
