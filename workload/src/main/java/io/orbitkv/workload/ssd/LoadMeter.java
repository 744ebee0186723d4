package io.orbitkv.workload.ssd;

import io.orbitkv.api.backing.BackingStatus;
import io.orbitkv.workload.report.LatencyRecorder;
import io.orbitkv.workload.report.Percentiles;
import java.util.EnumMap;
import java.util.Map;

/** Counts what is reported while it counts. One thread. */
final class LoadMeter {
  private static final double MICRO = 1e3;
  private static final double NANOS_A_SECOND = 1e9;

  private final long fromNanos;
  private final long toNanos;
  private final long pageBytes;
  private final Map<BackingStatus, Long> failures = new EnumMap<>(BackingStatus.class);
  private final Direction reads = new Direction();
  private final Direction writes = new Direction();
  private long endNanos;
  private long verifiedPages;
  private long wrongBytes;

  private static final class Direction {
    final LatencyRecorder fromOffer = new LatencyRecorder();
    final LatencyRecorder fromDue = new LatencyRecorder();
    long count;
  }

  /** Counts reports that arrive from one moment to the other. */
  LoadMeter(long fromNanos, long toNanos, long pageBytes) {
    this.fromNanos = fromNanos;
    this.toNanos = toNanos;
    this.pageBytes = pageBytes;
    this.endNanos = toNanos;
  }

  void count(boolean read, BackingStatus status, long nanos, long offeredNanos, long dueNanos) {
    if (status != BackingStatus.DONE) {
      failures.merge(status, 1L, Long::sum);
      return;
    }
    if (nanos < fromNanos || nanos > toNanos) {
      return;
    }
    Direction direction = read ? reads : writes;
    direction.count++;
    direction.fromOffer.record(nanos - offeredNanos);
    direction.fromDue.record(nanos - dueNanos);
  }

  void verified(long wrong) {
    verifiedPages++;
    wrongBytes += wrong;
  }

  /** The load ended, perhaps before its time. */
  void end(long nanos) {
    endNanos = Math.max(nanos, fromNanos);
  }

  LoadResult result() {
    double seconds = (endNanos - fromNanos) / NANOS_A_SECOND;
    return new LoadResult(
        seconds, side(reads, seconds), side(writes, seconds), failures, verifiedPages, wrongBytes);
  }

  private LoadResult.Side side(Direction direction, double seconds) {
    Percentiles offered = direction.fromOffer.percentiles(MICRO);
    double perSecond = seconds == 0 ? 0 : direction.count / seconds;
    return new LoadResult.Side(
        perSecond,
        perSecond * pageBytes,
        offered.p50(),
        offered.p99(),
        direction.fromDue.percentiles(MICRO).p99(),
        offered.samples());
  }
}
