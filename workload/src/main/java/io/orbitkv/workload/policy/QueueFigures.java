package io.orbitkv.workload.policy;

/**
 * What a policy that chooses from the queue would have read ahead.
 *
 * @param asked queues that it was shown
 * @param chosen entries of them that it chose
 * @param chosenInVain of them with nothing in the backing tier
 * @param neededPages that requests read from the backing tier
 * @param coveredPages of them whose request was chosen while it waited
 */
public record QueueFigures(
    long asked, long chosen, long chosenInVain, long neededPages, long coveredPages) {
  /** Share of what was read whose reading could have begun before; 0 when nothing was read. */
  public double covered() {
    return neededPages == 0 ? 0 : (double) coveredPages / neededPages;
  }
}
