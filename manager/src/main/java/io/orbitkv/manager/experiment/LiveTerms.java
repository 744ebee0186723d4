package io.orbitkv.manager.experiment;

import java.time.Duration;
import java.util.Optional;

/**
 * How long an experiment on live traffic takes, as written.
 *
 * @param horizon how long the variants are compared; empty when not said, and then the start must
 * @param same how long both run A before, to see what differs without a difference; empty for a
 *     quarter of the horizon
 * @param block unit of the statistics where both variants run at once; a turn is one otherwise
 * @param shortBlocks whether blocks, and turns, may be shorter than five minutes
 * @param fallbackShare of a block's questions that a default may answer before it is void
 */
public record LiveTerms(
    Optional<Duration> horizon,
    Optional<Duration> same,
    Duration block,
    boolean shortBlocks,
    double fallbackShare) {
  /** Blocks are at least as long: a cache's state at one moment tells of its state for minutes. */
  public static final Duration LEAST_BLOCK = Duration.ofMinutes(5);

  /** What holds unless somebody says otherwise. */
  public static final LiveTerms DEFAULT =
      new LiveTerms(Optional.empty(), Optional.empty(), LEAST_BLOCK, false, 0);
}
