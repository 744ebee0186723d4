package io.orbitkv.workload.ssd;

import io.orbitkv.api.backing.BackingStatus;
import java.util.Map;

/**
 * What a {@link Load} achieved in the time that counts.
 *
 * @param seconds that count
 * @param reads that ended well
 * @param writes that ended well
 * @param failures reads and writes that did not, by how they ended
 * @param verifiedPages pages that were compared
 * @param wrongBytes in them
 */
record LoadResult(
    double seconds,
    Side reads,
    Side writes,
    Map<BackingStatus, Long> failures,
    long verifiedPages,
    long wrongBytes) {
  LoadResult {
    failures = Map.copyOf(failures);
  }

  /**
   * One direction.
   *
   * @param perSecond operations
   * @param bytesPerSecond payload
   * @param p50Micros from the first offer to the report
   * @param p99Micros the same
   * @param p99FromDueMicros from the moment at which it was due, which counts what waited for its
   *     turn too; the same as the other without a rate
   * @param samples of the percentiles
   */
  record Side(
      double perSecond,
      double bytesPerSecond,
      double p50Micros,
      double p99Micros,
      double p99FromDueMicros,
      long samples) {
    static final Side NONE = new Side(0, 0, 0, 0, 0, 0);
  }
}
