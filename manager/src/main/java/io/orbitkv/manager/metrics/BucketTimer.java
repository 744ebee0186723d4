package io.orbitkv.manager.metrics;

import io.micrometer.core.instrument.AbstractMeter;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.distribution.HistogramSnapshot;
import io.micrometer.core.instrument.distribution.ValueAtPercentile;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * A timer of the Manager: buckets that only grow, as Prometheus wants them. Any thread; a record is
 * two atomic additions and allocates nothing. (Micrometer's own timers keep a window that decays
 * and look at the clock for it each time.)
 */
final class BucketTimer extends AbstractMeter implements Timer {
  private static final double[] PERCENTILES = {0.5, 0.95, 0.99};

  private final TimeUnit baseTimeUnit;
  private final LongSupplier clock;
  private final AtomicLongArray counts = new AtomicLongArray(DurationEdges.buckets());
  private final AtomicLong totalNanos = new AtomicLong();
  private final AtomicLong maxNanos = new AtomicLong();

  BucketTimer(Id id, TimeUnit baseTimeUnit, LongSupplier clock) {
    super(id);
    this.baseTimeUnit = baseTimeUnit;
    this.clock = clock;
  }

  /** Records a duration; a negative one counts as none. */
  void recordNanos(long nanos) {
    if (nanos < 0) {
      return;
    }
    counts.getAndIncrement(DurationEdges.bucket(nanos));
    totalNanos.getAndAdd(nanos);
    if (nanos > maxNanos.get()) {
      maxNanos.accumulateAndGet(nanos, Math::max);
    }
  }

  /**
   * The one thread that records here, if there is one: the same without the price of atomic
   * additions. Readers see each number as it was at some moment.
   */
  void recordAlone(long nanos) {
    if (nanos < 0) {
      return;
    }
    int bucket = DurationEdges.bucket(nanos);
    counts.setOpaque(bucket, counts.getPlain(bucket) + 1);
    totalNanos.setOpaque(totalNanos.getPlain() + nanos);
    if (nanos > maxNanos.getPlain()) {
      maxNanos.setOpaque(nanos);
    }
  }

  /** What was recorded until now. */
  Distribution distribution() {
    long[] seen = new long[counts.length()];
    long count = 0;
    for (int bucket = 0; bucket < seen.length; bucket++) {
      seen[bucket] = counts.get(bucket);
      count += seen[bucket];
    }
    return new Distribution(seen, count, totalNanos.get(), maxNanos.get());
  }

  @Override
  public void record(long amount, TimeUnit unit) {
    recordNanos(unit.toNanos(amount));
  }

  @Override
  public <T> T record(Supplier<T> work) {
    long start = clock.getAsLong();
    try {
      return work.get();
    } finally {
      recordNanos(clock.getAsLong() - start);
    }
  }

  @Override
  public <T> T recordCallable(Callable<T> work) throws Exception {
    long start = clock.getAsLong();
    try {
      return work.call();
    } finally {
      recordNanos(clock.getAsLong() - start);
    }
  }

  @Override
  public void record(Runnable work) {
    long start = clock.getAsLong();
    try {
      work.run();
    } finally {
      recordNanos(clock.getAsLong() - start);
    }
  }

  @Override
  public long count() {
    return distribution().count();
  }

  @Override
  public double totalTime(TimeUnit unit) {
    return (double) totalNanos.get() / unit.toNanos(1);
  }

  @Override
  public double max(TimeUnit unit) {
    return (double) maxNanos.get() / unit.toNanos(1);
  }

  @Override
  public TimeUnit baseTimeUnit() {
    return baseTimeUnit;
  }

  @Override
  public HistogramSnapshot takeSnapshot() {
    Distribution seen = distribution();
    ValueAtPercentile[] values = new ValueAtPercentile[PERCENTILES.length];
    for (int i = 0; i < values.length; i++) {
      values[i] = new ValueAtPercentile(PERCENTILES[i], seen.percentileNanos(PERCENTILES[i]));
    }
    return new HistogramSnapshot(
        seen.count(), seen.totalNanos(), seen.maxNanos(), values, null, null);
  }
}
