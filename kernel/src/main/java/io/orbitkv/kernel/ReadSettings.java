package io.orbitkv.kernel;

import java.time.Duration;

/**
 * How pages are read from the backing tier.
 *
 * @param batchBytes payload bytes of one batch of a query; 0 for the whole range in one. A batch
 *     has at least one page
 * @param maxBatches batches that one query may submit; 0 for no limit
 * @param timeout from the submission of the query, the wait for budget included, after which no
 *     further batch is submitted; zero for none
 * @param pipeline batches of one query in flight at once
 * @param handOver what a dense query gets at the timeout: its completed contiguous prefix, or a
 *     miss. Strict recovery never gets a part
 */
public record ReadSettings(
    long batchBytes, int maxBatches, Duration timeout, int pipeline, boolean handOver) {
  /** Largest batch of a preparation, whatever the others have. */
  public static final long PREPARED_BATCH_BYTES = 32L << 20;

  /** No limits, two batches in flight. */
  public static final ReadSettings DEFAULT = new ReadSettings(0, 0, Duration.ZERO, 2, false);

  /**
   * @throws IllegalArgumentException when a limit is negative or the pipeline not positive
   */
  public ReadSettings {
    if (batchBytes < 0 || maxBatches < 0 || timeout.isNegative() || pipeline < 1) {
      throw new IllegalArgumentException(
          "read batch ["
              + batchBytes
              + "], batches ["
              + maxBatches
              + "] and timeout ["
              + timeout
              + "] must not be negative, the pipeline ["
              + pipeline
              + "] must be positive");
    }
  }
}
