package io.orbitkv.kernel;

import java.time.Duration;

/**
 * How long things live. A time that runs out ends somebody's interest, never a submitted read or
 * copy.
 *
 * @param operation of an undecided query, from its submission or its claim
 * @param lease of a taken lease
 * @param offer of an offer that nobody takes
 * @param unsealed of a page that waits for other ranks or its commit
 * @param preparation of an unclaimed preparation, and of one whose request left the queue
 * @param warming of a warming
 */
public record Lifetimes(
    Duration operation,
    Duration lease,
    Duration offer,
    Duration unsealed,
    Duration preparation,
    Duration warming) {
  /** The specification's. */
  public static final Lifetimes DEFAULT =
      new Lifetimes(
          Duration.ofSeconds(60),
          Duration.ofSeconds(600),
          Duration.ofSeconds(5),
          Duration.ofMinutes(5),
          Duration.ofSeconds(1),
          Duration.ofSeconds(5));
}
