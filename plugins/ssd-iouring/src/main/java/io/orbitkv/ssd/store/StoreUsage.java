package io.orbitkv.ssd.store;

/**
 * A picture of a store. Counters count since it was opened unless said otherwise.
 *
 * @param pages findable
 * @param liveBytes payload of findable pages
 * @param capacityBytes of the file that the store uses
 * @param segmentBytes of a segment
 * @param segments number of segments
 * @param freeSegments empty, among them those in reserve
 * @param reads taken and not reported
 * @param writes taken and not reported
 * @param deviceWrittenBytes written to the device, headers, footers and moved pages included
 * @param payloadWrittenBytes payload of reported writes
 * @param reinsertedBytes device bytes of pages that were moved out of victims
 * @param lifetimeWrittenBytes written to the device since the store was formatted
 * @param evictedPages forgotten because it was asked for
 * @param lostPages gone with their victims
 * @param corruptPages dropped because header or payload failed its check
 * @param unreadablePages dropped because the device could not read them
 * @param readErrors reads that the device failed
 * @param writeErrors writes and syncs that the device failed
 * @param duplicateWrites writes of pages that were stored or being written already
 * @param refusedFull writes that no segment can hold or that found no room
 * @param refusedBudget writes refused because the day's budget was used up
 * @param refusedDegraded writes refused while the store does not write
 * @param uncertainEvictions reported although the device would not make them durable
 * @param start what the last opening found
 * @param budgetBytes left of the write budget; {@link Long#MAX_VALUE} without a limit
 * @param degraded empty when healthy, otherwise why the store does not write
 */
public record StoreUsage(
    long pages,
    long liveBytes,
    long capacityBytes,
    long segmentBytes,
    int segments,
    int freeSegments,
    int reads,
    int writes,
    long deviceWrittenBytes,
    long payloadWrittenBytes,
    long reinsertedBytes,
    long lifetimeWrittenBytes,
    long evictedPages,
    long lostPages,
    long corruptPages,
    long unreadablePages,
    long readErrors,
    long writeErrors,
    long duplicateWrites,
    long refusedFull,
    long refusedBudget,
    long refusedDegraded,
    long uncertainEvictions,
    Start start,
    long budgetBytes,
    String degraded) {

  /**
   * What opening found, and what it dropped by cause.
   *
   * @param clean whether the store had been stopped cleanly
   * @param formatted whether it was made by this opening
   * @param recoveredPages findable after opening
   * @param walkedSegments segments without a valid footer, whose headers were walked
   * @param damagedSegments whose header cannot be read or does not check; emptied
   * @param damagedRecords headers at which walks ended and that had been written: they, and what
   *     follows them in their segments, are dropped
   * @param olderCopies pages that a newer copy replaces
   * @param evictedCopies pages that the kill log names
   * @param foreignPages pages of another number of shards, which belong elsewhere now
   * @param killLogPages pages dropped because the kill log has a hole
   */
  public record Start(
      boolean clean,
      boolean formatted,
      long recoveredPages,
      int walkedSegments,
      int damagedSegments,
      int damagedRecords,
      long olderCopies,
      long evictedCopies,
      long foreignPages,
      long killLogPages) {
    /** Pages that were on the device and are not findable. */
    public long droppedPages() {
      return olderCopies + evictedCopies + foreignPages + killLogPages;
    }
  }
}
