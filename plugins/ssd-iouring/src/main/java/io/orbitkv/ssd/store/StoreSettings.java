package io.orbitkv.ssd.store;

/**
 * How a store is laid out and bounded.
 *
 * @param shard number of this store among those of the tier, from 0
 * @param shards number of stores of the tier; a page belongs to {@link Store#shardOf}
 * @param capacityBytes of the file that the store may use
 * @param segmentBytes of a segment; 0 derives it from the capacity, or takes what the file has
 * @param reserveSegments kept empty so that pages can always be moved; at least 1
 * @param reinsertPercent most bytes of a victim that are moved rather than lost, in hundredths of a
 *     segment
 * @param writesPerDayBytes most bytes written to the device in a day; 0 for no limit
 * @param mostPagesInFlight reads, and writes, that are taken and not reported
 * @param format whether a file that cannot be used as it is (foreign, damaged, of another version
 *     or capacity) may be overwritten; a usable store is never emptied by it
 */
public record StoreSettings(
    int shard,
    int shards,
    long capacityBytes,
    long segmentBytes,
    int reserveSegments,
    int reinsertPercent,
    long writesPerDayBytes,
    int mostPagesInFlight,
    boolean format) {
  /**
   * @throws IllegalArgumentException naming the value that is out of its range
   */
  public StoreSettings {
    require(shards > 0, "shards", shards);
    require(shard >= 0 && shard < shards, "shard", shard);
    require(capacityBytes > 0, "capacity", capacityBytes);
    require(segmentBytes >= 0, "segment bytes", segmentBytes);
    require(reserveSegments >= 1, "reserve segments", reserveSegments);
    require(reinsertPercent >= 0 && reinsertPercent <= 90, "reinsert percent", reinsertPercent);
    require(writesPerDayBytes >= 0, "writes per day", writesPerDayBytes);
    require(mostPagesInFlight > 0, "most pages in flight", mostPagesInFlight);
  }

  private static void require(boolean condition, String what, long value) {
    if (!condition) {
      throw new IllegalArgumentException(what + " [" + value + "] is out of its range");
    }
  }
}
