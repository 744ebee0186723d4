package io.orbitkv.model;

/**
 * Speeds of a timed run, and what the engine has of its own.
 *
 * @param prefillTokensPerSecond of the engine, which computes one prompt after another
 * @param ssdReadBytesPerSecond of the backing tier when nothing is written
 * @param ssdWriteBytesPerSecond of the backing tier when nothing is read
 * @param linkBytesPerSecond from host memory to the device, and as much back
 * @param requestSeconds of the engine for each request beside its prompt; the first token of a
 *     request that is on the device as a whole comes after it
 * @param concurrency requests at a time in a closed loop; 0 for an open loop, where requests come
 *     at their arrival
 * @param deviceBytes of the engine's own prefix cache, in the order of last use; 0 for none
 * @param outputTokenSeconds between two tokens of an answer, which ends a request of a closed loop
 * @param writeQueueBytes that may wait to be written to the backing tier, more of a chain is
 *     dropped; 0 for no limit
 */
public record TimedSettings(
    double prefillTokensPerSecond,
    double ssdReadBytesPerSecond,
    double ssdWriteBytesPerSecond,
    double linkBytesPerSecond,
    double requestSeconds,
    int concurrency,
    long deviceBytes,
    double outputTokenSeconds,
    long writeQueueBytes) {
  /** Checks the speeds. */
  public TimedSettings {
    if (!(prefillTokensPerSecond > 0
        && ssdReadBytesPerSecond > 0
        && ssdWriteBytesPerSecond > 0
        && linkBytesPerSecond > 0)) {
      throw new IllegalArgumentException("speeds of a timed run must be positive");
    }
    if (!(requestSeconds >= 0 && outputTokenSeconds >= 0)
        || concurrency < 0
        || deviceBytes < 0
        || writeQueueBytes < 0) {
      throw new IllegalArgumentException(
          "a request of ["
              + requestSeconds
              + "] s with ["
              + outputTokenSeconds
              + "] s a token, ["
              + concurrency
              + "] at a time, ["
              + deviceBytes
              + "] bytes on the device, ["
              + writeQueueBytes
              + "] bytes that wait to be written: none of them is negative");
    }
  }

  /** Without a prefix cache on the device, answers of one token, and no limit of writes. */
  public TimedSettings(
      double prefillTokensPerSecond,
      double ssdReadBytesPerSecond,
      double ssdWriteBytesPerSecond,
      double linkBytesPerSecond,
      double requestSeconds,
      int concurrency) {
    this(
        prefillTokensPerSecond,
        ssdReadBytesPerSecond,
        ssdWriteBytesPerSecond,
        linkBytesPerSecond,
        requestSeconds,
        concurrency,
        0,
        0,
        0);
  }

  /**
   * What was measured with Qwen3-8B on one H200: 40,000 tokens of prefill, 1.5 GB of SSD and 55 GB
   * of link a second, 20 ms for a request that is on the device, of which 16 GiB keep prefixes, and
   * 25 ms between tokens with eight requests at a time. The gibibyte that may wait to be written is
   * the Manager's default.
   */
  public static TimedSettings measured(int concurrency) {
    return new TimedSettings(
        40_000, 1.5e9, 1.5e9, 55e9, 0.02, concurrency, 16L << 30, 0.025, 1L << 30);
  }

  /** The same with another engine and another backing tier, which reads and writes as fast. */
  public TimedSettings withSpeeds(double prefill, double ssdBytesPerSecond) {
    return new TimedSettings(
        prefill,
        ssdBytesPerSecond,
        ssdBytesPerSecond,
        linkBytesPerSecond,
        requestSeconds,
        concurrency,
        deviceBytes,
        outputTokenSeconds,
        writeQueueBytes);
  }

  /** The same with so many requests at a time, or an open loop with 0. */
  public TimedSettings withConcurrency(int requests) {
    return new TimedSettings(
        prefillTokensPerSecond,
        ssdReadBytesPerSecond,
        ssdWriteBytesPerSecond,
        linkBytesPerSecond,
        requestSeconds,
        requests,
        deviceBytes,
        outputTokenSeconds,
        writeQueueBytes);
  }

  /** The same with so much of a prefix cache on the device. */
  public TimedSettings withDevice(long bytes) {
    return new TimedSettings(
        prefillTokensPerSecond,
        ssdReadBytesPerSecond,
        ssdWriteBytesPerSecond,
        linkBytesPerSecond,
        requestSeconds,
        concurrency,
        bytes,
        outputTokenSeconds,
        writeQueueBytes);
  }
}
