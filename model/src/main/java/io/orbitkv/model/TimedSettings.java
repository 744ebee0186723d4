package io.orbitkv.model;

/**
 * Speeds of a timed run.
 *
 * @param prefillTokensPerSecond of the engine, which computes one prompt after another
 * @param ssdReadBytesPerSecond of the backing tier, shared by reads and writes in their order
 * @param ssdWriteBytesPerSecond of the backing tier
 * @param linkBytesPerSecond from host memory to the device, and back
 * @param firstTokenSeconds of a request that is on the device as a whole
 * @param concurrency requests at a time in a closed loop; 0 for an open loop, where requests come
 *     at their arrival
 */
public record TimedSettings(
    double prefillTokensPerSecond,
    double ssdReadBytesPerSecond,
    double ssdWriteBytesPerSecond,
    double linkBytesPerSecond,
    double firstTokenSeconds,
    int concurrency) {
  /** Checks the speeds. */
  public TimedSettings {
    if (!(prefillTokensPerSecond > 0
        && ssdReadBytesPerSecond > 0
        && ssdWriteBytesPerSecond > 0
        && linkBytesPerSecond > 0)) {
      throw new IllegalArgumentException("speeds of a timed run must be positive");
    }
    if (!(firstTokenSeconds >= 0) || concurrency < 0) {
      throw new IllegalArgumentException(
          "first token after ["
              + firstTokenSeconds
              + "] seconds with ["
              + concurrency
              + "] requests at a time: neither is negative");
    }
  }

  /**
   * What was measured with Qwen3-8B on one H200: 40,000 tokens of prefill, 1.5 GB of SSD and 55 GB
   * of link a second.
   */
  public static TimedSettings measured(int concurrency) {
    return new TimedSettings(40_000, 1.5e9, 1.5e9, 55e9, 0.02, concurrency);
  }
}
