package io.orbitkv.kernel;

/**
 * How many operations there may be at once.
 *
 * @param sessionQueries undecided queries and untaken offers of one session, and what still drains
 *     for it
 * @param managerQueries the same of all sessions
 * @param sessionSpeculative preparations and warmings among them, of one session
 * @param managerSpeculative the same of all sessions
 * @param sessionPreparations unclaimed preparations of one session, and of one instance's queue
 * @param sessionCopies restores of one session that were not answered; the same limit holds for
 *     publishes that are not over (copied, and committed or given up)
 * @param maxQueryPages pages in one query, restore or publish
 */
public record OperationLimits(
    int sessionQueries,
    int managerQueries,
    int sessionSpeculative,
    int managerSpeculative,
    int sessionPreparations,
    int sessionCopies,
    int maxQueryPages) {
  /** The specification's. */
  public static final OperationLimits DEFAULT =
      new OperationLimits(128, 1024, 16, 128, 4, 1024, 1 << 16);
}
