package io.orbitkv.api.policy;

import java.time.Duration;

/**
 * Decides when reading stops and how much of a hit is worth restoring. A list of cutoffs can serve
 * at once: the strictest answer wins. The Manager only ever shortens its own answer; engines decide
 * to recompute.
 */
public non-sealed interface CutoffPolicy extends Policy {
  /** Policy thread. A read is planned. */
  ReadLimits plan(RequestFacts request, TierFacts source, EngineFacts engine);

  /**
   * Policy thread. Before each further batch of a read whose plan is {@link ReadLimits#stepwise}.
   *
   * @return whether to go on
   */
  default boolean proceed(ReadProgress progress) {
    return true;
  }

  /**
   * Limits of one read.
   *
   * @param batchBytes payload bytes of a batch; 0 for the whole range in one
   * @param maxBatches 0 for no limit
   * @param deadline from the submission of the operation; {@link Duration#ZERO} for none
   * @param onDeadline what the deadline means
   * @param restorePages restore at most so many pages; {@link Integer#MAX_VALUE} for all, 0 for
   *     nothing
   * @param reason why
   * @param stepwise whether {@link #proceed} is asked before each further batch
   */
  record ReadLimits(
      long batchBytes,
      int maxBatches,
      Duration deadline,
      OnDeadline onDeadline,
      int restorePages,
      Reason reason,
      boolean stepwise) {
    /** Limits that hold from the first batch to the last. */
    public ReadLimits(
        long batchBytes,
        int maxBatches,
        Duration deadline,
        OnDeadline onDeadline,
        int restorePages,
        Reason reason) {
      this(batchBytes, maxBatches, deadline, onDeadline, restorePages, reason, false);
    }

    /** Everything is read and restored. */
    public static ReadLimits none(Reason reason) {
      return new ReadLimits(0, 0, Duration.ZERO, OnDeadline.MISS, Integer.MAX_VALUE, reason);
    }

    /** The same, and {@link #proceed} is asked before each further batch. */
    public ReadLimits inSteps() {
      return new ReadLimits(
          batchBytes, maxBatches, deadline, onDeadline, restorePages, reason, true);
    }
  }

  /**
   * How far a read has come.
   *
   * @param elapsed since the submission of the operation
   * @param batches submitted so far
   * @param pagesRead complete
   * @param pagesLeft not submitted
   */
  record ReadProgress(Duration elapsed, int batches, int pagesRead, int pagesLeft) {}

  /** What happens to the pages that are there when the deadline passes. */
  enum OnDeadline {
    /** The engine gets a miss. */
    MISS,
    /** A dense query gets the completed contiguous prefix. Strict recovery never does. */
    HAND_OVER
  }
}
